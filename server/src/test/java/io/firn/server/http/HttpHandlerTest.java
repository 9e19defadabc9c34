package io.firn.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.Connection;
import io.firn.server.LoneConnections;
import io.firn.server.Service;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpResponseEncoder;
import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class HttpHandlerTest {

  /** Thousands of clients that wait would keep as many long headers. */
  @Test
  void keepsNothingOfARequestThatIsAnswered() {
    try (HttpServing serving = HttpServing.start("{}")) {
      List<WeakReference<String>> headers = new ArrayList<>();
      Router router = new Router();
      router.add(
          "/",
          exchange -> {
            headers.add(new WeakReference<>(exchange.header("name").orElseThrow()));
            exchange.reply("answer");
          },
          MediaType.TEXT);
      Service service = serving.server().service();
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection connection = LoneConnections.of(channel, service);
      HttpHandler handler = new HttpHandler(service, router, new DateHeader(), connection);
      channel.pipeline().addLast(new HttpResponseEncoder(), handler, connection);
      String request = "GET / HTTP/1.1\r\nHost: localhost\r\nname: value\r\n\r\n";
      channel.writeInbound(Unpooled.copiedBuffer(request, StandardCharsets.US_ASCII));
      assertThat(headers).hasSize(1);
      for (int i = 0; i < 20 && headers.get(0).get() != null; i++) {
        System.gc();
      }
      assertThat(headers.get(0).get()).isNull();
      channel.finishAndReleaseAll();
    }
  }
}
