package io.firn.testservers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.FreePort;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A run of {@code firn serve} that loads the classes which most processes of tests need, for the
 * archive of {@link ClassData}: it answers requests, calls a store of each kind, and ends.
 */
final class ArchivedRun {

  /** Nothing listens at port 1: the calls fail, and the classes of the clients are loaded. */
  private static final List<String> STORES =
      List.of(
          "jdbc:postgresql://127.0.0.1:1/firn?user=firn&timeout=500ms",
          "jdbc:mariadb://127.0.0.1:1/firn?user=firn&timeout=500ms",
          "jdbc:sqlite:registers.db?timeout=500ms",
          "zookeeper://127.0.0.1:1/firn?timeout=500ms",
          "etcd://127.0.0.1:1?timeout=500ms");

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private ArchivedRun() {}

  /** Runs the server in this process, which ends when a client in it is done. */
  public static void main(String[] args) throws ReflectiveOperationException {
    int http = FreePort.next();
    int redis = FreePort.next();
    Thread client = new Thread(() -> useAndExit(http, redis), "client");
    client.setDaemon(true);
    client.start();
    String[] serve = {
      "serve",
      "--store=memory:",
      "--listen-http=127.0.0.1:" + http,
      "--listen-redis=127.0.0.1:" + redis,
      "--listen-thrift=127.0.0.1:0",
      "--drain=0ms"
    };
    Class.forName("io.firn.cli.Main")
        .getMethod("main", String[].class)
        .invoke(null, (Object) serve);
  }

  private static void useAndExit(int http, int redis) {
    int exit = 1;
    try {
      ask(redis, "INCR default\r\nNEXT default COUNT 2\r\nINFO\r\nQUIT\r\n");
      for (String path : List.of("/readyz", "/metrics", "/v1/ids/default", "/v1/namespaces")) {
        ask(http, "GET " + path + " HTTP/1.0\r\n\r\n");
      }
      STORES.forEach(ArchivedRun::call);
      call("redis://127.0.0.1:" + redis + "?timeout=500ms"); // its handshake is Redis's
      exit = 0;
    } finally {
      System.exit(exit);
    }
  }

  /** Waits until the server answers; if it cannot start, it ends the process. */
  private static void ask(int port, String request) {
    byte[] answer = {};
    while (answer.length == 0) {
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        socket.getOutputStream().write(request.getBytes(US_ASCII));
        answer = socket.getInputStream().readAllBytes();
      } catch (IOException e) {
        TimeSource.system().parkNanos(POLL_NANOS); // not yet
      }
    }
  }

  private static void call(String address) {
    try (RegisterStore store = RegisterStore.open(address)) {
      var unused = store.read("firn");
    } catch (StoreException e) {
      // as it must be
    }
  }
}
