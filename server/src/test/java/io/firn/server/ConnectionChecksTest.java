package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.redis.RedisProtocol;
import io.netty.channel.EventLoop;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests of the limits of time while other clients are served. */
@Timeout(120)
final class ConnectionChecksTest {

  /** A turn of a millisecond that has another one behind it. */
  private static void wait(EventLoop loop, Object client) {
    LaterTurns.of(LaterTurns.Kind.PIPELINE, true)
        .add(
            loop,
            System::nanoTime,
            client,
            () -> {
              long begin = System.nanoTime();
              while (System.nanoTime() - begin < TimeUnit.MILLISECONDS.toNanos(1)) {
                Thread.onSpinWait();
              }
              if (!loop.isShuttingDown()) {
                wait(loop, client);
              }
            });
  }

  /** The checks are not one client among thousands: they would take minutes. */
  @Test
  void slowConnectionsAreClosedWhileThousandsOfClientsWaitForTheirTurns() throws Exception {
    try (RunningServer running =
        RunningServer.start("redis", RedisProtocol::new, "limits: {request-time: 1s}")) {
      List<RawClient> slow = new ArrayList<>();
      List<RawClient> idle = new ArrayList<>();
      for (int i = 0; i < 600; i++) {
        RawClient client = new RawClient(running.address());
        (i % 6 == 0 ? slow : idle).add(client);
      }
      slow.forEach(client -> client.send("*2\r\n"));
      for (EventExecutor executor : running.server().service().loops().group()) {
        EventLoop loop = (EventLoop) executor;
        loop.execute(
            () -> {
              for (int i = 0; i < 20_000; i++) {
                wait(loop, i);
              }
            });
      }
      long begin = System.nanoTime();
      for (RawClient client : slow) {
        assertThat(client.rest()).isEmpty();
        client.close();
      }
      idle.forEach(RawClient::close);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(15));
    }
  }
}
