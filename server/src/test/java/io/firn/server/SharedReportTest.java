package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.testkit.TestThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(60)
final class SharedReportTest {

  private final Reports reports = new Reports("firn-test");

  /** Keeps all threads of the reports busy until it is counted down. */
  private CountDownLatch busy() {
    CountDownLatch done = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(2);
    for (int i = 0; i < 2; i++) {
      reports.report(
          () -> {
            begun.countDown();
            TestThreads.await(done);
            return true;
          });
    }
    TestThreads.await(begun);
    return done;
  }

  @Test
  void isMadeOnceForAllThatAskBeforeItBegins() {
    AtomicInteger made = new AtomicInteger();
    SharedReport report = new SharedReport(reports, () -> "" + made.incrementAndGet());
    assertThat(report.get().join()).isEqualTo("1"); // from now on its length is known
    CountDownLatch done = busy();
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      answers.add(report.get());
    }
    answers.remove(0).cancel(false);
    done.countDown();
    assertThat(answers).allSatisfy(answer -> assertThat(answer.join()).isEqualTo("2"));
    assertThat(report.get().join()).isEqualTo("3");
  }

  /** All who share an answer have it at once, and a loop needs time to encode and send it. */
  @ParameterizedTest
  @CsvSource({"1000000, 4, 4", "100000, 4, 2", "1000, 4, 1"})
  void isSharedByFewIfItIsLong(int length, int clients, int count) {
    AtomicInteger made = new AtomicInteger();
    SharedReport report =
        new SharedReport(reports, () -> made.incrementAndGet() + "x".repeat(length - 1));
    report.get().join();
    CountDownLatch done = busy();
    List<CompletableFuture<String>> answers = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      answers.add(report.get());
    }
    done.countDown();
    answers.forEach(CompletableFuture::join);
    assertThat(made.get()).isEqualTo(1 + count);
  }

  /** Clients can ask and leave faster than answers are made. */
  @Test
  void isNotMadeIfAllThatAskedHaveLeft() {
    for (int length : new int[] {1, 1_000_000}) {
      AtomicInteger made = new AtomicInteger();
      SharedReport report =
          new SharedReport(reports, () -> made.incrementAndGet() + "x".repeat(length));
      report.get().join();
      CountDownLatch done = busy();
      for (int i = 0; i < 1_000; i++) {
        CompletableFuture<String> left = report.get();
        CompletableFuture<String> overdue = report.get();
        left.cancel(false);
        overdue.completeExceptionally(new IllegalStateException("too late"));
      }
      done.countDown();
      assertThat(report.get().join()).as("length " + length).startsWith("2x");
    }
  }

  @Test
  void isMadeAgainForOneThatAsksAfterItBegan() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch done = new CountDownLatch(1);
    AtomicInteger made = new AtomicInteger();
    SharedReport report =
        new SharedReport(
            reports,
            () -> {
              int count = made.incrementAndGet();
              begun.countDown();
              TestThreads.await(done);
              return "" + count;
            });
    CompletableFuture<String> first = report.get();
    TestThreads.await(begun);
    CompletableFuture<String> second = report.get();
    done.countDown();
    assertThat(List.of(first.join(), second.join())).isEqualTo(List.of("1", "2"));
  }

  @Test
  void aFailureIsThatOfAllAndNotOfTheNext() {
    AtomicInteger made = new AtomicInteger();
    SharedReport report =
        new SharedReport(
            reports,
            () -> {
              if (made.incrementAndGet() == 1) {
                throw new IllegalStateException("first");
              }
              return "" + made.get();
            });
    assertThatExceptionOfType(CompletionException.class).isThrownBy(report.get()::join);
    assertThat(report.get().join()).isEqualTo("2");
  }
}
