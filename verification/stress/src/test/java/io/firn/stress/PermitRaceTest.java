package io.firn.stress;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.firn.GeneratorClosedException;
import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseExpiredException;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.Sizes;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Windows of other workers are permitted while threads draw. */
class PermitRaceTest {

  /** One sequence bit: every second ID is the first of a tick, where a window may be cut off. */
  private static final IdLayout LAYOUT = IdLayout.of("41t+10w+1s@2026-01-01T00:00:00Z/1ms");

  private static final int TIME_SHIFT = LAYOUT.field(Kind.TIME).orElseThrow().shift();
  private static final long WORKER_MASK =
      (LAYOUT.workers() - 1) << LAYOUT.field(Kind.WORKER).orElseThrow().shift();
  private static final long START_MILLIS = LAYOUT.epoch().toEpochMilli() + 1_000_000;
  private static final long FAR_MILLIS = START_MILLIS + 1_000_000_000_000L;
  private static final int IDS = 400_000;

  private final FastClock clock = new FastClock();
  private final InterposedStore store = new InterposedStore(new InMemoryRegisterStore());

  /** A tick with two workers would have IDs that are smaller than those before them. */
  @Test
  void noTickHasTwoWorkersAndIdsGrow() {
    int changes = 0;
    for (int round = 0; round < Sizes.deep(10, 30); round++) {
      Snowflake generator =
          Snowflake.builder()
              .layout(LAYOUT)
              .lease(
                  LeaseConfig.builder(store, "race").keeper(InterposedStore.keeper(clock)).build())
              .timeSource(clock)
              .build();
      List<CompletableFuture<long[]>> drawers = new ArrayList<>();
      for (int i = 0; i <= round % 2; i++) {
        drawers.add(CompletableFuture.supplyAsync(() -> draw(generator), PermitRaceTest::start));
      }
      permitUntil(CompletableFuture.allOf(drawers.toArray(CompletableFuture[]::new)));
      changes += check(drawers.stream().map(CompletableFuture::join).toList());
      generator.close();
    }
    assertThat(changes).as("windows that IDs were drawn in").isPositive();
  }

  /** Without a sequence, the tick of a closed word is behind the clock's: it must not go on. */
  @Test
  void nothingIsDrawnPastTheTickThatAClosedGeneratorReports() {
    IdLayout noSequence = IdLayout.of("41t+10w@2026-01-01T00:00:00Z/1ms");
    for (int round = 0; round < Sizes.deep(200, 10_000); round++) {
      Snowflake generator =
          Snowflake.builder()
              .layout(noSequence)
              .lease(
                  LeaseConfig.builder(store, "close").keeper(InterposedStore.keeper(clock)).build())
              .timeSource(clock)
              .build();
      store.permit(generator.leaseStatus().orElseThrow().worker(), START_MILLIS, FAR_MILLIS, 0);
      AtomicLong last = new AtomicLong();
      CompletableFuture<Void> drawer =
          CompletableFuture.runAsync(() -> drawUntilClosed(generator, last), PermitRaceTest::start);
      while (last.get() == 0) {
        Thread.onSpinWait();
      }

      Instant end = Instant.ofEpochMilli(store.closeGenerator());

      drawer.join();
      assertThat(noSequence.parse(last.get()).instant()).isBefore(end);
      generator.close();
    }
  }

  private static void drawUntilClosed(Snowflake generator, AtomicLong last) {
    try {
      while (true) {
        last.set(generator.nextId());
      }
    } catch (GeneratorClosedException closed) {
      Thread.onSpinWait();
    }
  }

  private static void start(Runnable task) {
    Thread thread = new Thread(task, "drawer");
    thread.setDaemon(true);
    thread.start();
  }

  private static long[] draw(Snowflake generator) {
    long[] ids = new long[IDS];
    for (int i = 0; i < IDS; ) {
      try {
        ids[i] = generator.nextId();
        i++;
      } catch (LeaseExpiredException cut) {
        Thread.onSpinWait(); // until the next window is permitted
      }
    }
    return ids;
  }

  /** Permits a window of another worker, and then more of the same window. */
  private void permitUntil(CompletableFuture<?> drawn) {
    for (long i = 0; !drawn.isDone(); i++) {
      long worker = i % LAYOUT.workers();
      store.permit(worker, START_MILLIS, FAR_MILLIS + i, 0);
      store.permit(worker, START_MILLIS, FAR_MILLIS + i + 1, 0);
    }
  }

  /** Checks the IDs, and returns how often the worker changed. */
  private static int check(List<long[]> drawn) {
    for (long[] ids : drawn) {
      for (int i = 1; i < ids.length; i++) {
        if (ids[i] <= ids[i - 1]) {
          fail("%s was issued before %s", LAYOUT.parse(ids[i - 1]), LAYOUT.parse(ids[i]));
        }
      }
    }
    int changes = 0;
    long[] all = drawn.stream().flatMapToLong(Arrays::stream).sorted().toArray();
    for (int i = 1; i < all.length; i++) {
      long before = all[i - 1];
      if (all[i] == before) {
        fail("%s was issued twice", LAYOUT.parse(before));
      }
      boolean sameTick = (all[i] ^ before) >>> TIME_SHIFT == 0;
      boolean sameWorker = ((all[i] ^ before) & WORKER_MASK) == 0;
      if (sameTick && !sameWorker) {
        fail("one tick has %s and %s", LAYOUT.parse(before), LAYOUT.parse(all[i]));
      }
      changes += sameWorker ? 0 : 1;
    }
    return changes;
  }

  /** A clock that moves on by a millisecond in two readings, and when a thread parks. */
  private static final class FastClock implements TimeSource {

    private static final int READINGS_PER_MILLI = 2;

    private final AtomicLong readings = new AtomicLong();

    @Override
    public long currentTimeMillis() {
      return START_MILLIS + readings.incrementAndGet() / READINGS_PER_MILLI;
    }

    @Override
    public long nanoTime() {
      return readings.get() * 1_000_000 / READINGS_PER_MILLI;
    }

    @Override
    public void parkNanos(long nanos) {
      readings.addAndGet(READINGS_PER_MILLI);
    }

    @Override
    public long random(long bound) {
      return 0;
    }
  }
}
