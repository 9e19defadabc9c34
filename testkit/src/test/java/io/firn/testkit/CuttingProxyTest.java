package io.firn.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.time.TimeSource;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(300)
class CuttingProxyTest {

  private final BlockingQueue<String> received = new LinkedBlockingQueue<>();
  private final LineServer server =
      new LineServer(
          line -> {
            received.add(line);
            return line.equals("bye") ? null : line;
          });
  private final CuttingProxy proxy = CuttingProxy.to(server.address());

  @AfterEach
  void close() throws IOException {
    proxy.close();
    server.close();
  }

  @Test
  void passesEverythingOnAndCountsTheReplies() throws Exception {
    try (Client one = new Client(proxy);
        Client two = new Client(proxy)) {
      for (int i = 1; i <= 5; i++) {
        assertThat(one.ask("a" + i)).isEqualTo("a" + i);
        assertThat(two.ask("x".repeat(100_000))).hasSize(100_000);
        assertThat(proxy.requests()).isEqualTo(2L * i);
      }
    }
    assertThat(received).hasSize(10);
  }

  @Test
  void cutReplyWasAskedForAndNeverComes() throws Exception {
    try (Client client = new Client(proxy);
        Client other = new Client(proxy)) {
      assertThat(client.ask("a")).isEqualTo("a");
      assertThat(other.ask("b")).isEqualTo("b");
      proxy.cutReplies();

      assertThat(client.ask("c")).isNull();
      assertThat(received).containsExactly("a", "b", "c");
      assertThat(other.ask("d")).isNull();
      assertThat(proxy.requests()).isEqualTo(4);
      assertThat(proxy.cuts()).isEqualTo(2);
    }
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("e")).isNull();
      proxy.heal();
    }
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("f")).isEqualTo("f");
    }
    assertThat(received).containsExactly("a", "b", "c", "d", "e", "f");
  }

  @Test
  void cutsOneReplyAfterAGivenNumberOnAllConnections() throws Exception {
    for (int replies = 0; replies < 4; replies++) {
      proxy.cutReplyAfter(replies);
      for (int i = 0; i < 6; i++) {
        try (Client client = new Client(proxy)) {
          assertThat(client.ask("a")).isEqualTo(i == replies ? null : "a");
        }
      }
    }
    assertThat(proxy.cuts()).isEqualTo(4);
  }

  @Test
  void stalledRequestArrivesWhenTheProxyIsHealed() throws Exception {
    try (Client old = new Client(proxy)) {
      assertThat(old.ask("a")).isEqualTo("a");
      proxy.stall();
      try (Client fresh = new Client(proxy)) {
        old.send("b");
        fresh.send("c");
        assertThatThrownBy(() -> old.receive(200)).isInstanceOf(SocketTimeoutException.class);
        assertThatThrownBy(() -> fresh.receive(200)).isInstanceOf(SocketTimeoutException.class);
        assertThat(received).containsExactly("a");

        proxy.heal();
        assertThat(old.receive(60_000)).isEqualTo("b");
        assertThat(fresh.receive(60_000)).isEqualTo("c");
      }
    }
  }

  @Test
  void stalledRequestArrivesAlsoIfTheClientIsGone() throws Exception {
    proxy.stall();
    try (Client client = new Client(proxy)) {
      client.send("a");
    }
    proxy.heal();
    assertThat(received.poll(60, TimeUnit.SECONDS)).isEqualTo("a");
  }

  @Test
  void refusesOldAndNewConnections() throws Exception {
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("a")).isEqualTo("a");
      proxy.refuse();
      assertThatThrownBy(() -> client.askOrFail("b")).isInstanceOf(IOException.class);
    }
    for (int i = 0; i < 100; i++) {
      assertThatThrownBy(() -> new Client(proxy)).isInstanceOf(ConnectException.class);
      proxy.heal();
      proxy.refuse();
    }
    proxy.refuse();
    proxy.heal();
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("c")).isEqualTo("c");
    }
    assertThat(received).containsExactly("a", "c");
  }

  @Test
  void holdsRepliesBackUntilItIsHealed() throws Exception {
    try (Client client = new Client(proxy)) {
      proxy.delay(Duration.ofMillis(200));
      TimeSource time = TimeSource.system();
      long begin = time.nanoTime();
      assertThat(client.ask("a")).isEqualTo("a");
      assertThat(time.nanoTime() - begin).isGreaterThanOrEqualTo(200_000_000);
      proxy.heal();
      proxy.delay(Duration.ofMillis(1));
      assertThat(client.ask("b")).isEqualTo("b");
    }
  }

  @Test
  void serverThatIsGoneIsAConnectionThatCloses() throws Exception {
    InetSocketAddress nobody =
        new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.next());
    try (CuttingProxy deserted = CuttingProxy.to(nobody);
        Client client = new Client(deserted)) {
      assertThatThrownBy(() -> client.askOrFail("a")).isInstanceOf(IOException.class);
    }
  }

  @Test
  void serverThatClosesIsAConnectionThatCloses() throws Exception {
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("bye")).isNull();
    }
  }

  @Test
  void closedProxyStaysClosed() throws Exception {
    try (Client client = new Client(proxy)) {
      assertThat(client.ask("a")).isEqualTo("a");
      proxy.close();
      assertThatThrownBy(() -> client.askOrFail("b")).isInstanceOf(IOException.class);
    }
    proxy.close();
    for (Runnable change :
        List.<Runnable>of(proxy::heal, proxy::stall, proxy::refuse, proxy::cutReplies)) {
      assertThatThrownBy(change::run)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("The proxy is closed; start another one");
    }
  }

  @Test
  void freePortsAreFreeAndBelowThoseOfOutgoingConnections() throws Exception {
    for (int i = 0; i < 100; i++) {
      int port = FreePort.next();
      assertThat(port).isBetween(12_000, 29_999);
      try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
        assertThat(socket.isBound()).isTrue();
      }
    }
  }

  private static final class Client implements AutoCloseable {

    private final Socket socket = new Socket();
    private final BufferedReader in;

    Client(CuttingProxy proxy) throws IOException {
      socket.connect(proxy.address(), 60_000);
      in = LineServer.reader(socket);
    }

    /** The answer; null if the connection ends first. */
    String ask(String line) throws IOException {
      send(line);
      return receive(60_000);
    }

    /** As {@link #ask}, for a connection that may end with a reset as well as with its end. */
    void askOrFail(String line) throws IOException {
      if (ask(line) == null) {
        throw new IOException("ended");
      }
    }

    void send(String line) throws IOException {
      LineServer.send(socket, line);
    }

    String receive(int maxMillis) throws IOException {
      socket.setSoTimeout(maxMillis);
      return in.readLine();
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }
}
