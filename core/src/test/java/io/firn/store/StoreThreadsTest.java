package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StoreThreadsTest {

  private static final int MAX_THREADS = 16;

  private final StoreThreads threads = new StoreThreads("store-threads-test");
  private final CountDownLatch answer = new CountDownLatch(1);
  private final List<Thread> callers = new ArrayList<>();

  @AfterEach
  void endTheCallsThatHang() throws InterruptedException {
    answer.countDown();
    for (Thread caller : callers) {
      caller.join();
    }
  }

  @Test
  void anActionThatDidNotBeginInTimeIsForgotten() throws InterruptedException {
    hangAllThreads();

    WeakReference<Object> action = timeOut();

    assertThat(isCollected(action)).isTrue();
  }

  private void hangAllThreads() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(MAX_THREADS);
    for (int i = 0; i < MAX_THREADS; i++) {
      Thread caller = new Thread(() -> hang(begun));
      callers.add(caller);
      caller.start();
    }
    assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
  }

  private void hang(CountDownLatch begun) {
    try {
      var unused =
          threads.run(
              () -> {
                begun.countDown();
                answer.await();
                return "";
              },
              Duration.ofMinutes(1).toNanos(),
              late -> {});
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  private WeakReference<Object> timeOut() {
    Object held = new Object();
    Callable<String> action = held::toString;
    assertThatThrownBy(() -> threads.run(action, 1, late -> {}))
        .isInstanceOf(TimeoutException.class);
    return new WeakReference<>(held);
  }

  private static boolean isCollected(WeakReference<Object> reference) throws InterruptedException {
    for (int i = 0; i < 100 && reference.get() != null; i++) {
      System.gc();
      Thread.sleep(10);
    }
    return reference.get() == null;
  }
}
