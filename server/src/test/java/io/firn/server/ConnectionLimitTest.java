package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Limits;
import io.netty.channel.DefaultChannelId;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests of which connections are closed at the limit, and of the cost of choosing them. */
final class ConnectionLimitTest {

  private static final int CONNECTIONS = 1_000;

  private final HeldClock time = new HeldClock();
  private final Limits limits = RunningServer.config("redis").limits();
  private final ConnectionLimit limit = new ConnectionLimit(1, "the limit of a test");
  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Connection first = connection(channel);
  private final KnownAddresses known = new KnownAddresses();
  private final Caller caller = LoneConnections.caller(time);

  private Connection connection(EmbeddedChannel of) {
    Connection connection =
        LoneConnections.of(of, limits, true, LoneConnections.held(Long.MAX_VALUE), time);
    of.pipeline().addLast(connection);
    return connection;
  }

  @Test
  void aWaitingConnectionIsClosedForANewOne() {
    assertThat(limit.add(first)).isTrue();
    time.advance(Duration.ofSeconds(5));
    first.check();
    assertThat(limit.add(connection(new EmbeddedChannel()))).isTrue();
    assertThat(channel.isOpen()).isFalse();
  }

  /** Requests that wait for room would keep new clients out. */
  @ParameterizedTest
  @CsvSource({"1000, false", "1001, true"})
  void aConnectionWithALongRequestIsClosedForANewOneWhenItWaitsForItsTurn(
      int millis, boolean room) {
    assertThat(limits.requestTime()).isEqualTo(Duration.ofSeconds(10));
    assertThat(limit.add(first)).isTrue();
    first.enter(Connection.Phase.READING);
    first.waitsForServer(true);
    time.advance(Duration.ofMillis(millis));
    first.check();
    assertThat(limit.add(connection(new EmbeddedChannel()))).isEqualTo(room);
  }

  /** It had no request at the last check, and has one now. */
  @Test
  void aConnectionWhoseAnswerIsAwaitedIsNotClosedForANewOne() {
    assertThat(limit.add(first)).isTrue();
    time.advance(Duration.ofSeconds(5));
    first.check();
    first.enter(Connection.Phase.ANSWERING);
    assertThat(limit.add(connection(new EmbeddedChannel()))).isFalse();
    assertThat(channel.isOpen()).isTrue();
  }

  @Test
  void aConnectionWhoseTokenWasRemovedIsClosedFirst() {
    ConnectionLimit two = new ConnectionLimit(2, "the limit of a test");
    assertThat(two.add(first)).isTrue();
    EmbeddedChannel of = new EmbeddedChannel();
    Connection revoked =
        LoneConnections.of(of, limits, false, LoneConnections.held(Long.MAX_VALUE), time);
    of.pipeline().addLast(revoked);
    Caller caller = LoneConnections.caller(time);
    revoked.authenticate(caller);
    assertThat(two.add(revoked)).isTrue();
    time.advance(Duration.ofSeconds(5));
    first.check();
    caller.revoke();
    assertThat(two.add(connection(new EmbeddedChannel()))).isTrue();
    assertThat(of.isOpen()).isFalse();
    assertThat(channel.isOpen()).isTrue();
  }

  private Connection addFrom(String host, ConnectionLimit to) {
    EmbeddedChannel of = LoneConnections.channelFrom(host);
    Connection connection =
        LoneConnections.of(
            of, limits, Optional.empty(), LoneConnections.held(Long.MAX_VALUE), known, time);
    of.pipeline().addLast(connection);
    assertThat(to.add(connection)).isTrue();
    time.advance(Duration.ofMillis(1));
    return connection;
  }

