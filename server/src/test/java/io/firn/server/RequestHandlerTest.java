package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.redis.RedisProtocol;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class RequestHandlerTest {

  private final CompletableFuture<String> result = new CompletableFuture<>();

  /** Answers each byte when a result is there, and fails at that. */
  private final class Broken extends RequestHandler {

    Broken(Connection connection, Service service) {
      super(connection, service.config().limits());
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      in.skipBytes(1);
      begin(ctx);
      whenDone(
          ctx,
          result,
          (value, failure) -> {
            throw new IllegalStateException("broken");
          });
      return 1;
    }
  }

  /** Takes all that has come as a request. */
  private static final class Taking extends RequestHandler {

    private final List<Integer> taken = new ArrayList<>();

    Taking(Connection connection, Service service) {
      super(connection, service.config().limits());
    }

    @Override
    protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
      begin(ctx);
      taken.add(in.readableBytes());
      in.skipBytes(in.readableBytes());
      answered(ctx, 1, 0, false);
      return 1;
    }
  }

  /** One reading of the network finds a hundred of them, and short ones among them. */
  @Test
  void aLongRequestWaitsForALaterTurn() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      Connection connection = LoneConnections.of(channel, service);
      Taking handler = new Taking(connection, service);
      channel.pipeline().addLast(handler, connection);
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[8192]));
      assertThat(handler.taken).containsExactly(8192);
      channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[8193]));
      assertThat(handler.taken).containsExactly(8192);
      connection.stop(channel.pipeline().lastContext());
      assertThat(channel.isOpen()).isTrue();
      channel.runPendingTasks();
      assertThat(handler.taken).containsExactly(8192, 8193);
      assertThat(channel.isOpen()).isFalse();
    }
  }

  /** Waiting ones take at most half of what the server may hold. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aLongRequestIsTakenAtOnceWhenTooManyWait(boolean room) {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      HeldBytes held = new HeldBytes(room ? 2 * 9_000 : 2 * 9_000 - 1);
      Connection connection = LoneConnections.of(channel, service, held);
      Taking handler = new Taking(connection, service);
      channel.pipeline().addLast(handler, connection);
      for (int i = 0; i < 2; i++) { // the first one leaves room again
        channel.pipeline().fireChannelRead(Unpooled.wrappedBuffer(new byte[9_000]));
        assertThat(handler.taken).hasSize(room ? i : i + 1);
        channel.runPendingTasks();
        assertThat(handler.taken).hasSize(i + 1);
      }
    }
  }

  @Test
  void closesTheConnectionWhenALateAnswerFails() {
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new)) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Service service = server.server().service();
      Connection connection = LoneConnections.of(channel, service);
      channel.pipeline().addLast(new Broken(connection, service), connection);
      channel.writeInbound(Unpooled.copiedBuffer(new byte[1]));
      assertThat(channel.isOpen()).isTrue();
      result.complete("");
      channel.runPendingTasks();
      assertThat(channel.isOpen()).isFalse();
    }
  }
}
