package io.firn.server;

import static io.firn.server.AllProtocols.REQUEST;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.TestThreads;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A client that closes its sending side gets the answers to all that it has sent. */
@Timeout(60)
final class HalfClosedClientsTest {

  private static final int CLIENTS = 20;

  private static final Map<String, String> ANSWER =
      Map.of("http", "HTTP/1.1 200 OK\r\n", "redis", ":", "thrift", "get_id");

  @TempDir private Path store;

  private Server server;

  @BeforeEach
  void start() {
    server =
        AllProtocols.start(
            Map.of("--store", "file:" + store, "--defaults-layout", "classic", "--drain", "0ms"));
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private RawClient connect(String protocol) {
    return new RawClient(server.addresses().get(protocol));
  }

  private void expectAnswers(String protocol, int requests) {
    byte[] pipeline = REQUEST.get(protocol).repeat(requests).getBytes(ISO_8859_1);
    try (RawClient client = connect(protocol)) {
      client.send(pipeline);
      client.endSending();
      assertThat(client.rest().split(ANSWER.get(protocol), -1)).hasSize(requests + 1);
    }
  }

  @ParameterizedTest
  @CsvSource({"http, 1", "http, 3000", "redis, 1", "redis, 10000", "thrift, 1", "thrift, 5000"})
  void getAllAnswers(String protocol, int requests) throws InterruptedException {
    TestThreads threads = new TestThreads();
    for (int i = 0; i < CLIENTS; i++) {
      threads.start(() -> expectAnswers(protocol, requests));
    }
    threads.join();
  }

  /** The IDs wait for ticks, and most answers for room to be sent. */
  @Test
  void getAnswersThatMustWait() throws Exception {
    int requests = 20;
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4 << 10);
    socket.connect(server.addresses().get("redis"));
    try (RawClient client = new RawClient(socket)) {
      client.send("NEXT ticks COUNT 10000\r\n".repeat(requests));
      client.endSending();
      TimeUnit.MILLISECONDS.sleep(200);
      assertThat(client.rest().split(":", -1)).hasSize(requests * 10_000 + 1);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "redis", "thrift"})
  void areDisconnectedAtOnceIfTheyLackARequest(String protocol) {
    for (String begun : List.of("", REQUEST.get(protocol).substring(0, 10))) {
      try (RawClient client = connect(protocol)) {
        client.send(REQUEST.get(protocol) + begun);
        long begin = System.nanoTime();
        client.endSending();
        assertThat(client.rest().split(ANSWER.get(protocol), -1)).hasSize(2);
        assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(5));
      }
    }
  }
}
