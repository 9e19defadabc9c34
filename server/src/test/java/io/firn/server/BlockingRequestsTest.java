package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
final class BlockingRequestsTest {

  private final EventLoops loops = new EventLoops(1, TimeSource.system());
  private final CountDownLatch answer = new CountDownLatch(1);
  private BlockingRequests requests = requests(Duration.ofHours(1));

  private BlockingRequests requests(Duration maxWait) {
    return new BlockingRequests("the store", 2, "test", maxWait, loops.group());
  }

  @AfterEach
  void close() {
    answer.countDown();
    requests.close();
    loops.close();
  }

  private int answerLater() {
    try {
      answer.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    return 7;
  }

  @Test
  void waitForEachOther() {
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(requests.run(this::answerLater));
    }
    answer.countDown();
    assertThat(waiting).allSatisfy(each -> assertThat(each.join()).isEqualTo(7));
  }

  @Test
  void areRefusedTogetherWhenTheirTimeIsOver() {
    requests = requests(Duration.ofMillis(200));
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      waiting.add(requests.run(this::answerLater));
    }
    for (CompletableFuture<Integer> each : waiting) {
      assertThatExceptionOfType(CompletionException.class)
          .isThrownBy(each::join)
          .havingCause()
          .withMessageMatching(
              "No answer came from the store within 200 ms; \\d other requests wait for it");
    }
  }

  @Test
  void areRefusedAtOnceWhenTooManyWaitUnlessTheirClientsLeave() {
    List<CompletableFuture<Integer>> waiting = new ArrayList<>();
    for (int i = 0; i < 2 + BlockingRequests.MAX_WAITING; i++) {
      waiting.add(requests.run(this::answerLater));
    }
    assertThatThrownBy(() -> requests.run(this::answerLater))
        .isInstanceOfSatisfying(
            RequestException.class, refusal -> assertThat(refusal.retrySeconds()).hasValue(1))
        .hasMessage("1000 requests wait for the store, which is slow or down");
    waiting.subList(100, 200).forEach(each -> each.cancel(false));
    for (int i = 0; i < 100; i++) {
      waiting.set(100 + i, requests.run(this::answerLater));
    }
    answer.countDown();
    assertThat(waiting).allSatisfy(each -> assertThat(each.join()).isEqualTo(7));
  }

  @Test
  void failureOfARequestIsItsOwn() {
    CompletableFuture<Integer> failed =
        requests.run(
            () -> {
              throw new IllegalStateException("broken");
            });
    assertThatThrownBy(failed::join).hasRootCauseMessage("broken");
    answer.countDown();
    assertThat(requests.run(this::answerLater).join()).isEqualTo(7);
  }
}
