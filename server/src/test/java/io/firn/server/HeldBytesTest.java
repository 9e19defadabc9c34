package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.server.config.Limits;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
    EmbeddedChannel channel = LoneConnections.channelFrom(host);
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
      connection.check();
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
    EmbeddedChannel one = holding(WITHOUT_TOKEN, 4_000, first);
    EmbeddedChannel firstOfMany = holding(WITHOUT_TOKEN, 3_000, ofMany);
    EmbeddedChannel secondOfMany = holding(WITHOUT_TOKEN, 3_500, alsoOfMany);
    EmbeddedChannel another = holding(WITHOUT_TOKEN, 2_000, third);
    assertThat(one.isOpen()).isTrue();
    assertThat(firstOfMany.isOpen()).isTrue();
    assertThat(secondOfMany.isOpen()).isFalse();
    assertThat(another.isOpen()).isTrue();
    firstOfMany.close();
    EmbeddedChannel last = holding(WITHOUT_TOKEN, 6_500, fourth);
    assertThat(one.isOpen()).isTrue();
    assertThat(another.isOpen()).isTrue();
    assertThat(last.isOpen()).isFalse();
  }

  /** Has many addresses hold 4 KiB each. */
  private List<EmbeddedChannel> holdingLittle(HeldBytes of, int count) {
    List<EmbeddedChannel> all = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      String host = "127.0." + (1 + i / 256) + "." + i % 256;
      all.add(holding(of, WITHOUT_TOKEN, 4_096, host));
    }
    return all;
  }

  /** Each address of an attacker can hold less than a client that sends a long request. */
  @Test
  void theOneThatHasDoneNothingForLongestIsClosedBeforeALargerOne() {
    HeldBytes large = LoneConnections.held(1_000_000);
    List<EmbeddedChannel> little = new ArrayList<>(holdingLittle(large, 1));
    time.advance(Duration.ofMillis(100));
    little.addAll(holdingLittle(large, 239));
    little.get(0).pipeline().get(Connection.class).turnEnded(4_096); // nothing new
    time.advance(Duration.ofMillis(100));
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, 17_000, "127.0.0.1");
    assertThat(last.isOpen()).isTrue();
    assertThat(little.get(0).isOpen()).isFalse();
    assertThat(little.stream().filter(EmbeddedChannel::isOpen)).hasSize(232);
  }

  /** A byte now and then is no progress; a sixteenth, or 1 KiB, is. */
  @ParameterizedTest
  @CsvSource({"4096, 63, false", "4096, 64, true", "32000, 255, false", "32000, 256, true"})
  void theOneThatMakesNoProgressIsClosedBeforeALargerOne(int bytes, int step, boolean open) {
    int budget = 25 * bytes;
    HeldBytes large = LoneConnections.held(budget);
    EmbeddedChannel slow = holding(large, WITHOUT_TOKEN, bytes, "127.0.0.2");
    for (int i = 1; i <= 4; i++) {
      time.advance(Duration.ofMillis(101));
      slow.pipeline().get(Connection.class).turnEnded(bytes + i * step);
    }
    int count = (budget / 20 * 19 - bytes) / 4_096;
    holdingLittle(large, count);
    int rest = budget + 400 - count * 4_096 - bytes - 4 * step;
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, rest, "127.0.0.1");
    assertThat(slow.isOpen()).isEqualTo(open);
    assertThat(last.isOpen()).isEqualTo(!open);
  }

  /** A client that reads its answers makes progress once it has read a sixteenth. */
  @ParameterizedTest
  @CsvSource({"342, false", "343, true"})
  void theOneThatReadsIsClosedAfterOneThatDoesNot(int read, boolean open) {
    EmbeddedChannel reading = holding(WITHOUT_TOKEN, 5_500);
    EmbeddedChannel silent = holding(WITHOUT_TOKEN, 5_000);
    time.advance(Duration.ofMillis(100));
    reading.pipeline().get(Connection.class).turnEnded(5_500 - read);
    time.advance(Duration.ofMillis(1));
    EmbeddedChannel last = holding(WITHOUT_TOKEN, 4_000);
    assertThat(reading.isOpen()).isEqualTo(open);
    assertThat(silent.isOpen()).isEqualTo(!open);
    assertThat(last.isOpen()).isTrue();
  }

  @Test
  void theOneThatWaitsForItsTurnIsNotClosedForDoingNothing() {
    HeldBytes large = LoneConnections.held(1_000_000);
    List<EmbeddedChannel> little = holdingLittle(large, 240);
    little.get(0).pipeline().get(Connection.class).waitsForServer(true);
    time.advance(Duration.ofMillis(201));
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, 17_000, "127.0.0.1");
    assertThat(last.isOpen()).isTrue();
    assertThat(little.get(0).isOpen()).isTrue();
    assertThat(little.stream().filter(EmbeddedChannel::isOpen)).hasSize(232);
  }

  /** The server has read nothing meanwhile. */
  @ParameterizedTest
  @CsvSource({"99, true", "101, false"})
  void theTimeInWhichItWaitedForItsTurnDoesNotCount(int millis, boolean open) {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel waited = holding(large, WITHOUT_TOKEN, 4_096, "127.0.0.2");
    Connection connection = waited.pipeline().get(Connection.class);
    connection.waitsForServer(true);
    time.advance(Duration.ofMillis(500));
    connection.waitsForServer(false);
    connection.turnEnded(4_096); // the rest of the request is still to be read
    time.advance(Duration.ofMillis(millis - 50));
    connection.waitsForServer(true);
    holdingLittle(large, 239);
    time.advance(Duration.ofMillis(50));
    connection.waitsForServer(false);
    time.advance(Duration.ofMillis(50));
    EmbeddedChannel last = holding(large, WITHOUT_TOKEN, 17_000, "127.0.0.1");
    assertThat(waited.isOpen()).isEqualTo(open);
    assertThat(last.isOpen()).isTrue();
  }

  @Test
  void theLargestIsClosedWhenAllThatDoNothingWaitForTheirTurns() {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel largest = holding(large, WITHOUT_TOKEN, 17_000, "127.0.0.1");
    largest.pipeline().get(Connection.class).waitsForServer(true);
    time.advance(Duration.ofMillis(201));
    List<EmbeddedChannel> little = holdingLittle(large, 240);
    assertThat(largest.isOpen()).isFalse();
    assertThat(little.stream().filter(EmbeddedChannel::isOpen)).hasSize(236);
  }

  /** A client that is slow is not closed for an attacker that has one address. */
  @Test
  void theAddressThatHoldsMuchLosesItsOwn() {
    HeldBytes large = LoneConnections.held(1_000_000);
    List<EmbeddedChannel> little = holdingLittle(large, 200);
    time.advance(Duration.ofMillis(10));
    List<EmbeddedChannel> many = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      many.add(holding(large, WITHOUT_TOKEN, 10_000, "127.0.0.1"));
    }
    assertThat(little).allMatch(EmbeddedChannel::isOpen);
    assertThat(many).anyMatch(channel -> !channel.isOpen());
  }

  /** It is no part of what the others hold too much if it holds less than half of the mean. */
  @ParameterizedTest
  @CsvSource({"2999, 9002, true", "3000, 9001, false"})
  void aClientThatPausesInAShortRequestIsNotClosedForALargerOne(int less, int more, boolean open) {
    EmbeddedChannel paused = holding(WITHOUT_TOKEN, less, "127.0.0.1");
    time.advance(Duration.ofMillis(100));
    EmbeddedChannel larger = holding(WITHOUT_TOKEN, more, "127.0.0.2");
    assertThat(paused.isOpen()).isEqualTo(open);
    assertThat(larger.isOpen()).isEqualTo(!open);
  }

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

  @Test
  void aClientWithoutATokenIsClosedBeforeOneThatHasPresentedItsToken() {
    EmbeddedChannel stranger = holding(WITHOUT_TOKEN, 4_001);
    EmbeddedChannel known = holding(WITH_TOKEN, 8_000);
    assertThat(stranger.isOpen()).isFalse();
    assertThat(known.isOpen()).isTrue();
  }

  /** Otherwise nobody could connect while those that have presented their tokens hold too much. */
  @ParameterizedTest
  @CsvSource({"420, true", "421, false"})
  void aClientWithoutATokenIsNotClosedIfThatIsNotEnough(int less, boolean open) {
    EmbeddedChannel stranger = holding(WITHOUT_TOKEN, less);
    EmbeddedChannel first = holding(WITH_TOKEN, 5_954 - less / 2);
    EmbeddedChannel second = holding(WITH_TOKEN, 6_092 - (less - less / 2));
    assertThat(stranger.isOpen()).isEqualTo(open);
    assertThat(first.isOpen() && second.isOpen()).isEqualTo(!open);
  }

  private static int mostToRead(HeldBytes of, EmbeddedChannel client) {
    return of.mostToRead(client.pipeline().get(Connection.class));
  }

  /** What is not read yet stays in the kernel, and no connection is closed for it. */
  @Test
  void littleIsReadOnceHalfOfTheBudgetIsHeld() {
    HeldBytes large = LoneConnections.held(1_200_000);
    EmbeddedChannel small = holding(large, WITHOUT_TOKEN, 100_000, "127.0.0.1");
    EmbeddedChannel other = holding(large, WITHOUT_TOKEN, 500_000, "127.0.0.2");
    assertThat(mostToRead(large, small)).isEqualTo(64 << 10);
    assertThat(mostToRead(large, other)).isEqualTo(64 << 10);
    EmbeddedChannel one = holding(large, WITHOUT_TOKEN, 1, "127.0.0.1");
    assertThat(mostToRead(large, small)).isEqualTo(1 << 10);
    assertThat(mostToRead(large, other)).isEqualTo(1 << 7);
    one.close();
    assertThat(mostToRead(large, small)).isEqualTo(64 << 10);
  }

  /** As many as a server may have can begin a request. */
  @ParameterizedTest
  @CsvSource({"299999, 1024", "300000, 1024", "300001, 128"})
  void onlyAFewBytesAreReadOnceThreeQuartersAreHeld(int bytes, int mostToRead) {
    HeldBytes large = LoneConnections.held(1_200_000);
    holding(large, WITHOUT_TOKEN, 600_000, "127.0.0.1");
    EmbeddedChannel fresh = holding(large, WITHOUT_TOKEN, 0, "127.0.0.2");
    holding(large, WITHOUT_TOKEN, bytes, "127.0.0.3");
    assertThat(mostToRead(large, fresh)).isEqualTo(mostToRead);
  }

  private static LaterTurns.Turn turn(HeldBytes of, EmbeddedChannel client) {
    return of.turn(client.pipeline().get(Connection.class), () -> {});
  }

  private static boolean makeRoom(HeldBytes of, EmbeddedChannel client) {
    return turn(of, client).isDue();
  }

  /**
   * An eighth of the budget is left to others, and a 32nd, which is freed when there is too much,
   * is no room.
   */
  @ParameterizedTest
  @CsvSource({"744464, true", "744465, false"})
  void thereIsRoomForALongRequest(int bytes, boolean room) {
    HeldBytes large = LoneConnections.held(960_000); // 120,000, 30,000, 64 KiB, and 744,464
    EmbeddedChannel client = holding(large, WITHOUT_TOKEN, 464, "127.0.0.1");
    EmbeddedChannel other = holding(large, WITHOUT_TOKEN, bytes - 464, "127.0.0.2");
    assertThat(makeRoom(large, client)).isEqualTo(room);
    assertThat(other.isOpen()).isTrue();
  }

  /** A client that pauses for less does not lose its request to one that waits. */
  @ParameterizedTest
  @CsvSource({"249, true", "250, false"})
  void roomIsMadeOfWhatMakesNoProgressForAQuarterOfASecond(int millis, boolean open) {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel silent = holding(large, WITHOUT_TOKEN, 500_000, "127.0.0.1");
    time.advance(Duration.ofMillis(millis));
    EmbeddedChannel fresh = holding(large, WITHOUT_TOKEN, 500_000, "127.0.0.2");
    EmbeddedChannel client = holding(large, WITHOUT_TOKEN, 0, "127.0.0.3");
    assertThat(makeRoom(large, client)).isEqualTo(!open);
    assertThat(silent.isOpen()).isEqualTo(open);
    assertThat(fresh.isOpen()).isTrue();
  }

  /** What is freed beyond that is room for the next ones. */
  @ParameterizedTest
  @CsvSource({"774464, true", "774465, false"})
  void oneThatCannotWaitLongerTakesRoomFromTheOneThatMakesNoProgressForLongest(
      int bytes, boolean open) {
    HeldBytes large = LoneConnections.held(960_000);
    EmbeddedChannel silent = holding(large, WITHOUT_TOKEN, 300_000, "127.0.0.1");
    time.advance(Duration.ofMillis(2));
    EmbeddedChannel fresh = holding(large, WITHOUT_TOKEN, bytes - 300_000, "127.0.0.2");
    EmbeddedChannel client = holding(large, WITHOUT_TOKEN, 0, "127.0.0.3");
    turn(large, client).take();
    assertThat(silent.isOpen()).isEqualTo(open);
    assertThat(fresh.isOpen()).isTrue();
  }

  /** Whether a request is short is seen as long as there is more room than for long ones. */
  @ParameterizedTest
  @CsvSource({"900000, true", "900001, false"})
  void theBeginOfARequestMayBeReadWhileThereIsRoomForBegins(int bytes, boolean may) {
    HeldBytes large = LoneConnections.held(960_000);
    EmbeddedChannel other = holding(large, WITHOUT_TOKEN, bytes, "127.0.0.1");
    EmbeddedChannel fresh = holding(large, WITHOUT_TOKEN, 0, "127.0.0.2");
    assertThat(large.mayBegin(fresh.pipeline().get(Connection.class))).isEqualTo(may);
    assertThat(large.mayBegin(other.pipeline().get(Connection.class))).isEqualTo(may);
  }

  /** These do not wait for clients without a token, and these do not close those. */
  @Test
  void strangersMakeNoRoomOfClientsWithAToken() {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel known = holding(large, WITH_TOKEN, 500_000, "127.0.0.1");
    EmbeddedChannel silent = holding(large, WITHOUT_TOKEN, 500_000, "127.0.0.2");
    EmbeddedChannel waiting = holding(large, WITHOUT_TOKEN, 0, "127.0.0.3");
    EmbeddedChannel waitingKnown = holding(large, WITH_TOKEN, 0, "127.0.0.4");
    time.advance(Duration.ofSeconds(1));
    assertThat(makeRoom(large, waitingKnown)).isTrue();
    assertThat(silent.isOpen()).isTrue();
    assertThat(makeRoom(large, waiting)).isTrue();
    assertThat(silent.isOpen()).isFalse();
    EmbeddedChannel more = holding(large, WITH_TOKEN, 500_000, "127.0.0.5");
    time.advance(Duration.ofSeconds(1));
    assertThat(makeRoom(large, waiting)).isFalse();
    assertThat(known.isOpen() && more.isOpen()).isTrue();
    assertThat(makeRoom(large, waitingKnown)).isTrue();
    assertThat(known.isOpen() && more.isOpen()).isFalse();
  }

  /** What strangers hold does not count against them, and is freed when there is too much. */
  @Test
  void clientsWithATokenMakeNoRoomOfStrangers() {
    HeldBytes large = LoneConnections.held(1_000_000);
    EmbeddedChannel silent = holding(large, WITHOUT_TOKEN, 150_000, "127.0.0.2");
    time.advance(Duration.ofSeconds(1));
    List<EmbeddedChannel> known = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      known.add(holding(large, WITH_TOKEN, 83_000, "127.0.0.1"));
    }
    EmbeddedChannel waiting = holding(large, WITH_TOKEN, 0, "127.0.0.4");
    assertThat(makeRoom(large, waiting)).isFalse();
    assertThat(silent.isOpen()).isTrue();
    turn(large, waiting).take();
    assertThat(silent.isOpen()).isTrue();
    assertThat(known).filteredOn(EmbeddedChannel::isOpen).hasSize(9);
  }

  /** It reads on in its turn. Those that hold the rest have tokens, and nothing is won. */
  @Test
  void nobodyIsClosedForARoomThatStrangersDoNotHold() {
    HeldBytes large = LoneConnections.held(1_000_000);
    holding(large, WITH_TOKEN, 900_000, "127.0.0.1");
    EmbeddedChannel other = holding(large, WITHOUT_TOKEN, 4_000, "127.0.0.2");
    EmbeddedChannel waiting = holding(large, WITHOUT_TOKEN, 4_000, "127.0.0.3");
    turn(large, waiting).take();
    assertThat(other.isOpen()).isTrue();
    assertThat(waiting.isOpen()).isTrue();
  }

  /** A slow client that holds most is not closed in the turn in which it goes on. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void aConnectionIsNotClosedForItsOwnTurn(boolean taken) {
    HeldBytes large = LoneConnections.held(960_000);
    EmbeddedChannel waiting = holding(large, WITHOUT_TOKEN, 400_000, "127.0.0.1");
    time.advance(Duration.ofSeconds(1));
    EmbeddedChannel other = holding(large, WITHOUT_TOKEN, 400_000, "127.0.0.2");
    if (taken) {
      turn(large, waiting).take();
    } else {
      assertThat(makeRoom(large, waiting)).isFalse();
    }
    assertThat(waiting.isOpen()).isTrue();
    assertThat(other.isOpen()).isEqualTo(!taken);
  }

  /** Ten thousand that wait would look at ten thousand all the time. */
  @Test
  void oneThatWaitsDoesNotLookAtAllConnectionsEachTime() {
    HeldBytes large = LoneConnections.held(1_000_000);
    for (int i = 0; i < 100; i++) {
      holding(large, WITHOUT_TOKEN, 10_000, "127.0.1." + i);
    }
    EmbeddedChannel client = holding(large, WITHOUT_TOKEN, 0, "127.0.0.3");
    time.advanceAtReadings(Duration.ofNanos(1));
    for (int i = 0; i < 3; i++) {
      long before = time.nanoTime();
      assertThat(makeRoom(large, client)).isFalse();
      long readings = time.nanoTime() - before;
      assertThat(readings > 100).isEqualTo(i == 0);
    }
    time.advance(Duration.ofMillis(250));
    assertThat(makeRoom(large, client)).isTrue();
  }

  /** The channel is closed by its loop, later. */
  @Test
  void oneThatWasClosedTakesNoRoom() {
    HeldBytes large = LoneConnections.held(960_000);
    EmbeddedChannel fresh = holding(large, WITHOUT_TOKEN, 900_000, "127.0.0.2");
    EmbeddedChannel client = holding(large, WITHOUT_TOKEN, 0, "127.0.0.3");
    LaterTurns.Turn turn = turn(large, client);
    client.pipeline().get(Connection.class).close();
    assertThat(turn.isDue()).isTrue();
    turn.take();
    assertThat(fresh.isOpen()).isTrue();
  }

  /** Two addresses may hold a quarter of the budget each before they wait for turns. */
  @ParameterizedTest
  @CsvSource({"150000, 1024", "150001, 128"})
  void anAddressThatHoldsMoreThanItsShareWaitsForItsTurn(int bytes, int mostToRead) {
    HeldBytes large = LoneConnections.held(1_200_000);
    EmbeddedChannel first = holding(large, WITHOUT_TOKEN, 150_000, "127.0.0.1");
    EmbeddedChannel second = holding(large, WITHOUT_TOKEN, bytes, "127.0.0.1");
    EmbeddedChannel other = holding(large, WITHOUT_TOKEN, 500_000, "127.0.0.2");
    EmbeddedChannel fresh = holding(large, WITHOUT_TOKEN, 0, "127.0.0.3");
    assertThat(mostToRead(large, first)).isEqualTo(mostToRead);
    assertThat(mostToRead(large, second)).isEqualTo(mostToRead);
    assertThat(mostToRead(large, other)).isEqualTo(1 << 7);
    assertThat(mostToRead(large, fresh)).isEqualTo(1 << 10);
  }

  @Test
  void clientsWithoutATokenDoNotCountAgainstOneThatHasPresentedItsToken() {
    HeldBytes large = LoneConnections.held(1_200_000);
    holding(large, WITHOUT_TOKEN, 500_000, "127.0.0.1");
    EmbeddedChannel known = holding(large, WITH_TOKEN, 600_000, "127.0.0.2");
    assertThat(mostToRead(large, known)).isEqualTo(64 << 10);
    EmbeddedChannel another = holding(large, WITH_TOKEN, 1, "127.0.0.3");
    assertThat(mostToRead(large, known)).isEqualTo(1 << 7);
    assertThat(mostToRead(large, another)).isEqualTo(1 << 10);
  }

  /** A server that is busy with many takes long to read one request. */
  @Test
  void theTimeInWhichItWaitsForItsTurnIsNoSlowness() {
    EmbeddedChannel channel = holding(WITHOUT_TOKEN, 1_000);
    Connection connection = channel.pipeline().get(Connection.class);
    connection.enter(Connection.Phase.READING);
    connection.waitsForServer(true);
    time.advance(limits.requestTime());
    connection.waitsForServer(false);
    time.advance(limits.requestTime());
    connection.check();
    assertThat(channel.isOpen()).isTrue();
    time.advance(Duration.ofNanos(1));
    connection.check();
    assertThat(channel.isOpen()).isFalse();
  }

  /** An address with thousands of connections would keep them all for hours. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWaitIsNoLongerThanARequestMayTake(boolean ends) {
    EmbeddedChannel channel = holding(WITHOUT_TOKEN, 1_000);
    Connection connection = channel.pipeline().get(Connection.class);
    connection.enter(Connection.Phase.READING);
    connection.waitsForServer(true);
    time.advance(limits.requestTime().multipliedBy(2));
    connection.waitsForServer(!ends);
    connection.check();
    assertThat(channel.isOpen()).isTrue();
    time.advance(Duration.ofNanos(1));
    connection.check();
    assertThat(channel.isOpen()).isFalse();
  }
}
