package io.firn.testkit;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Clients that write the same few registers, all at once, with every call written down. */
final class Competition {

  private static final int REGISTERS = 4;

  /** One in this many attempts expects the version that the client knew before. */
  private static final int LOOKS = 8;

  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final TimeSource time = TimeSource.system();
  private final StoreRecorder recorder = new StoreRecorder();
  private final TestThreads threads = new TestThreads();
  private final List<Competitor> competitors = new ArrayList<>();
  private final String prefix;
  private volatile boolean stopped;

  Competition(List<RegisterStore> clients, String prefix) {
    this.prefix = prefix;
    for (int i = 0; i < clients.size(); i++) {
      competitors.add(new Competitor(i, recorder.recorded(clients.get(i))));
    }
  }

  /** Lets each client make that many attempts. */
  void run(int attempts) throws InterruptedException {
    for (Competitor competitor : competitors) {
      threads.start(() -> competitor.run(attempts));
    }
    threads.join();
  }

  /** Lets the clients try until {@link #stop}, also while the store is down. */
  void start() {
    for (Competitor competitor : competitors) {
      threads.start(competitor::runUntilStopped);
    }
  }

  void stop() throws InterruptedException {
    stopped = true;
    threads.join();
  }

  /** Waits until each client has written that many times from now on. */
  void awaitWrites(int each, Duration max) {
    long begin = time.nanoTime();
    for (Competitor competitor : competitors) {
      int enough = competitor.applied + each;
      while (competitor.applied < enough && !threads.hasFailed()) {
        if (time.nanoTime() - begin > max.toNanos()) {
          throw new AssertionError(
              competitor.client + " is not written by itself within " + max + " of being there");
        }
        time.parkNanos(PAUSE_NANOS);
      }
    }
  }

  /**
   * Reads every register with one more client, and judges everything.
   *
   * @param mayForget whether the store may have forgotten in the meantime
   */
  void check(RegisterStore last, boolean mayForget) {
    RegisterStore recorded = recorder.recorded(last);
    for (int i = 0; i < REGISTERS; i++) {
      recorded.read(prefix + i);
    }
    recorder.check(mayForget);
  }

  private final class Competitor {

    private final int number;
    private final RegisterStore client;
    private final long[] known = new long[REGISTERS];
    private volatile int applied;

    Competitor(int number, RegisterStore client) {
      this.number = number;
      this.client = client;
    }

    void run(int attempts) {
      for (int i = 0; i < attempts; i++) {
        attempt(i);
      }
    }

    void runUntilStopped() {
      for (int i = 0; !stopped; i++) {
        try {
          attempt(i);
        } catch (StoreException e) {
          time.parkNanos(PAUSE_NANOS); // the store is down
        }
      }
    }

    @SuppressWarnings("NonAtomicVolatileUpdate") // one thread writes
    private void attempt(int i) {
      int register = (number + i) % REGISTERS;
      String name = prefix + register;
      if (i % LOOKS != 0) {
        known[register] = client.read(name).map(Register::version).orElse(0L);
      }
      WriteResult result = client.compareAndSet(name, known[register], number + "." + i);
      if (result.outcome() == WriteResult.Outcome.APPLIED) {
        known[register] = result.version();
        applied++;
      }
    }
  }
}
