package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.testkit.IdHistory;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Generators with short windows that lease from one Redis, each over a client of its own, and issue
 * IDs all the time. Every ID is kept, and checked at the end.
 */
final class IssuingFleet implements AutoCloseable {

  /** Eight workers: generators that are forgotten meet. */
  private static final IdLayout LAYOUT = IdLayout.of("41t+3w+19s@2026-01-01T00:00:00Z/1ms");

  private static final int MAX_GENERATORS = 8;
  private static final TimeSource TIME = TimeSource.system();

  private final Duration window;
  private final Supplier<RegisterStore> store;
  private final IdHistory history = new IdHistory(MAX_GENERATORS, 32L << 20);
  private final List<Member> members = new ArrayList<>();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private volatile boolean ending;

  IssuingFleet(Duration window, Supplier<RegisterStore> store) {
    this.window = window;
    this.store = store;
  }

  /** Adds so many generators, 8 in all at most, that try the same workers first each time. */
  void start(int generators) {
    for (int i = 0; i < generators; i++) {
      Member member = new Member("host-" + i, history.newWriter());
      members.add(member);
      member.thread.start();
    }
  }

  /** Waits until every generator has issued IDs for so long. */
  void run(Duration time) {
    awaitEach();
    long end = TIME.nanoTime() + time.toNanos();
    Admin.await("the end of " + time, () -> TIME.nanoTime() > end);
    awaitEach();
  }

  private void awaitEach() {
    List<Long> before = members.stream().map(member -> member.batches.get()).toList();
    for (int i = 0; i < members.size(); i++) {
      Member member = members.get(i);
      long seen = before.get(i);
      Admin.await(member.instance, () -> member.batches.get() > seen || failure.get() != null);
    }
  }

  /** Ends all generators, and checks what they issued. */
  void assertNoneTwice() {
    join();
    assertThat(failure.get()).isNull();
    IdHistory.Report report = history.finish();
    assertThat(report.duplicates()).as(report::toString).isZero();
    assertThat(report.disorders()).as(report::toString).isZero();
  }

  private void join() {
    ending = true;
    for (Member member : members) {
      Admin.await("the end of " + member.instance, () -> !member.thread.isAlive());
    }
  }

  @Override
  public void close() {
    join();
    history.close();
  }

  private final class Member {

    private static final int BATCH = 50;

    private final String instance;
    private final IdHistory.Writer writer;
    private final Thread thread;
    private final AtomicLong batches = new AtomicLong();

    Member(String instance, IdHistory.Writer writer) {
      this.instance = instance;
      this.writer = writer;
      thread = new Thread(this::issue, instance);
    }

    private void issue() {
      try (RegisterStore client = store.get();
          Snowflake snowflake = startUntilItWorks(client)) {
        while (!ending && snowflake != null) {
          issueBatch(snowflake);
          TIME.parkNanos(Duration.ofMillis(2).toNanos());
        }
      } catch (RuntimeException | AssertionError e) {
        failure.set(e);
      }
    }

    private void issueBatch(Snowflake snowflake) {
      long[] ids = new long[BATCH];
      try {
        snowflake.nextIds(ids, 0, BATCH);
      } catch (FirnException e) {
        return; // none now, it says
      }
      writer.add(ids, 0, BATCH);
      batches.incrementAndGet();
    }

    /** As a process that is started again whenever it ends; null if the fleet ended before. */
    private @Nullable Snowflake startUntilItWorks(RegisterStore client) {
      while (!ending) {
        try {
          return start(client);
        } catch (StoreException e) {
          TIME.parkNanos(Duration.ofMillis(50).toNanos());
        }
      }
      return null;
    }

    private Snowflake start(RegisterStore client) {
      LeaseConfig lease =
          LeaseConfig.builder(client, "orders")
              .instance(instance)
              .window(window)
              .maxClockSkew(Duration.ofMillis(200))
              .acquireTimeout(Duration.ofSeconds(20))
              .build();
      return Snowflake.builder()
          .layout(LAYOUT)
          .sequenceStart(SequenceStart.ZERO) // two in one tick begin with the same number
          .maxWait(Duration.ofMillis(100))
          .lease(lease)
          .build();
    }
  }
}
