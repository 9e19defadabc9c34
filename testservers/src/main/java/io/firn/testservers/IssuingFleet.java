package io.firn.testservers;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.IdHistory;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Generators that lease from one store, each over its own client, and issue IDs continuously while
 * the test breaks the store. The fleet records every ID and checks all of them at the end. For use
 * by one thread.
 */
public final class IssuingFleet implements AutoCloseable {

  /** Few workers and few IDs per millisecond: windows that overlap issue the same IDs. */
  private static final IdLayout LAYOUT = IdLayout.of("41t+3w+6s@2026-01-01T00:00:00Z/1ms");

  /** The name of all generators, so that all try the same worker first. */
  private static final String SAME = "fleet";

  private static final int MAX_GENERATORS = 8;
  private static final int BATCH = 50;
  private static final Duration PAUSE = Duration.ofMillis(2);

  /** All clocks are the clock of this machine. */
  private static final Duration MAX_CLOCK_SKEW = Duration.ofMillis(200);

  private static final Duration MAX_WAIT = Duration.ofMinutes(2);
  private static final TimeSource TIME = TimeSource.system();

  /** Referenced here, because a logger that is garbage collected loses its level. */
  private static final Logger LEASES = Logger.getLogger("io.firn.lease");

  static {
    LEASES.setLevel(Level.OFF); // outages are expected here
  }

  private final Supplier<RegisterStore> stores;
  private final Duration window;
  private final IdHistory history = new IdHistory(MAX_GENERATORS, 32L << 20);
  private final List<Generator> generators = new ArrayList<>();
  private volatile boolean ending;

  /**
   * Creates a fleet without generators.
   *
   * @param stores opens a client
   * @param window of every lease
   */
  public IssuingFleet(Supplier<RegisterStore> stores, Duration window) {
    this.stores = stores;
    this.window = window;
  }

  /** Starts more generators, at most 8 in total. */
  public void start(int more) {
    for (int i = 0; i < more; i++) {
      generators.add(new Generator());
    }
  }

  /** Lets time pass; every generator must issue IDs before and after it. */
  public void run(Duration duration) {
    awaitIds();
    long begin = TIME.nanoTime();
    await("time to pass", generator -> TIME.nanoTime() - begin > duration.toNanos());
    awaitIds();
  }

  /** Waits until every generator has issued new IDs. */
  public void awaitIds() {
    generators.forEach(Generator::mark);
    await("IDs of every generator", Generator::hasMore);
  }

  /** Waits until every generator has stopped at its fence. */
  public void awaitFences() {
    await("every generator at its fence", generator -> generator.stopped);
  }

  private void await(String what, Predicate<Generator> condition) {
    long begin = TIME.nanoTime();
    while (!generators.stream().allMatch(condition)) {
      generators.stream().filter(Generator::isOver).forEach(Generator::join);
      if (TIME.nanoTime() - begin > MAX_WAIT.toNanos()) {
        throw new AssertionError("fleet: " + generators + " (expected: " + what + ")");
      }
      TIME.parkNanos(PAUSE.toNanos());
    }
  }

  /**
   * Ends all generators and checks that no ID was issued twice and that the IDs of each generator
   * grew.
   *
   * @throws CompletionException if a generator failed with an exception that is not Firn's
   */
  public void endWithoutDuplicates() {
    ending = true;
    generators.forEach(Generator::join);
    IdHistory.Report report = history.finish();
    if (report.duplicates() > 0 || report.disorders() > 0) {
      throw new AssertionError("fleet: " + report + " (expected: each ID once, growing)");
    }
  }

  @Override
  public void close() {
    ending = true;
    try (history) {
      generators.forEach(Generator::join);
    }
  }

  /** A generator with its own client and thread. */
  private final class Generator {

    private final IdHistory.Writer writer = history.newWriter();
    private final CompletableFuture<Void> end =
        CompletableFuture.runAsync(this::run, task -> new Thread(task, "fleet").start());
    private volatile long issued;
    private volatile boolean stopped;
    private long marked;

    private void run() {
      try (RegisterStore store = stores.get();
          Snowflake snowflake = leased(store)) {
        long[] ids = new long[BATCH];
        long count = 0;
        while (!ending) {
          try {
            snowflake.nextIds(ids, 0, BATCH);
            writer.add(ids, 0, BATCH);
            count += BATCH;
            issued = count;
            stopped = false;
          } catch (FirnException e) {
            stopped = true;
          }
          TIME.parkNanos(PAUSE.toNanos());
        }
      }
    }

    /** Retries while the store is down, as a process that is restarted. */
    private Snowflake leased(RegisterStore store) {
      long begin = TIME.nanoTime();
      while (true) {
        try {
          LeaseConfig lease =
              LeaseConfig.builder(store, "fleet")
                  .instance(SAME)
                  .window(window)
                  .maxClockSkew(MAX_CLOCK_SKEW)
                  .maxSplit(Duration.ZERO)
                  .settleTime(window.plus(MAX_CLOCK_SKEW))
                  .acquireTimeout(MAX_WAIT)
                  .build();
          return Snowflake.builder().layout(LAYOUT).maxWait(PAUSE).lease(lease).build();
        } catch (StoreException e) {
          if (TIME.nanoTime() - begin > MAX_WAIT.toNanos()) {
            throw e;
          }
          TIME.parkNanos(PAUSE.toNanos());
        }
      }
    }

    void mark() {
      marked = issued;
    }

    /** Returns whether a whole batch was issued since the mark. */
    boolean hasMore() {
      return issued > marked + BATCH;
    }

    boolean isOver() {
      return end.isDone();
    }

    /** Waits for the end of the run and throws its failure. */
    void join() {
      end.join();
    }

    @Override
    public String toString() {
      return issued + (stopped ? " IDs, stopped" : " IDs");
    }
  }
}
