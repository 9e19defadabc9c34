package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests that wait longer for their IDs than the server, or their clients, can. */
@Timeout(60)
final class LongWaitsTest {

  private static final String HTTP =
      "http|GET /v1/ids/ticks?count=10000 HTTP/1.1$Host: localhost$$|HTTP/1.1 503";

  private static final String REDIS =
      "redis|NEXT ticks COUNT 10000$NEXT ticks COUNT 9000$|-TRYAGAIN";

  private static final String REASON =
      "The answer was not ready a second after the client closed its sending side";

  /**
   * The layout has 25,600 IDs in a second. A stop that is short of time leaves the store to threads
   * that still write.
   */
  private static Server start(String grace) throws IOException {
    return AllProtocols.start(
        Map.of(
            "--store",
            "file:" + RunningServer.newDirectory(),
            "--defaults-layout",
            "sonyflake",
            "--drain",
            "0ms",
            "--grace",
            grace));
  }

  /** Has others take the IDs of the next seconds. */
  private static List<RawClient> takeIds(Server server) throws InterruptedException {
    List<RawClient> others = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      RawClient other = new RawClient(server.addresses().get("redis"));
      others.add(other);
      other.send("NEXT ticks COUNT 10000\r\n");
    }
    TimeUnit.MILLISECONDS.sleep(200);
    return others;
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {HTTP, REDIS})
  void areRefusedAtTheEndOfAStop(String protocol, String request, String refusal) throws Exception {
    Server server = start("2s");
    List<RawClient> others = takeIds(server);
    try (RawClient client = new RawClient(server.addresses().get(protocol))) {
      client.send(request.replace("$", "\r\n"));
      CompletableFuture<Void> stop = CompletableFuture.runAsync(server::close);
      assertThat(client.rest().split(refusal, -1))
          .hasSizeGreaterThan(1)
          .hasSize(request.split("ticks", -1).length)
          .allMatch(part -> part.isEmpty() || part.contains("This server is stopping"));
      stop.join();
    }
    others.forEach(RawClient::close);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {HTTP, REDIS})
  void areRefusedASecondAfterTheClientHasClosedItsSendingSide(
      String protocol, String request, String refusal) throws Exception {
    try (Server server = start("100ms")) {
      List<RawClient> others = takeIds(server);
      try (RawClient client = new RawClient(server.addresses().get(protocol))) {
        client.send(request.replace("$", "\r\n"));
        client.endSending();
        assertThat(client.rest().split(refusal, -1))
            .hasSize(request.split("ticks", -1).length)
            .allMatch(part -> part.isEmpty() || part.contains(REASON));
      }
      others.forEach(RawClient::close);
    }
  }
}
