package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.TestThreads;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that take long to make. */
@Timeout(60)
final class LongReportsTest {

  /** A request of 60 KB, or its result, would stay in memory, and its client can send another. */
  @Test
  void keepNothingOfAClientThatHasLeft() throws Exception {
    keepNothing((reports, request) -> reports.report(lengthOf(request)));
  }

  @Test
  void keepNothingOfTheirSourceOnceTheClientHasLeft() throws Exception {
    keepNothing(
        (reports, source) ->
            reports.report(CompletableFuture.completedFuture(source), bytes -> bytes.length));
  }

  @Test
  void failAsTheirSource() {
    try (RunningServer running = RunningServer.start("redis", RedisProtocol::new, "{}")) {
      Reports reports = running.server().service().reports();
      Throwable failure = new IllegalStateException("the source fails");
      assertThat(reports.report(CompletableFuture.failedFuture(failure), any -> "made"))
          .failsWithin(Duration.ZERO)
          .withThrowableThat()
          .withCause(failure);
    }
  }

  private static void keepNothing(BiFunction<Reports, byte[], CompletableFuture<Integer>> maker)
      throws Exception {
    try (RunningServer running = RunningServer.start("redis", RedisProtocol::new, "{}")) {
      Reports reports = running.server().service().reports();
      CountDownLatch busy = new CountDownLatch(1);
      for (int i = 0; i < 16; i++) {
        reports.report(
            () -> {
              TestThreads.await(busy);
              return true;
            });
      }
      byte[] request = new byte[60_000];
      CompletableFuture<Integer> answer = maker.apply(reports, request);
      List<WeakReference<?>> held =
          List.of(new WeakReference<>(request), new WeakReference<>(answer));
      request = null;
      System.gc();
      assertThat(held).as("while it is awaited").noneMatch(each -> each.refersTo(null));
      answer.cancel(false);
      answer = null;
      while (!held.stream().allMatch(each -> each.refersTo(null))) {
        System.gc();
        TimeUnit.MILLISECONDS.sleep(1); // ends at the timeout
      }
      busy.countDown();
      assertThat(reports.report(() -> "next").get()).isEqualTo("next");
    }
  }

  private static Supplier<Integer> lengthOf(byte[] request) {
    return () -> request.length;
  }
}
