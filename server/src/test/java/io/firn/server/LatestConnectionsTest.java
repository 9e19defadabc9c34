package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.Traffic.Closing;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class LatestConnectionsTest {

  private final Traffic traffic = new Traffic();
  private final LatestConnections latest = new LatestConnections(2);
  private final List<EmbeddedChannel> channels = new ArrayList<>();

  private Connection add() {
    EmbeddedChannel channel = new EmbeddedChannel();
    Connection connection =
        new Connection(
            channel,
            false,
            RunningServer.config("redis").limits(),
            Optional.empty(),
            traffic,
            LoneConnections.held(Long.MAX_VALUE),
            new HeldClock());
    channel.pipeline().addLast(connection);
    channels.add(channel);
    latest.add(connection);
    return connection;
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
