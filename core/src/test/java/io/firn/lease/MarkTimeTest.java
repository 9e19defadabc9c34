package io.firn.lease;

import static io.firn.lease.Fleet.LAYOUT;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.SETTLE;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests of the times at which a mark counts, to the millisecond. */
class MarkTimeTest {

  private static final long SKEW = 5_000;

  private final Fleet fleet = new Fleet();
  private final Member member = fleet.member();
  private Duration storeAhead = Duration.ZERO;

  @BeforeEach
  void giveTheStoreAnIdentity() {
    fleet
        .store
        .withClock(() -> fleet.time.currentTimeMillis() + storeAhead.toMillis())
        .withIdentity("run1");
  }

  private MarkProtocol markProtocol() {
    LeaseConfig config = member.lease().build();
    return new MarkProtocol(
        config,
        new LayoutWatch(config, TWO_WORKERS, null, member),
        member,
        0,
        new ReferenceClock(config, member));
  }

  private static MarkRecord mark(Instant since) {
    return new MarkRecord(
        60_000,
        AfterLoss.AHEAD,
        "run1",
        "mark-" + since.toEpochMilli(),
        OptionalLong.of(since.toEpochMilli()),
        "");
  }

  private void put(MarkRecord mark) {
    fleet.store.put(LAYOUT, new NamespaceRecord(Layouts.of(TWO_WORKERS), Homes.NONE, mark).text());
  }

  private static void see(MarkProtocol markProtocol) {
    assertThat(read(markProtocol).sinceMillis()).isPresent();
  }

  private static MarkRecord read(MarkProtocol markProtocol) {
    return markProtocol.read(List.of()).orElseThrow().mark();
  }

  @Test
  void markThatIsOlderThanOneThatWasSeenCountsWithinTheSkew() {
    for (long older : new long[] {SKEW, SKEW + 1}) {
      fleet.time.advance(Duration.ofMinutes(10));
      Instant seen = fleet.now();
      MarkProtocol markProtocol = markProtocol();
      put(mark(seen));
      see(markProtocol);
      fleet.time.advance(Duration.ofSeconds(59));
      MarkRecord mark = mark(seen.minusMillis(older));
      put(mark);

      if (older == SKEW) {
        assertThat(read(markProtocol)).isEqualTo(mark);
      } else {
        assertThatThrownBy(() -> read(markProtocol))
            .isInstanceOf(StoreException.class)
            .hasMessage(
                "Store faulty: answers as run1, which was replaced at %s; its address must lead"
                        .formatted(seen)
                    + " to one primary, and nothing is leased there until "
                    + seen.plusSeconds(60));
      }
    }
  }

  @Test
  void markOfAnOlderStateOfTheStoreIsReplacedAtOnce() {
    MarkProtocol markProtocol = markProtocol();
    Instant older = fleet.now();
    fleet.time.advance(Duration.ofMinutes(10));
    put(mark(fleet.now()));
    see(markProtocol);
    put(mark(older));
    fleet.store.withIdentity("run2"); // a replica that lags behind was promoted

    MarkRecord mark = read(markProtocol);
    assertThat(mark.identity()).isEqualTo("run2");
    assertThat(mark.sinceMillis()).hasValue(fleet.time.currentTimeMillis());
  }

  @Test
  void markOfTheFutureCountsWithinTheSkew() {
    MarkRecord mark = mark(fleet.now().plusMillis(SKEW));
    put(mark);
    assertThat(read(markProtocol())).isEqualTo(mark);

    put(mark(fleet.now().plusMillis(SKEW + 1)));
    assertThat(read(markProtocol()).sinceMillis()).hasValue(fleet.time.currentTimeMillis());
  }

  @Test
  void processThatSawAMarkOfTheFutureContinuesOnceClocksAreRight() {
    Duration year = Duration.ofDays(365);
    MarkProtocol markProtocol = markProtocol();
    storeAhead = year;
    member.ahead(year);
    put(mark(fleet.now().plus(year)));
    see(markProtocol);
    storeAhead = Duration.ZERO;
    member.ahead(Duration.ZERO);

    assertThat(read(markProtocol).sinceMillis()).hasValue(fleet.time.currentTimeMillis());
  }

  @Test
  void slowAnswerIsNoSkew() {
    MarkRecord mark = mark(fleet.now());
    put(mark);
    fleet.store.withClock(
        () -> {
          long millis = fleet.time.currentTimeMillis();
          fleet.time.advance(Duration.ofSeconds(10)); // before the answer is there
          return millis;
        });

    assertThat(read(markProtocol())).isEqualTo(mark);
  }

