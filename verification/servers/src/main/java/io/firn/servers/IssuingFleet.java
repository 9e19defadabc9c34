package io.firn.servers;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
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
 * Generators that lease from one store, each over a client of its own, and issue IDs all the time,
 * whatever becomes of the store. Every ID is kept, and looked for among all others at the end. For
 * one thread.
 */
public final class IssuingFleet implements AutoCloseable {

  /** Few workers and few numbers a millisecond: two windows that overlap issue the same IDs. */
  private static final IdLayout LAYOUT = IdLayout.of("41t+3w+6s@2026-01-01T00:00:00Z/1ms");

  /** All generators have one name, so all try the same worker first. */
  private static final String SAME = "fleet";

  private static final int MAX_GENERATORS = 8;
  private static final int BATCH = 50;
  private static final Duration PAUSE = Duration.ofMillis(2);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final TimeSource TIME = TimeSource.system();

  /** A logger that nobody keeps forgets its level. */
  private static final Logger LEASES = Logger.getLogger("io.firn.lease");

  static {
    LEASES.setLevel(Level.OFF); // trouble is what this is for
  }

  private final Supplier<RegisterStore> stores;
  private final Duration window;
  private final IdHistory history = new IdHistory(MAX_GENERATORS, 32L << 20);
  private final List<Generator> generators = new ArrayList<>();
  private volatile boolean ending;

  /**
   * A fleet without generators.
   *
   * @param stores opens a client
   * @param window of every lease
   */
  public IssuingFleet(Supplier<RegisterStore> stores, Duration window) {
    this.stores = stores;
    this.window = window;
  }

  /** Starts so many generators more, 8 in all at most. */
  public void start(int more) {
    for (int i = 0; i < more; i++) {
      generators.add(new Generator());
    }
  }

  /** Goes on for so long. */
  public void run(Duration duration) {
    long begin = TIME.nanoTime();
    await("time to pass", generator -> TIME.nanoTime() - begin > duration.toNanos());
  }

  /** Waits until every generator has issued IDs from now on. */
  public void awaitIds() {
    generators.forEach(Generator::mark);
    await("IDs of every generator", Generator::hasMore);
  }

  /** Waits until no generator has a window any more. */
  public void awaitFences() {
    await("every generator at its fence", generator -> generator.stopped);
  }

  private void await(String what, Predicate<Generator> condition) {
    long begin = TIME.nanoTime();
    while (!generators.stream().allMatch(condition)) {
      generators.stream().filter(Generator::isOver).forEach(Generator::join);
      if (TIME.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new AssertionError("fleet: " + generators + " (expected: " + what + ")");
      }
      TIME.parkNanos(PAUSE.toNanos());
    }
  }

  /**
   * Ends all generators.
   *
   * @return what they issued
   * @throws CompletionException if one failed with anything but an exception of Firn
   */
  public IdHistory.Report end() {
    ending = true;
    generators.forEach(Generator::join);
    return history.finish();
  }

  @Override
  public void close() {
    ending = true;
    try (history) {
      generators.forEach(Generator::join);
    }
  }

  /** A process of the fleet. */
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

    /** As a process that is started again as long as the store is not there. */
    private Snowflake leased(RegisterStore store) {
      long begin = TIME.nanoTime();
      while (true) {
        try {
          LeaseConfig lease =
              LeaseConfig.builder(store, "fleet")
                  .instance(SAME)
                  .window(window)
                  .acquireTimeout(PATIENCE)
                  .build();
          return Snowflake.builder().layout(LAYOUT).maxWait(PAUSE).lease(lease).build();
        } catch (StoreException e) {
          if (TIME.nanoTime() - begin > PATIENCE.toNanos()) {
            throw e;
          }
          TIME.parkNanos(PAUSE.toNanos());
        }
      }
    }

    void mark() {
      marked = issued;
    }

    /** Whether a batch was begun and ended since the mark. */
    boolean hasMore() {
      return issued > marked + BATCH;
    }

    boolean isOver() {
      return end.isDone();
    }

    /** Throws what the run has thrown. */
    void join() {
      end.join();
    }

    @Override
    public String toString() {
      return issued + (stopped ? " IDs, stopped" : " IDs");
    }
  }
}
