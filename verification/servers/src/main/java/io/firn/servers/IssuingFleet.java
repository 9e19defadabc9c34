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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
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
  private final List<CompletableFuture<Void>> generators = new ArrayList<>();
  private final Set<String> stopped = ConcurrentHashMap.newKeySet();
  private final AtomicLong issued = new AtomicLong();
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
      IdHistory.Writer writer = history.newWriter();
      String name = "fleet-" + generators.size();
      generators.add(
          CompletableFuture.runAsync(
              () -> issue(name, writer), task -> new Thread(task, name).start()));
    }
  }

  private void issue(String name, IdHistory.Writer writer) {
    try (RegisterStore store = stores.get();
        Snowflake snowflake = leased(store)) {
      long[] ids = new long[BATCH];
      while (!ending) {
        try {
          snowflake.nextIds(ids, 0, BATCH);
          writer.add(ids, 0, BATCH);
          issued.addAndGet(BATCH);
          stopped.remove(name);
        } catch (FirnException e) {
          stopped.add(name);
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

  /** Goes on for so long. */
  public void run(Duration duration) {
    long begin = TIME.nanoTime();
    await("time to pass", () -> TIME.nanoTime() - begin > duration.toNanos());
  }

  /** Waits until so many IDs more are issued. */
  public void awaitIds(long more) {
    long until = issued.get() + more;
    await(more + " IDs", () -> issued.get() >= until);
  }

  /** Waits until no generator has a window any more. */
  public void awaitFences() {
    await("every generator at its fence", () -> stopped.size() == generators.size());
  }

  private void await(String what, BooleanSupplier condition) {
    long begin = TIME.nanoTime();
    while (!condition.getAsBoolean()) {
      generators.stream().filter(CompletableFuture::isDone).forEach(CompletableFuture::join);
      if (TIME.nanoTime() - begin > PATIENCE.toNanos()) {
        throw new AssertionError("fleet: after " + issued + " IDs (expected: " + what + ")");
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
    generators.forEach(CompletableFuture::join);
    return history.finish();
  }

  @Override
  public void close() {
    ending = true;
    try (history) {
      generators.forEach(CompletableFuture::join);
    }
  }
}