  @Test
  void operatorWritesNoMarkWhileClocksDisagree() {
    MarkRecord mark = mark(fleet.now());
    put(mark);
    Namespace namespace = fleet.namespace();
    for (long off : new long[] {-SKEW - 2, SKEW + 2}) {
      storeAhead = Duration.ofMillis(off);
      assertThatThrownBy(namespace::renewMark)
          .as(off + " ms")
          .isInstanceOf(ClockSkewException.class);
      assertThatThrownBy(() -> namespace.changeSettleTime(Duration.ofMinutes(2)))
          .as(off + " ms")
          .isInstanceOf(ClockSkewException.class);
    }

    assertThat(NamespaceRecord.parse(fleet.store.read(LAYOUT).orElseThrow()).mark())
        .isEqualTo(mark);
  }

  /** Returns the mark that is in the store. */
  private MarkRecord standing() {
    return NamespaceRecord.parse(fleet.store.read(LAYOUT).orElseThrow()).mark();
  }

  @Test
  void noMarkIsWrittenByAStoreWhoseClockIsBehind() {
    fleet.store.thatMayForget();
    fleet.member().start(ONE_WORKER).close();
    fleet.pass(Duration.ofSeconds(200));
    Map<String, Register> before = fleet.store.copy();
    Snowflake holder = fleet.member().start(ONE_WORKER);
    Instant fence = fence(holder);
    String nonce = standing().nonce();
    fleet.store.rollBack(before);
    fleet.store.withIdentity("run2");
    storeAhead = Duration.ofHours(-1);

    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(ClockSkewException.class)
        .hasMessageContaining("ahead of the store's 2026-10-31T23:03:20Z");
    fleet.pass(Duration.ofSeconds(16)); // the holder fails to renew
    assertThat(standing().nonce()).isEqualTo(nonce);
    storeAhead = Duration.ZERO;
    Snowflake newProcess = fleet.member().start(ONE_WORKER);

    assertThat(notBefore(newProcess)).isAfter(fence).isEqualTo(fleet.now().plus(SETTLE));
    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void noMarkOfAStoreWhoseClockIsAheadIsRememberedByHolders() {
    fleet.store.thatMayForget();
    Snowflake one = fleet.member().start(TWO_WORKERS);
    Snowflake two = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofSeconds(200));
    fleet.store.withIdentity("run2");
    storeAhead = Duration.ofDays(365);
    fleet.pass(Duration.ofSeconds(20));
    assertThat(standing().identity()).isEqualTo("run1");
    storeAhead = Duration.ZERO;
    fleet.store.withIdentity("run3");
    fleet.pass(Duration.ofMinutes(5));

    for (Snowflake each : List.of(one, two)) {
      assertThat(timeOf(each, each.nextId())).isEqualTo(fleet.now());
    }
  }

  @Test
  void markFromTheFutureIsReplaced() {
    fleet.member().start(TWO_WORKERS).close();
    storeAhead = Duration.ofDays(365);
    fleet.store.withIdentity("run2"); // found by a process whose clock is as wrong
    fleet.member().ahead(Duration.ofDays(365)).start(TWO_WORKERS).close();
    assertThat(standing().settledAtMillis())
        .isEqualTo(START.plus(Duration.ofDays(365)).plus(SETTLE).toEpochMilli());
    storeAhead = Duration.ZERO;

    assertThat(notBefore(fleet.member().start(TWO_WORKERS))).isEqualTo(START.plus(SETTLE));
  }

