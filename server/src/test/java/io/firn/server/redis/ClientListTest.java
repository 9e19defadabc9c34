package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.RawClient;
import io.firn.server.Reports;
import io.firn.server.RunningServer;
import io.firn.testkit.TestThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Answers over all connections or namespaces are made by threads that serve no clients. */
@Timeout(60)
final class ClientListTest {

  /** More than there are threads for reports. */
  private static final int REPORTS = 8;

  private static final int CONNECTIONS = 1_500;
  private static final int LISTS = 20;

  @ParameterizedTest
  @CsvSource({
    "CLIENT LIST, $",
    "CLIENT LIST ID 1 2 3, $",
    "CLIENT KILL USER nobody LADDR 127.0.0.1:1, :0",
    "CLIENT KILL 127.0.0.1:1, -ERR No such client",
    "DECODE 1, *16",
    "INFO, $",
    "DBSIZE, :1",
    "SCAN 0, *2",
    "KEYS *, *1"
  })
  void isMadeOffTheLoopsInTheOrderOfAPipeline(String command, String answer) throws Exception {
    CountDownLatch released = new CountDownLatch(1);
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new);
        RawClient client = server.connect();
        RawClient other = server.connect()) {
      Reports reports = server.server().service().reports();
      for (int i = 0; i < REPORTS; i++) {
        reports.report(
            () -> {
              TestThreads.await(released);
              return true;
            });
      }
      client.send("ECHO first\r\n" + command + "\r\nECHO last\r\n");
      client.expect("$5\r\nfirst\r\n");
      for (int i = 0; i < 10; i++) {
        other.send("PING\r\n").expect("+PONG\r\n");
      }
      assertThat(client.available()).isZero();
      released.countDown();
      assertThat(client.line()).startsWith(answer);
      assertThat(client.send("QUIT\r\n").rest()).endsWith("$4\r\nlast\r\n+OK\r\n");
    } finally {
      released.countDown();
    }
  }

  /** Such a list does not fit into the buffer of a socket. */
  @Test
  void arrivesWholeWhereItIsLong() {
    List<RawClient> clients = new ArrayList<>();
    try (RunningServer server = RunningServer.start("redis", RedisProtocol::new);
        RawClient client = server.connect()) {
      for (int i = 0; i < CONNECTIONS; i++) {
        clients.add(server.connect());
        clients.get(i).send("CLIENT SETNAME " + "n".repeat(60) + "\r\n").expect("+OK\r\n");
      }
      client.send("CLIENT LIST\r\nECHO next\r\n".repeat(LISTS));
      for (int i = 0; i < LISTS; i++) {
        int length = Integer.parseInt(client.line().substring(1));
        assertThat(client.receive(length).lines()).hasSize(CONNECTIONS + 1);
        client.expect("\r\n$4\r\nnext\r\n");
      }
    } finally {
      clients.forEach(RawClient::close);
    }
  }
}
