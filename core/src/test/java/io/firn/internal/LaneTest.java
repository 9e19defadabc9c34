package io.firn.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.time.TimeSource;
import java.lang.ref.WeakReference;
import java.util.Collections;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

class LaneTest {

  private static final long NEVER = -1;

  private final Lane lane = new Lane(TimeSource.system(), Lane.daemons("lane-test"));

  private static void await(CountDownLatch latch) throws InterruptedException {
    assertThat(latch.await(120, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void taskThatThrowsAnErrorRunsAgain() throws Exception {
    CountDownLatch runs = new CountDownLatch(2);
    lane.task(
            () -> {
              runs.countDown();
              if (runs.getCount() > 0) {
                throw new OutOfMemoryError("simulated");
              }
              return NEVER;
            })
        .runWithin(0);
    await(runs);
  }

  @Test
  void threadThatCannotBeStartedIsStartedByTheNextRequest() throws Exception {
    AtomicInteger failures = new AtomicInteger(2);
    Lane starved =
        new Lane(
            TimeSource.system(),
            work -> {
              if (failures.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
              }
              return Lane.daemons("lane-test").newThread(work);
            });
    CountDownLatch runs = new CountDownLatch(2);
    Lane.Task first = starved.task(() -> ran(runs));
    Lane.Task second = starved.task(() -> ran(runs));
    first.runUnlessPlanned();
    first.runUnlessPlanned();
    assertThat(runs.getCount()).isEqualTo(2);

    second.runWithin(0);

    await(runs);
  }

  private static long ran(CountDownLatch runs) {
    runs.countDown();
    return NEVER;
  }

  @Test
  void interruptedThreadContinues() throws Exception {
    AtomicReference<Thread> runner = new AtomicReference<>();
    CountDownLatch once = new CountDownLatch(1);
    Lane.Task task =
        lane.task(
            () -> {
              runner.set(Thread.currentThread());
              return ran(once);
            });
    task.runWithin(0);
    await(once);
    CountDownLatch again = new CountDownLatch(1);
    Lane.Task other = lane.task(() -> ran(again));
    other.runWithin(TimeUnit.MILLISECONDS.toNanos(200));
    runner.get().interrupt(); // while it waits for that, and nobody asks for anything more
    await(again);
  }

  @Test
  void taskIsNeverRunByTwoThreadsAtOnceAndNoRequestIsLost() throws Exception {
    AtomicInteger running = new AtomicInteger();
    AtomicInteger most = new AtomicInteger();
    AtomicInteger runs = new AtomicInteger();
    Lane.Task task =
        lane.task(
            () -> {
              most.accumulateAndGet(running.incrementAndGet(), Math::max);
              TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(2));
              runs.incrementAndGet();
              running.decrementAndGet();
              return NEVER;
            });
    for (int i = 0; i < 50; i++) {
      int before = runs.get();
      task.runWithin(0);
      while (runs.get() == before) {
        Thread.onSpinWait();
      }
    }
    assertThat(most).hasValue(1);
    assertThat(runs.get()).isGreaterThanOrEqualTo(50);
  }

  @Test
  void runsUpToFourTasksAtOnce() throws Exception {
    CountDownLatch started = new CountDownLatch(Lane.MAX_THREADS);
    CountDownLatch go = new CountDownLatch(1);
    Set<Thread> threads = Collections.synchronizedSet(new HashSet<>());
    CountDownLatch all = new CountDownLatch(12);
    for (int i = 0; i < 12; i++) {
      lane.task(
              () -> {
                threads.add(Thread.currentThread());
                started.countDown();
                awaitQuietly(go);
                return ran(all);
              })
          .runWithin(0);
    }
    await(started);
    go.countDown();
    await(all);
    assertThat(threads).hasSize(Lane.MAX_THREADS).allMatch(Thread::isDaemon);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Test
  void threadsPinNoApplication() throws Exception {
    ClassLoader application = new ClassLoader(getClass().getClassLoader()) {};
    ThreadLocal<String> local = new InheritableThreadLocal<>();
    AtomicReference<String> seen = new AtomicReference<>();
    AtomicReference<ClassLoader> loader = new AtomicReference<>();
    CountDownLatch ran = new CountDownLatch(1);
    ClassLoader before = Thread.currentThread().getContextClassLoader();
    Thread.currentThread().setContextClassLoader(application);
    local.set("of the application");
    try {
      lane.task(
              () -> {
                seen.set(local.get());
                loader.set(Thread.currentThread().getContextClassLoader());
                return ran(ran);
              })
          .runWithin(0);
      await(ran);
    } finally {
      Thread.currentThread().setContextClassLoader(before);
    }
    assertThat(seen.get()).isNull();
    assertThat(loader.get()).isNotSameAs(application);
  }

  @Test
  void storesHaveALaneEachByIdentity() {
    Lanes lanes = Lanes.ofThreads("lane-test");
    String store = new String("store");
    assertThat(lanes.of(store))
        .isSameAs(lanes.of(store))
        .isNotSameAs(lanes.of(new String("store")));
  }

  @Test
  void laneOfAStoreThatIsGoneIsGoneToo() {
    Lanes lanes = Lanes.ofThreads("lane-test");
    WeakReference<Lane> lane = new WeakReference<>(lanes.of(new Object()));
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (lane.get() != null && time.nanoTime() - begin < TimeUnit.SECONDS.toNanos(60)) {
      System.gc();
      time.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      assertThat(lanes.of("another")).isNotNull();
    }
    assertThat(lane.get()).isNull();
  }

  @Test
  void nextDueTaskRunsWhileTheOnlyThreadHangs() throws Exception {
    AtomicReference<Thread> runner = new AtomicReference<>();
    CountDownLatch once = new CountDownLatch(1);
    lane.task(
            () -> {
              runner.set(Thread.currentThread());
              return ran(once);
            })
        .runWithin(0);
    await(once);
    while (runner.get().getState() != Thread.State.TIMED_WAITING) {
      Thread.onSpinWait(); // it waits for the next task: no second thread is started
    }
    CountDownLatch goOn = new CountDownLatch(1);
    CountDownLatch ran = new CountDownLatch(1);
    Lane.Task hangs =
        lane.task(
            () -> {
              awaitQuietly(goOn);
              return NEVER;
            });
    Lane.Task next = lane.task(() -> ran(ran));
    hangs.runWithin(TimeUnit.MILLISECONDS.toNanos(200));
    next.runWithin(TimeUnit.MILLISECONDS.toNanos(300));

    try {
      await(ran);
    } finally {
      goOn.countDown();
    }
  }

  @Test
  void errorBetweenTasksEndsNoTask() throws Exception {
    AtomicInteger errors = new AtomicInteger(2);
    Lane failing =
        new Lane(
            new TimeSource() {
              @Override
              public long currentTimeMillis() {
                return TimeSource.system().currentTimeMillis();
              }

              @Override
              public long nanoTime() {
                if (Thread.currentThread().getName().startsWith("lane-error")
                    && errors.getAndDecrement() > 0) {
                  throw new OutOfMemoryError("simulated");
                }
                return TimeSource.system().nanoTime();
              }

              @Override
              public void parkNanos(long nanos) {
                TimeSource.system().parkNanos(nanos);
              }

              @Override
              public long random(long bound) {
                return TimeSource.system().random(bound);
              }
            },
            Lane.daemons("lane-error"));
    CountDownLatch ran = new CountDownLatch(1);

    failing.task(() -> ran(ran)).runWithin(0);

    await(ran);
  }
}
