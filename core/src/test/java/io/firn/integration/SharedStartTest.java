package io.firn.integration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SharedStartTest {

  private final SharedStart<String> start = new SharedStart<>();
  private final CountDownLatch tried = new CountDownLatch(1);
  private final CountDownLatch end = new CountDownLatch(1);

  /** Fails as soon as the test allows it, or its thread is interrupted. */
  private String failing() {
    tried.countDown();
    try {
      end.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    throw new IllegalStateException("planted");
  }

  private Thread fails() throws InterruptedException {
    Thread first =
        new Thread(
            () ->
                assertThatThrownBy(() -> start.get(() -> null, this::failing))
                    .isInstanceOf(IllegalStateException.class));
    first.start();
    tried.await();
    return first;
  }

  private Thread second(AtomicReference<Object> result) {
    Thread second =
        new Thread(
            () -> {
              try {
                result.set(start.get(() -> null, () -> "started"));
              } catch (IllegalStateException e) {
                result.set(e);
              }
            });
    second.start();
    while (second.getState() != Thread.State.WAITING) {
      Thread.onSpinWait();
    }
    return second;
  }

  @Test
  void aCallerThatWaitsSharesTheFailureAndALaterOneTriesAgain() throws Exception {
    Thread first = fails();
    AtomicReference<Object> result = new AtomicReference<>();
    Thread second = second(result);
    end.countDown();
    first.join();
    second.join();
    assertThat(result.get()).isInstanceOf(IllegalStateException.class);
    assertThat(start.get(() -> null, () -> "started")).isEqualTo("started");
  }

  @Test
  void theFailureOfAnInterruptedThreadIsItsOwn() throws Exception {
    Thread first = fails();
    AtomicReference<Object> result = new AtomicReference<>();
    Thread second = second(result);
    first.interrupt();
    first.join();
    second.join();
    assertThat(result).hasValue("started");
  }

  @Test
  void whatWasStartedBeforeIsNotStartedAgain() {
    assertThat(start.get(() -> "before", this::failing)).isEqualTo("before");
  }

  @Test
  void nothingIsStartedWhileAnActionRuns() throws Exception {
    AtomicReference<Object> result = new AtomicReference<>();
    AtomicReference<Thread> waiting = new AtomicReference<>();
    start.exclude(
        () -> {
          waiting.set(second(result));
          assertThat(result).hasNullValue();
        });
    waiting.get().join();
    assertThat(result).hasValue("started");
  }
}
