package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult.Outcome;
import io.firn.time.TimeSource;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Clients of a store whose connections break, and an observer whose connection does not. All calls
 * are recorded and checked against the outcomes that the clients report.
 */
final class Outage implements AutoCloseable {

  /** Replies that one call may take, and one more: an exchange is cut at each of them. */
  private static final int POINTS = 4;

  private static final int ROUNDS = 2;
  private static final Duration LATE = Duration.ofMillis(200);

  /** Opens a client of the server at an address. */
  interface Opening {
    RegisterStore open(InetSocketAddress address) throws Exception;
  }

  private final TimeSource time = TimeSource.system();
  private final StoreRecorder recorder = new StoreRecorder();
  private final CuttingProxy proxy;
  private final Opening opening;
  private final RegisterStore observer;
  private final String prefix;
  private final long maxNanos;
  private final Duration maxRecovery;
  private int written;

  /**
   * Nothing is broken yet.
   *
   * @param prefix of the names of registers
   * @param maxCall how long a call may take
   * @param maxRecovery how soon a client must work again by itself when its server does
   */
  Outage(
      InetSocketAddress server,
      Opening opening,
      String prefix,
      Duration maxCall,
      Duration maxRecovery)
      throws Exception {
    this.opening = opening;
    this.prefix = prefix;
    this.maxRecovery = maxRecovery;
    maxNanos = maxCall.toNanos();
    proxy = CuttingProxy.to(server);
    observer = recorder.recorded(opening.open(server));
  }

  private RegisterStore client() throws Exception {
    return recorder.recorded(opening.open(proxy.address()));
  }

  private RegisterStore openWithoutServer() throws Exception {
    try {
      return client();
    } catch (StoreException e) {
      throw new AssertionError("a client is opened without its server, and connects later", e);
    }
  }

  /**
   * Cuts the exchanges of writes at every point, of new registers and of old ones: one reply, so
   * that a client could retry, and then all.
   */
  void losesReplies() throws Exception {
    int lost = 0;
    RegisterStore client = client();
    for (int round = 0; round < ROUNDS; round++) {
      String name = prefix + "lost/" + round;
      for (int i = 0; i < POINTS; i++) {
        int point = (round + i) % POINTS;
        lost += losesReply(client, name, () -> proxy.cutReplyAfter(point)) ? 1 : 0;
      }
      lost += losesReply(client, name, proxy::cutReplies) ? 1 : 0;
      worksAgain(client, name);
    }
    recorder.check(false);
    assertTrue(lost > 0, "no write was applied whose reply was cut");
  }

  /** Returns whether a write was applied whose exchange was cut. */
  private boolean losesReply(RegisterStore client, String name, Runnable cut) throws Exception {
    long version = versionWhenItWorks(client, name);
    long cuts = proxy.cuts();
    cut.run();
    write(client, name, version);
    boolean wasCut = proxy.cuts() > cuts;
    proxy.heal();
    return wasCut && versionWhenItWorks(observer, name) > version;
  }

  /** Refuses connections, and closes those that are open. */
  void refusesConnections(boolean hasClock) throws Exception {
    String name = prefix + "refused";
    RegisterStore client = client();
    long version = worksAgain(client, name);

    proxy.refuse();
    RegisterStore fresh = openWithoutServer();
    TestThreads callers = new TestThreads();
    callers.start(() -> failsInTime(() -> client.read(name)));
    callers.start(() -> failsInTime(() -> client.readAll(List.of(name))));
    callers.start(() -> failsInTime(() -> client.scan(prefix)));
    callers.start(() -> failsInTime(() -> fresh.read(name)));
    if (hasClock) {
      callers.start(() -> failsInTime(client::currentTimeMillis));
    }
    isNotWritten(client, name, version);
    callers.join();

    proxy.heal();
    worksAgain(client, name);
    worksAgain(fresh, name);
    recorder.check(false);
  }

  /** Keeps the connections, and nothing comes through until it all comes at once. */
  void stalls() throws Exception {
    String name = prefix + "stalled";
    RegisterStore writer = client();
    RegisterStore reader = client();
    worksAgain(reader, name);
    long version = worksAgain(writer, name);

    proxy.stall();
    TestThreads callers = new TestThreads();
    callers.start(() -> failsInTime(() -> reader.read(name)));
    isNotWritten(writer, name, version);
    callers.join();

    proxy.heal();
    long end = time.nanoTime() + LATE.toNanos();
    do {
      versionWhenItWorks(observer, name);
      time.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    } while (time.nanoTime() < end);
    worksAgain(reader, name);
    worksAgain(writer, name);
    recorder.check(false);
  }

  /** Writes a value of its own; empty if the client says that it was not applied. */
  private Optional<Outcome> write(RegisterStore client, String name, long version)
      throws Exception {
    String value = "v" + ++written;
    try {
      return Optional.of(inTime(() -> client.compareAndSet(name, version, value).outcome()));
    } catch (StoreException e) {
      return Optional.empty();
    }
  }

  private void isNotWritten(RegisterStore client, String name, long version) throws Exception {
    Optional<Outcome> outcome = write(client, name, version);
    assertTrue(
        outcome.isEmpty() || outcome.get() == Outcome.UNKNOWN,
        () -> "a write that never reached the server is " + outcome);
  }

  private void failsInTime(Callable<?> call) {
    assertThrows(StoreException.class, () -> inTime(call));
  }

  /** Makes the call in its own thread, because a client may never return. */
  private <T> T inTime(Callable<T> call) throws Exception {
    FutureTask<T> task = new FutureTask<>(call);
    Thread thread = new Thread(task, "outage-call");
    thread.setDaemon(true);
    thread.start();
    try {
      return task.get(maxNanos, TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw new AssertionError(
          "call: no answer after "
              + TimeUnit.NANOSECONDS.toMillis(maxNanos)
              + " ms (expected: one or a StoreException within callTimeout())",
          e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof StoreException refused) {
        throw refused;
      }
      throw new AssertionError(e.getCause());
    }
  }

  /** Reads and writes until a write is applied, and returns its version. */
  private long worksAgain(RegisterStore client, String name) throws Exception {
    long begin = time.nanoTime();
    while (true) {
      long version = versionWhenItWorks(client, name);
      Optional<Outcome> outcome = write(client, name, version);
      if (outcome.isPresent() && outcome.get() == Outcome.APPLIED) {
        return versionWhenItWorks(client, name);
      }
      failAfter(begin);
    }
  }

  private long versionWhenItWorks(RegisterStore client, String name) throws Exception {
    long begin = time.nanoTime();
    while (true) {
      try {
        return inTime(() -> client.read(name)).map(Register::version).orElse(0L);
      } catch (StoreException e) {
        failAfter(begin);
      }
    }
  }

  private void failAfter(long begin) {
    if (time.nanoTime() - begin > maxRecovery.toNanos()) {
      throw new AssertionError("the client does not work again within " + maxRecovery);
    }
    time.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
  }

  @Override
  public void close() {
    proxy.close();
  }
}
