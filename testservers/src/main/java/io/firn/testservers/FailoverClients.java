package io.firn.testservers;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.firn.testkit.IdHistory;
import io.firn.time.TimeSource;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Clients of several Firn servers over the Redis protocol that request IDs continuously. A client
 * that loses its server connects to the next one at once; its unanswered requests are lost. All IDs
 * are recorded and checked for duplicates at the end. For one thread.
 */
public final class FailoverClients implements AutoCloseable {

  private static final String COMMAND = "*2\r\n$4\r\nINCR\r\n$7\r\ndefault\r\n";
  private static final int TIMEOUT_MILLIS = 30_000;
  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final Duration MAX_WAIT = Duration.ofMinutes(2);
  private static final TimeSource TIME = TimeSource.system();

  private final List<InetSocketAddress> servers;
  private final IdHistory history;
  private final List<Client> clients = new ArrayList<>();
  private volatile boolean ending;

  /**
   * Starts them.
   *
   * @param servers whom they ask; half of the clients begin with the second if there are two
   * @param pipelines how many requests each has in flight at most
   */
  public FailoverClients(List<InetSocketAddress> servers, int... pipelines) {
    this.servers = List.copyOf(servers);
    history = new IdHistory(pipelines.length, 32L << 20);
    for (int pipeline : pipelines) {
      clients.add(new Client(clients.size(), pipeline));
    }
  }

  /** Waits until every client has got IDs that it asked for from now on. */
  public void awaitIds() {
    clients.forEach(Client::mark);
    await("IDs for every client", Client::hasMore);
  }

  private void await(String what, Predicate<Client> condition) {
    long begin = TIME.nanoTime();
    while (!clients.stream().allMatch(condition)) {
      clients.stream().filter(client -> client.end.isDone()).forEach(client -> client.end.join());
      if (TIME.nanoTime() - begin > MAX_WAIT.toNanos()) {
        throw new AssertionError("clients: " + clients + " (expected: " + what + ")");
      }
      TIME.parkNanos(PAUSE.toNanos());
    }
  }

  /** Returns the newest ID of the first client. */
  public long latest() {
    return clients.get(0).latest;
  }

  /** Returns how many answers were errors. */
  public long refusals() {
    return clients.stream().mapToLong(client -> client.refusals.get()).sum();
  }

  /** Returns how often each client lost its server. */
  public List<Integer> breaks() {
    return clients.stream().map(client -> client.breaks.get()).toList();
  }

  /** Returns how many requests of each client were not answered. */
  public List<Integer> lost() {
    return clients.stream().map(client -> client.lost.get()).toList();
  }

  /**
   * Ends all clients.
   *
   * @return what they got
   * @throws CompletionException if one failed with what no server should make it fail with
   */
  public IdHistory.Report end() {
    ending = true;
    clients.forEach(client -> client.end.join());
    return history.finish();
  }

  @Override
  public void close() {
    ending = true;
    try (history) {
      clients.forEach(client -> client.end.join());
    }
  }

  private final class Client {

    private final int pipeline;
    private final byte[] requests;
    private final IdHistory.Writer writer = history.newWriter();
    private int server;
    private volatile long latest;
    private final AtomicLong answered = new AtomicLong();
    private final AtomicLong refusals = new AtomicLong();
    private final AtomicInteger breaks = new AtomicInteger();
    private final AtomicInteger lost = new AtomicInteger();
    private long marked;
    private final CompletableFuture<Void> end;

    Client(int number, int pipeline) {
      server = number;
      this.pipeline = pipeline;
      requests = COMMAND.repeat(pipeline).getBytes(US_ASCII);
      end = CompletableFuture.runAsync(this::run, task -> new Thread(task, "client").start());
    }

    private void run() {
      while (!ending) {
        try (Socket socket = connect()) {
          if (socket != null) {
            use(socket);
          }
        } catch (IOException e) {
          throw new AssertionError("a socket that cannot be closed", e);
        }
      }
    }

    /** The next server that lets the client in; null if this one does not. */
    private @Nullable Socket connect() {
      Socket socket = new Socket();
      try {
        socket.connect(servers.get(server++ % servers.size()), TIMEOUT_MILLIS);
        socket.setSoTimeout(TIMEOUT_MILLIS);
        socket.setTcpNoDelay(true);
        return socket;
      } catch (IOException e) {
        TIME.parkNanos(PAUSE.toNanos());
        return null;
      }
    }

    private void use(Socket socket) {
      int inFlight = 0;
      try {
        InputStream in = new BufferedInputStream(socket.getInputStream());
        while (!ending) {
          inFlight = pipeline;
          socket.getOutputStream().write(requests);
          while (inFlight > 0) {
            take(line(in));
            inFlight--;
          }
        }
      } catch (IOException e) {
        breaks.incrementAndGet();
        lost.addAndGet(inFlight);
      }
    }

    private void take(String line) {
      if (line.startsWith(":")) {
        latest = Long.parseLong(line.substring(1));
        writer.add(latest);
        answered.incrementAndGet();
      } else if (line.startsWith("-")) {
        refusals.incrementAndGet();
        TIME.parkNanos(PAUSE.toNanos());
      } else {
        throw new AssertionError("answer: " + line + " (expected: a number or an error)");
      }
    }

    private static String line(InputStream in) throws IOException {
      StringBuilder line = new StringBuilder();
      for (int next = in.read(); next != '\n'; next = in.read()) {
        if (next < 0) {
          throw new IOException("the end of the connection");
        }
        line.append((char) next);
      }
      return line.substring(0, line.length() - 1);
    }

    void mark() {
      marked = answered.get();
    }

    /** Returns whether a whole pipeline was sent and answered since the mark. */
    boolean hasMore() {
      return answered.get() > marked + 2L * pipeline;
    }

    @Override
    public String toString() {
      return answered + " IDs, " + refusals + " refusals, " + breaks + " breaks";
    }
  }
}
