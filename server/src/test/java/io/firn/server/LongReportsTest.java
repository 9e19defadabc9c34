package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.redis.RedisProtocol;
import java.lang.ref.WeakReference;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Answers that take long to make. */
@Timeout(60)
final class LongReportsTest {

  /** A request of 60 KB would stay in memory, and its client can send another one. */
  @Test
  void keepNothingOfAClientThatHasLeft() throws Exception {
    try (RunningServer running = RunningServer.start("redis", RedisProtocol::new, "{}")) {
      Service service = running.server().service();
      CountDownLatch busy = new CountDownLatch(1);
      for (int i = 0; i < 16; i++) {
        service.report(() -> await(busy));
      }
      byte[] request = new byte[60_000];
      WeakReference<byte[]> held = new WeakReference<>(request);
      CompletableFuture<Integer> answer = service.report(lengthOf(request));
      request = null;
      System.gc();
      assertThat(held.get()).as("while it is awaited").isNotNull();
      answer.cancel(false);
      while (held.get() != null) {
        System.gc();
      }
      busy.countDown();
      assertThat(service.report(() -> "next").get()).isEqualTo("next");
    }
  }

  private static Supplier<Integer> lengthOf(byte[] request) {
    return () -> request.length;
  }

  private static boolean await(CountDownLatch latch) {
    try {
      latch.await();
      return true;
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
