package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Limits;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

/** Tests of which connections are closed when all together hold too much. */
final class HeldBytesTest {

  private static final boolean WITH_TOKEN = true;
  private static final boolean WITHOUT_TOKEN = false;

  private final HeldBytes held = new HeldBytes(12_000);
  private final HeldClock time = new HeldClock();
  private final Limits limits = RunningServer.config("redis").limits();

  /** Returns the channel of a client that has sent so many bytes of a request. */
  private EmbeddedChannel holding(boolean authenticated, long bytes) {
    EmbeddedChannel channel = new EmbeddedChannel();
    Connection connection = LoneConnections.of(channel, limits, authenticated, held, time);
    channel.pipeline().addLast(connection);
    connection.turnEnded(bytes);
    return channel;
  }

  @Test
  void theBudgetItselfMayBeHeld() {
    EmbeddedChannel half = holding(WITH_TOKEN, 6_000);
    EmbeddedChannel otherHalf = holding(WITHOUT_TOKEN, 6_000);
    assertThat(half.isOpen()).isTrue();
    assertThat(otherHalf.isOpen()).isTrue();
  }

  /** The last bytes of a handshake are sent after what was held meanwhile is reported. */
  @Test
  void whatHasBeenSentIsNotHeld() {
    for (int i = 0; i < 2; i++) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection connection = LoneConnections.of(channel, limits, WITH_TOKEN, held, time);
      channel.pipeline().addLast(connection);
      channel.write(Unpooled.wrappedBuffer(new byte[4_000]));
      connection.holdEncrypted(0);
      channel.flush();
      connection.check(channel.pipeline().lastContext());
    }
    assertThat(holding(WITH_TOKEN, 5_000).isOpen()).isTrue();
  }

  @Test
  void theOneThatHoldsMostIsClosed() {
    EmbeddedChannel less = holding(WITHOUT_TOKEN, 5_000);
    EmbeddedChannel most = holding(WITHOUT_TOKEN, 6_000);
    EmbeddedChannel last = holding(WITHOUT_TOKEN, 5_500);
    assertThat(less.isOpen()).isTrue();
    assertThat(most.isOpen()).isFalse();
    assertThat(last.isOpen()).isTrue();
  }

  @Test
  void aClientWithoutATokenIsClosedBeforeOneThatHasPresentedItsToken() {
    EmbeddedChannel stranger = holding(WITHOUT_TOKEN, 4_001);
    EmbeddedChannel known = holding(WITH_TOKEN, 8_000);
    assertThat(stranger.isOpen()).isFalse();
    assertThat(known.isOpen()).isTrue();
  }
}
