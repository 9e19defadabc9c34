package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.ManualTimeSource;
import io.netty.channel.EventLoop;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the detection of blocked event loops. */
@Timeout(120)
final class EventLoopsTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final EventLoops loops = new EventLoops(1, time);

  @AfterEach
  void close() {
    loops.close();
  }

  @Test
  void reportsALoopThatHangs() throws Exception {
    CountDownLatch released = hang(loops.next(false));
    assertThat(loops.outage()).isEmpty();
    time.advance(Duration.ofSeconds(11));
    assertThat(loops.outage()).contains("Event loop 1 has not run for 11 s");
    released.countDown();
    while (loops.outage().isPresent()) {
      Thread.sleep(10);
    }
  }

  /** The loops for known addresses come after the others. */
  @Test
  void reportsALoopForKnownAddressesThatHangs() throws Exception {
    CountDownLatch released = hang(loops.next(true));
    time.advance(Duration.ofSeconds(11));
    Thread.sleep(2_000);
    while (loops.outage().orElse("").startsWith("Event loop 1 ")) { // it has not run since
      Thread.sleep(10);
    }
    assertThat(loops.outage()).contains("Event loop 2 has not run for 11 s");
    released.countDown();
  }

  /** Has a loop hang until the latch opens that is returned. */
  private static CountDownLatch hang(EventLoop loop) throws InterruptedException {
    CountDownLatch hanging = new CountDownLatch(1);
    CountDownLatch released = new CountDownLatch(1);
    loop.execute(
        () -> {
          hanging.countDown();
          awaitQuietly(released);
        });
    hanging.await();
    return released;
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
