package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.Traffic.Closing;
import io.firn.server.config.Limits;
import io.firn.testkit.TestThreads;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class LatestConnectionsTest {

  private static final int ROUNDS = 10_000;

  private final Limits limits = RunningServer.config("redis").limits();
  private final HeldBytes held = LoneConnections.held(Long.MAX_VALUE);
  private final HeldClock time = new HeldClock();
  private final Traffic traffic = new Traffic();
  private final LatestConnections latest = new LatestConnections(2);
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  private Connection connection(EmbeddedChannel channel) {
    return new Connection(
        channel,
        false,
        limits,
        Optional.empty(),
        traffic,
        held,
        new KnownAddresses(),
        channel.eventLoop(),
        time);
  }

  private Connection add() {
    EmbeddedChannel channel = new EmbeddedChannel();
    Connection connection = connection(channel);
    channel.pipeline().addLast(connection);
    channels.add(channel);
    latest.add(connection);
    return connection;
  }

  /** The limits close connections from the threads of several loops. */
  @Test
  void aConnectionThatTwoThreadsCloseIsCountedOnce() throws Exception {
    List<Connection> all =
        Stream.generate(() -> connection(new EmbeddedChannel())).limit(ROUNDS).toList();
    AtomicInteger arrived = new AtomicInteger();
    TestThreads threads = new TestThreads();
    for (int i = 0; i < 2; i++) {
      threads.start(() -> countTogether(all, arrived));
    }
    threads.join();
    assertThat(traffic.closings(Traffic.Closing.ROOM)).isEqualTo(ROUNDS);
  }

  private static void countTogether(List<Connection> all, AtomicInteger arrived) {
    for (int i = 0; i < ROUNDS; i++) {
      arrived.incrementAndGet();
      while (arrived.get() < 2 * (i + 1)) {
        Thread.onSpinWait();
      }
      all.get(i).count(Traffic.Closing.ROOM);
    }
  }

  @Test
  void aNewOneTakesTheRoomOfTheOldest() {
    add();
    Connection second = add();
    assertThat(channels).allMatch(EmbeddedChannel::isOpen);
    add();
    assertThat(channels).extracting(EmbeddedChannel::isOpen).containsExactly(false, true, true);
    assertThat(traffic.closings(Closing.ROOM)).isEqualTo(1);
    latest.remove(second);
    add();
    assertThat(channels.get(2).isOpen()).isTrue();
    assertThat(traffic.closings(Closing.ROOM)).isEqualTo(1);
  }
}
