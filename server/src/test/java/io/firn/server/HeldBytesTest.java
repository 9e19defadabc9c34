package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Limits;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of which connections are closed when all together hold too much. */
final class HeldBytesTest {

  private static final boolean WITH_TOKEN = true;
  private static final boolean WITHOUT_TOKEN = false;

  private final HeldBytes held = LoneConnections.held(12_000);
  private final HeldClock time = new HeldClock();
  private final Limits limits = RunningServer.config("redis").limits();

  /** Returns the channel of a client that has sent so many bytes of a request. */
  private EmbeddedChannel holding(boolean authenticated, long bytes) {
    return holding(authenticated, bytes, "127.0.0.1");
  }

  /** As above, from that host. */
  private EmbeddedChannel holding(boolean authenticated, long bytes, String host) {
    return holding(held, authenticated, bytes, host);
  }

  /** As above, of that budget. */
  private EmbeddedChannel holding(HeldBytes of, boolean authenticated, long bytes, String host) {
    EmbeddedChannel channel =
        new EmbeddedChannel() {
          @Override
          protected SocketAddress remoteAddress0() {
            return isActive() ? new InetSocketAddress(host, 1) : null;
          }
        };
    Connection connection = LoneConnections.of(channel, limits, authenticated, of, time);
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

  /** It is chosen by what it holds now, and not by what it held in between. */
  @Test
  void theOneThatHeldMostBeforeStaysOpen() {
    EmbeddedChannel changing = holding(WITHOUT_TOKEN, 9_000);
    changing.pipeline().get(Connection.class).turnEnded(1_000);
    EmbeddedChannel most = holding(WITHOUT_TOKEN, 8_000);
    EmbeddedChannel last = holding(WITHOUT_TOKEN, 4_000);
    assertThat(changing.isOpen()).isTrue();
    assertThat(most.isOpen()).isFalse();
    assertThat(last.isOpen()).isTrue();
  }

  /**
   * An attacker with many connections holds little with each, and has as many of IPv6 as it likes.
   */
  @ParameterizedTest
  @CsvSource({
    "127.0.0.1, 127.0.0.2, 127.0.0.2, 127.0.0.3, 127.0.0.4",
    "2001:db8:0:1::1, 2001:db8:0:2::1, 2001:db8:0:2:8000::2, 2001:db8:0:3::1, 2001:db8:0:4::1"
  })
  void theAddressThatHoldsMostLosesConnections(
      String first, String ofMany, String alsoOfMany, String third, String fourth) {
    EmbeddedChannel one = holding(WITHOUT_TOKEN, 5_000, first);
    EmbeddedChannel firstOfMany = holding(WITHOUT_TOKEN, 3_000, ofMany);
    EmbeddedChannel secondOfMany = holding(WITHOUT_TOKEN, 3_500, alsoOfMany);
    EmbeddedChannel another = holding(WITHOUT_TOKEN, 2_000, third);
    assertThat(one.isOpen()).isTrue();
    assertThat(firstOfMany.isOpen()).isTrue();
    assertThat(secondOfMany.isOpen()).isFalse();
    assertThat(another.isOpen()).isTrue();
    firstOfMany.close();
    EmbeddedChannel last = holding(WITHOUT_TOKEN, 6_000, fourth);
    assertThat(one.isOpen()).isTrue();
    assertThat(another.isOpen()).isTrue();
    assertThat(last.isOpen()).isFalse();
  }

  /** Has many addresses hold 1 KiB each. */
  private List<EmbeddedChannel> holdingLittle(HeldBytes of, int count) {
    List<EmbeddedChannel> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String host = "127.0." + (1 + i / 256) + "." + i % 256;
      all.add(holding(of, WITHOUT_TOKEN, 1_024, host));
    }
    return all;
  }