  /** A client with a pool opens one more connection while strangers have one each. */
  @Test
  void aConnectionOfAClientWithOthersThatHaveATokenIsNotClosedBeforeThoseOfStrangers() {
    ConnectionLimit four = new ConnectionLimit(4, "the limit of a test");
    Connection stranger = addFrom("10.0.0.2", four);
    for (int i = 0; i < 2; i++) {
      addFrom("10.0.0.1", four).authenticate(LoneConnections.caller(time));
    }
    Connection next = addFrom("10.0.0.1", four);
    addFrom("10.0.0.3", four);
    assertThat(next.isEnded()).isFalse();
    assertThat(stranger.isEnded()).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"1, true", "16, true", "17, false"})
  void connectionsOfAKnownAddressAreClosedAfterThoseOfStrangersUnlessThereAreMany(
      int ofKnown, boolean strangerFirst) {
    known.add(ClientAddress.network(LoneConnections.channelFrom("10.0.0.1")), caller);
    ConnectionLimit full = new ConnectionLimit(ofKnown + 1, "the limit of a test");
    Connection oldest = addFrom("10.0.0.1", full);
    for (int i = 1; i < ofKnown; i++) {
      addFrom("10.0.0.1", full);
    }
    Connection stranger = addFrom("10.0.0.2", full);
    addFrom("10.0.0.3", full);
    assertThat(stranger.isEnded()).isEqualTo(strangerFirst);
    assertThat(oldest.isEnded()).isNotEqualTo(strangerFirst);
  }

  @Test
  void noMoreConnectionsAreAddedThanLoopsClose() {
    assertThat(limit.add(first)).isTrue();
    time.advance(Duration.ofSeconds(5));
    first.check();
    for (int i = 0; i < ConnectionLimit.MAX_CLOSING; i++) {
      EmbeddedChannel channel = new EmbeddedChannel();
      Connection next = connection(channel);
      assertThat(limit.add(next)).isTrue();
      time.advance(Duration.ofSeconds(5));
      next.check();
    }
    assertThat(limit.add(connection(new EmbeddedChannel()))).isFalse();
    limit.remove(first);
    assertThat(limit.add(connection(new EmbeddedChannel()))).isTrue();
  }

  /** The search looks at all connections; thousands of rejected clients must not repeat it. */
  @Test
  void theSearchForOneToCloseIsNotRepeatedBeforeTheNextCheck() {
    assertThat(limit.add(first)).isTrue();
    assertThat(limit.add(connection(new EmbeddedChannel()))).isFalse();
    time.advance(Duration.ofSeconds(5));
    first.check();
    assertThat(limit.add(connection(new EmbeddedChannel()))).isFalse();
    limit.checked();
    assertThat(limit.add(connection(new EmbeddedChannel()))).isTrue();
  }

  /** Loops check the connections while a search compares them. */
  @Test
  void connectionsThatChangeWhileTheyAreComparedAreNoFailure() {
    Random random = new Random(1);
    List<Connection> connections = new ArrayList<>();
    ConnectionLimit many = new ConnectionLimit(CONNECTIONS, "the limit of a test");
    for (int i = 0; i < CONNECTIONS; i++) {
      EmbeddedChannel next =
          new EmbeddedChannel() {
            @Override
            public SocketAddress remoteAddress() {
              changeOne(random, connections);
              return new InetSocketAddress(1);
            }
          };
      Connection connection = connection(next);
      assertThat(many.add(connection)).isTrue();
      connections.add(connection);
    }
    time.advance(Duration.ofSeconds(5));
    for (int i = 0; i < CONNECTIONS; i++) {
      connections.get(i).check();
    }
    assertThat(many.add(first)).isTrue();
  }

  private void changeOne(Random random, List<Connection> connections) {
    if (connections.size() == CONNECTIONS) {
      int one = random.nextInt(CONNECTIONS);
      time.advance(Duration.ofMillis(1));
      connections.get(one).enter(Connection.Phase.QUIET);
      connections.get(one).check();
    }
  }

  /** Of thousands that come at once, a loop has the last ones seconds later. */
  @Test
  void theTimeOfAClientBeginsWhenALoopHasItsConnection() {
    time.advance(limits.idle().plusSeconds(1));
    first.opened();
    first.check();
    assertThat(channel.isOpen()).isTrue();
    time.advance(limits.idle().plusSeconds(1));
    first.check();
    assertThat(channel.isOpen()).isFalse();
  }

  @Test
  void aConnectionThatNoLoopHasYetIsClosedOnceOneHasIt() throws Exception {
    EmbeddedChannel later = new EmbeddedChannel(DefaultChannelId.newInstance(), false, false);
    Connection next = connection(later);
    next.close();
    assertThat(later.isOpen()).isTrue();
    later.register();
    next.opened();
    assertThat(later.isOpen()).isFalse();
  }
}
