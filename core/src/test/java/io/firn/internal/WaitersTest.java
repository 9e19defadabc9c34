package io.firn.internal;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class WaitersTest {

  private final Waiters waiters = new Waiters();

  @Test
  void waitingThreadLooksTenTimesASecondUnlessItIsWoken() {
    AtomicInteger looks = new AtomicInteger();

    boolean held =
        waiters.await(
            () -> looks.incrementAndGet() < 0,
            new ManualTimeSource(Instant.EPOCH),
            TimeUnit.SECONDS.toNanos(10));

    assertThat(held).isFalse();
    assertThat(looks.get()).isBetween(100, 102);
  }

  /** Only what wakes the thread ends its park. */
  private static final class LongParks implements TimeSource {

    @Override
    public long currentTimeMillis() {
      return TimeSource.system().currentTimeMillis();
    }

    @Override
    public long nanoTime() {
      return TimeSource.system().nanoTime();
    }

    @Override
    public void parkNanos(long nanos) {
      LockSupport.parkNanos(TimeUnit.MINUTES.toNanos(5));
    }

    @Override
    public long random(long bound) {
      return 0;
    }
  }

  @Test
  void changeWakesTheWaitingThread() throws Exception {
    AtomicBoolean changed = new AtomicBoolean();
    AtomicBoolean held = new AtomicBoolean();
    Thread waiting =
        new Thread(
            () ->
                held.set(
                    waiters.await(changed::get, new LongParks(), TimeUnit.MINUTES.toNanos(10))));
    waiting.start();
    while (waiters.isEmpty()) {
      Thread.onSpinWait();
    }
    TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(50)); // it parks by then
    changed.set(true);
    waiters.wake();

    waiting.join(TimeUnit.MINUTES.toMillis(2));
    assertThat(held.get()).isTrue();
  }
}