  /** Each address of an attacker can hold less than a client that sends a long request. */
  @Test
  void theOneThatHasDoneNothingForLongestIsClosedBeforeALargerOne() {
    HeldBytes large = LoneConnections.held(1_000_000);
    List<EmbeddedChannel> little = holdingLittle(large, 962);
    time.advance(Duration.ofMillis(201));
    little.get(0).pipeline().get(Connection.class).turnEnded(1_024 + 64); // a sixteenth
    little.get(1).pipeline().get(Connection.class).turnEnded(1_024); // nothing new
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, 15_000, "127.0.0.1");
    assertThat(last.isOpen()).isTrue();
    assertThat(little.get(0).isOpen()).isTrue();
    assertThat(little.get(1).isOpen()).isFalse();
    assertThat(little.get(2).isOpen()).isTrue();
  }

  /** A byte now and then is no progress; many small parts are. */
  @ParameterizedTest
  @CsvSource({"1, false", "16, true"})
  void theOneThatMakesNoProgressIsClosedBeforeALargerOne(int step, boolean open) {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel slow = holding(large, WITHOUT_TOKEN, 1_024, "127.0.0.2");
    for (int i = 1; i <= 4; i++) {
      time.advance(Duration.ofMillis(101));
      slow.pipeline().get(Connection.class).turnEnded(1_024 + i * step);
    }
    holdingLittle(large, 961);
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, 15_000, "127.0.0.1");
    assertThat(slow.isOpen()).isEqualTo(open);
    assertThat(last.isOpen()).isEqualTo(!open);
  }

  @Test
  void theOneThatWaitsForItsTurnIsNotClosedForDoingNothing() {
    HeldBytes large = LoneConnections.held(1_000_000);
    List<EmbeddedChannel> little = holdingLittle(large, 962);
    little.get(0).pipeline().get(Connection.class).waitsForTurn(true);
    time.advance(Duration.ofMillis(201));
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, 15_000, "127.0.0.1");
    assertThat(last.isOpen()).isTrue();
    assertThat(little.get(0).isOpen()).isTrue();
    assertThat(little.get(1).isOpen()).isFalse();
  }

  @Test
  void theLargestIsClosedWhenAllThatDoNothingWaitForTheirTurns() {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel largest = holding(large, WITHOUT_TOKEN, 15_000, "127.0.0.1");
    largest.pipeline().get(Connection.class).waitsForTurn(true);
    time.advance(Duration.ofMillis(201));
    List<EmbeddedChannel> little = holdingLittle(large, 962);
    assertThat(largest.isOpen()).isFalse();
    assertThat(little).allMatch(EmbeddedChannel::isOpen);
  }

  /** A client that is slow is not closed for an attacker that has one address. */
  @Test
  void theAddressThatHoldsMuchLosesItsOwn() {
    HeldBytes large = LoneConnections.held(1_000_000);
    List<EmbeddedChannel> little = holdingLittle(large, 800);
    time.advance(Duration.ofMillis(201));
    List<EmbeddedChannel> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add(holding(large, WITHOUT_TOKEN, 10_000, "127.0.0.1"));
    }
    assertThat(little).allMatch(EmbeddedChannel::isOpen);
    assertThat(many).anyMatch(channel -> !channel.isOpen());
  }

  /** It is no part of what the others hold too much. */
  @Test
  void aClientThatPausesInAShortRequestIsNotClosedForLargerOnes() {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel paused = holding(large, WITHOUT_TOKEN, 3_000, "127.0.0.1");
    time.advance(Duration.ofMillis(201));
    List<EmbeddedChannel> many = new ArrayList<>();
    for (int i = 0; i < 70; i++) {
      many.add(holding(large, WITHOUT_TOKEN, 15_000, "127.0.1." + i));
    }
    assertThat(paused.isOpen()).isTrue();
    assertThat(many).anyMatch(channel -> !channel.isOpen());
  }

  /** It frees too little. */
  @Test
  void theOneThatHoldsLittleIsNotClosedForDoingNothing() {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel small = holding(large, WITHOUT_TOKEN, 1_023, "127.0.0.2");
    time.advance(Duration.ofMillis(201));
    List<EmbeddedChannel> little = holdingLittle(large, 976);
    assertThat(small.isOpen()).isTrue();
    assertThat(little).anyMatch(channel -> !channel.isOpen());
  }

  @Test
  void aClientWithoutATokenIsClosedBeforeOneThatHasPresentedItsToken() {
    EmbeddedChannel stranger = holding(WITHOUT_TOKEN, 4_001);
    EmbeddedChannel known = holding(WITH_TOKEN, 8_000);
    assertThat(stranger.isOpen()).isFalse();
    assertThat(known.isOpen()).isTrue();
  }
}
