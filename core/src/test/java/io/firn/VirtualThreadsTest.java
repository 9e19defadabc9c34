package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.store.InMemoryRegisterStore;
import io.firn.time.TimeSource;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/**
 * Many more threads than cores: virtual ones where the JDK has them, from 21 on. A wait that held a
 * carrier fast would keep the others from continuing.
 */
class VirtualThreadsTest {

  private static final int THREADS = 500;
  private static final int IDS_PER_THREAD = 20;
  private static final long JOIN_MILLIS = TimeUnit.SECONDS.toMillis(60);

  private static Thread start(Runnable task) {
    try {
      return (Thread)
          Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    } catch (NoSuchMethodException e) {
      Thread thread = new Thread(task);
      thread.start();
      return thread;
    } catch (ReflectiveOperationException e) {
      throw new LinkageError(e.getMessage(), e);
    }
  }

  private static void issueOnceEach(Supplier<?> ids) throws InterruptedException {
    Set<Object> issued = ConcurrentHashMap.newKeySet();
    Queue<Throwable> failures = new ConcurrentLinkedQueue<>();
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < THREADS; i++) {
      threads.add(start(() -> issue(ids, issued, failures)));
    }
    for (Thread thread : threads) {
      thread.join(JOIN_MILLIS);
      assertThat(thread.isAlive()).isFalse();
    }
    assertThat(failures).isEmpty();
    assertThat(issued).hasSize(THREADS * IDS_PER_THREAD);
  }

  private static void issue(Supplier<?> ids, Set<Object> issued, Queue<Throwable> failures) {
    try {
      for (int i = 0; i < IDS_PER_THREAD; i++) {
        issued.add(ids.get());
      }
    } catch (RuntimeException | Error e) {
      failures.add(e);
    }
  }

  /** 32 a millisecond: most of the threads have to wait for the clock. */
  @Test
  void waitForTheClockWithoutHoldingTheOthersUp() throws InterruptedException {
    IdLayout layout = IdLayout.of("41t+10w+5s@2026-01-01T00:00:00Z/1ms");
    try (Snowflake ids = Snowflake.builder().layout(layout).worker(1).build()) {
      issueOnceEach(ids::nextId);
      assertThat(ids.stats().waits()).isPositive();
    }
  }

  @Test
  void shareACoarseClock() throws InterruptedException {
    issueOnceEach(Snowflake.builder().worker(1).timeSource(TimeSource.coarse()).build()::nextId);
  }

  /** A segment is used up a hundred times. */
  @Test
  void waitForTheNextSegmentWithoutHoldingTheOthersUp() throws InterruptedException {
    try (SegmentGenerator ids =
        SegmentGenerator.builder(RegisterSegments.of(new InMemoryRegisterStore()), "orders")
            .step(100)
            .build()) {
      issueOnceEach(ids::nextId);
    }
  }

  @Test
  void issueWideIds() throws InterruptedException {
    issueOnceEach(Uuids.v4()::nextId);
    issueOnceEach(Uuids.v7()::nextId);
    issueOnceEach(Ulid.generator()::nextId);
  }
}