  @Test
  void storeWhoseClockIsBehindWithinTheSkewReplacesAnotherAtOnce() {
    Snowflake holder = fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofSeconds(99));
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(6));
    assertThat(standing().identity()).isEqualTo("run2");
    Instant since = Instant.ofEpochMilli(standing().sinceMillis().getAsLong());
    storeAhead = Duration.between(fleet.now(), since).minusMillis(2_000);
    fleet.store.withIdentity("run3");
    Snowflake newProcess = fleet.member().start(TWO_WORKERS);

    assertThat(standing().sinceMillis().getAsLong())
        .isEqualTo(since.minusMillis(2_000).toEpochMilli());
    for (int second = 0; second < 120; second++) {
      fleet.pass(Duration.ofSeconds(1));
      holder.nextId();
      newProcess.nextId();
    }
    assertThat(fleet.store.value(LAYOUT)).contains("store=run3", "before=run2");
  }

  @Test
  void processThatSawAMarkOfTheFutureTakesTheMarkThatAnotherWroteSince() {
    fleet.store.thatMayForget();
    Duration ahead = Duration.ofHours(2);
    member.ahead(ahead);
    MarkProtocol markProtocol = markProtocol();
    storeAhead = ahead;
    markProtocol.read(List.of());
    storeAhead = Duration.ZERO;
    member.ahead(Duration.ZERO);
    fleet.member().start(TWO_WORKERS).close(); // writes a mark with the right time
    fleet.time.advance(Duration.ofSeconds(10));

    markProtocol.read(List.of());
  }

  @Test
  void storeThatWasReplacedAndReturnsIsRefusedAlsoIfItsMarkIsHardlyOlder() {
    fleet.store.thatMayForget();
    MarkProtocol markProtocol = markProtocol();
    markProtocol.read(List.of());
    Map<String, Register> first = fleet.store.copy();
    fleet.time.advance(Duration.ofSeconds(3));
    fleet.store.rollBack(Map.of());
    fleet.store.withIdentity("run2");
    markProtocol.read(List.of());
    fleet.time.advance(Duration.ofSeconds(20));
    fleet.store.rollBack(first);
    fleet.store.withIdentity("run1");

    assertThatThrownBy(() -> markProtocol.read(List.of()))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("which was replaced at");
  }

  @Test
  void lostReplyOfAHolderWhoseClockHasDriftedIsConfirmed() {
    fleet.store.thatMayForget();
    Snowflake holder = member.start(TWO_WORKERS);
    fleet.pass(Duration.ofSeconds(100));
    for (int drift = 200; drift <= 6_000; drift += 200) {
      member.ahead(Duration.ofMillis(drift));
      fleet.pass(Duration.ofSeconds(15));
    }
    fleet.store.nextWrites(Fault.REPLY_LOST);
    fleet.pass(Duration.ofSeconds(60));

    assertThat(timeOf(holder, holder.nextId())).isEqualTo(fleet.now().plusSeconds(6));
  }

  /**
   * A held worker ID looks free while both clocks are an hour ahead. They are right again when the
   * acquisition is found to have been applied.
   */
  @Test
  void clocksThatGoBackBetweenTheWritesOfAnAcquisitionLowerNoFence() {
    Duration hour = Duration.ofHours(1);
    member.ahead(Duration.ofSeconds(4));
    Snowflake holder =
        member.start(member.builder(ONE_WORKER, member.lease()).maxLead(Duration.ofSeconds(15)));
    fleet.pass(Duration.ofSeconds(90));
    long[] ahead = new long[1_000_000];
    assertThat(holder.tryNextIds(ahead, 0, ahead.length)).isGreaterThan(500_000);
    fleet.pass(Duration.ofSeconds(15));
    Instant fence = fence(holder);
    Member second = fleet.member().ahead(hour);
    storeAhead = hour;
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REPLY_LOST, Fault.REPLY_LOST, Fault.REPLY_LOST);
    fleet.store.beforeNextWrite(
        () -> {
          second.ahead(Duration.ZERO);
          storeAhead = Duration.ZERO;
        });
    assertThatThrownBy(() -> second.start(ONE_WORKER)).isInstanceOf(NoFreeWorkerException.class);
    assertThat(fleet.record(0).holder()).isEqualTo("host-1");

    assertThat(fleet.record(0).fenceMillis()).isGreaterThanOrEqualTo(fence.toEpochMilli());
  }

  @Test
  void windowThatBeginsFarAheadOfClocksThatWentBackIsGivenBackForAnotherWorker() {
    IdLayout eightWorkers = IdLayout.of("43t+3w+6s@2026-01-01T00:00:00Z/1ms");
    member.start(eightWorkers);
    fleet.pass(SETTLE);
    Duration hour = Duration.ofHours(1);
    for (Fault fault : new Fault[] {Fault.APPLIED, Fault.REPLY_LOST}) {
      Member second = fleet.member().ahead(hour);
      storeAhead = hour;
      fleet.store.nextWrites(fault);
      fleet.store.beforeNextWrite(
          () -> {
            second.ahead(Duration.ZERO);
            storeAhead = Duration.ZERO;
          });

      Snowflake started = second.start(eightWorkers);

      assertThat(timeOf(started, started.nextId())).isEqualTo(fleet.now());
    }
  }
}
