package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.testkit.LogLines;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/**
 * A window counts only once a write of this process was acknowledged, and ends with proof of loss.
 */
class AcknowledgedWindowTest {

  private final Fleet fleet = new Fleet();

  @Test
  void renewalThatIsOnlyReadDoesNotExtendTheWindow() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REFUSED);

    fleet.pass(Duration.ofSeconds(15));

    assertThat(fleet.record(worker(snowflake)).fenceMillis())
        .isEqualTo(START.plusSeconds(45).toEpochMilli());
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(30));
    fleet.pass(Duration.ofSeconds(2));
    assertThat(fence(snowflake)).isAfter(START.plusSeconds(45));
  }

  @Test
  void acquisitionThatIsOnlyReadIsNotUsed() {
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + ONE_WORKER);
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REFUSED);
    Member member = fleet.member();

    assertThatThrownBy(() -> member.start(ONE_WORKER)).isInstanceOf(StoreException.class);

    assertThat(fleet.store.writes(fleet.register(0))).isEqualTo(1);
  }

  @Test
  void pinnedAcquisitionIsConfirmedByAnotherWrite() {
    fleet.store.put("orders/layout", "firn-namespace/1 layout=" + TWO_WORKERS);
    for (Fault fault : new Fault[] {Fault.REPLY_LOST, Fault.SENT_TWICE}) {
      fleet.store.nextWrites(fault);
      Member member = fleet.member();
      int before = fleet.store.writes(fleet.register(1));

      Snowflake snowflake = member.start(TWO_WORKERS, member.lease().worker(1));

      assertThat(fleet.store.writes(fleet.register(1)) - before).isEqualTo(2);
      snowflake.nextId();
      snowflake.close();
    }
  }

  @Test
  void renewalThatAClientSentTwiceIsConfirmedByAnotherWrite() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.store.nextWrites(Fault.SENT_TWICE);

    fleet.pass(Duration.ofSeconds(15));

    assertThat(worker(snowflake)).isEqualTo(worker);
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(45));
    assertThat(fleet.store.writes(fleet.register(worker))).isEqualTo(3);
  }

  @Test
  void everyWriteHasANonceAndEveryAcquisitionAToken() {
    Member member = fleet.member();
    Snowflake first = member.start(ONE_WORKER);
    WorkerRecord acquired = fleet.record(0);
    fleet.pass(Duration.ofSeconds(15));
    WorkerRecord renewed = fleet.record(0);
    first.close();
    member.start(ONE_WORKER);

    assertThat(renewed.token()).isEqualTo(acquired.token());
    assertThat(renewed.nonce()).isNotEmpty().isNotEqualTo(acquired.nonce());
    assertThat(fleet.record(0).token()).isNotEqualTo(acquired.token());
  }

  @Test
  void copyOfTheProcessStopsTheOneThatRenewsSecond() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    WorkerRecord mine = fleet.record(worker);
    fleet.pass(Duration.ofSeconds(10));
    long last = snowflake.nextId();
    fleet.store.put(
        fleet.register(worker), mine.withFence(mine.fenceMillis() + 10_000).withNonce("c").text());

    fleet.pass(Duration.ofSeconds(5));

    assertThat(worker(snowflake)).isEqualTo(1 - worker);
    assertThat(Fleet.nextAfter(snowflake, last)).isPositive();
    assertThat(fleet.record(worker).nonce()).isEqualTo("c");
  }

  @Test
  void copyOfTheProcessStopsAtOnceAlsoWhereNoOtherWorkerIsFree() {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    WorkerRecord mine = fleet.record(0);
    fleet.store.put(fleet.register(0), mine.withFence(mine.fenceMillis() + 10_000).text() + "c");

    fleet.pass(Duration.ofSeconds(15));

    assertThat(fence(snowflake)).isBefore(fleet.now());
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void foreignWindowThatBeginsBeforeTheOwnFenceStopsAtOnceOnAnyStore() {
    stopsAtOnce(mine -> fleet.store.put(fleet.register(0), foreign(mine.fenceMillis() - 1)));
  }

  @Test
  void missingRegisterStopsAtOnceOnAnyStore() {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    fleet.pass(Duration.ofSeconds(10));
    snowflake.nextId();
    fleet.store.forgetAll();
    fleet.pass(Duration.ofSeconds(5));

    // It starts over, as far ahead as on a store that says that it may forget.
    assertThat(notBefore(snowflake)).isEqualTo(fleet.now().plusSeconds(35));
  }

  @Test
  void olderRegisterStopsAtOnceOnAnyStore() {
    Register[] older = new Register[1];
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    older[0] = fleet.store.read(fleet.register(0)).orElseThrow();
    fleet.pass(Duration.ofSeconds(16));
    fleet.store.fallBack(older[0]);
    fleet.pass(Duration.ofSeconds(14));

    assertThat(fence(snowflake)).isBefore(fleet.now());
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  private void stopsAtOnce(Consumer<WorkerRecord> loss) {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    fleet.pass(Duration.ofSeconds(14));
    snowflake.nextId();
    loss.accept(fleet.record(0));
    fleet.pass(Duration.ofSeconds(1));

    assertThat(fence(snowflake)).isBefore(START.plusSeconds(15));
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void successorWhoseWindowBeginsAtTheOwnFenceLeavesTheRestOfTheWindow() {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    fleet.store.put(fleet.register(0), foreign(fence(snowflake).toEpochMilli()));
    fleet.pass(Duration.ofSeconds(29));

    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(30));
    snowflake.nextId();
  }

  @Test
  void expiredHolderAcquiresAgainAndNeverRenews() {
    for (boolean mayForget : new boolean[] {false, true}) {
      Fleet fresh = new Fleet();
      fresh.store.withClock(fresh.time::currentTimeMillis);
      if (mayForget) {
        fresh.store.thatMayForget();
      }
      Snowflake snowflake = fresh.member().start(ONE_WORKER);
      WorkerRecord before = fresh.record(0);
      fresh.time.advance(Duration.ofSeconds(95)); // stopped past its fence, and a window more

      fresh.pass(Duration.ofMillis(100));

      assertThat(fresh.record(0).token()).isNotEqualTo(before.token());
      assertThat(fresh.record(0).sinceMillis()).hasValue(fresh.time.currentTimeMillis());
      snowflake.nextId();
    }
  }

  @Test
  void oneWrongClockReadingDoesNotMoveTheFenceByYears() {
    for (boolean withStoreClock : new boolean[] {false, true}) {
      Fleet fresh = new Fleet();
      if (withStoreClock) {
        fresh.store.withClock(fresh.time::currentTimeMillis);
      }
      Member member = fresh.member();
      Snowflake snowflake = member.start(ONE_WORKER);
      fresh.pass(Duration.ofMillis(14_900));

      member.ahead(Duration.ofDays(3_650));
      fresh.pass(Duration.ofMillis(100));
      member.ahead(Duration.ZERO);

      assertThat(fence(snowflake)).isBetween(START.plusSeconds(30), START.plusSeconds(45));
      fresh.pass(Duration.ofMinutes(1));
      assertThat(Fleet.timeOf(snowflake, snowflake.nextId())).isEqualTo(fresh.now());
      assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    }
  }

  @Test
  void clockThatJumpedIsTrustedOnceItHasRunOnForAQuarterOfAWindow() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    member.ahead(Duration.ofHours(1));
    fleet.pass(Duration.ofSeconds(15));
    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageContaining(
            "The clock of this host reads 2026-11-01T01:00:15Z, and by the time that has passed it"
                + " is about 2026-11-01T00:00:15Z; correct the clock, or wait: it is trusted once"
                + " it has run on for 7500 ms");

    fleet.pass(Duration.ofMillis(7_500));

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId()))
        .isEqualTo(fleet.now().plus(Duration.ofHours(1)));
  }

  @Test
  void guardThatIsNotOpenedForAClockInDoubtIsRefusedWithTheDoubt() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);
    IdScope scope = snowflake.scope();
    member.ahead(Duration.ofHours(1));
    fleet.pass(Duration.ofSeconds(15));
    member.ahead(Duration.ZERO);

    assertThatThrownBy(() -> scope.beforeCommit(name -> ""))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("The guard of commits of worker 0 of orders until ")
        .hasMessageContaining(" was not opened: The clock of this host reads 2026-11-01T01:00:15Z");
  }

  @Test
  void failureThatFollowsAClockThatWasNotTrustedIsLoggedToo() {
    try (LogLines log = new LogLines("io.firn.lease")) {
      Member member = fleet.member();
      Snowflake snowflake = member.start(ONE_WORKER, member.lease("clock-then-store"));
      member.ahead(Duration.ofHours(1));
      fleet.pass(Duration.ofSeconds(15));
      fleet.store.throwAtEveryCall(new IllegalStateException("clock-then-store is down"));
      fleet.pass(Duration.ofSeconds(10));

      assertThat(snowflake.leaseStatus().orElseThrow().lastError())
          .hasValueSatisfying(error -> assertThat(error).contains("clock-then-store is down"));
      assertThat(log.messages())
          .filteredOn(message -> message.contains("clock-then-store is down"))
          .singleElement()
          .asString()
          .startsWith("not renewed: worker 0 of orders until ");
    }
  }

  @Test
  void failureOfAStoreIsLoggedOnceAlsoWhileTheClockIsInDoubt() {
    try (LogLines log = new LogLines("io.firn.lease")) {
      fleet.store.withClock(fleet.time::currentTimeMillis);
      Member member = fleet.member();
      member.start(ONE_WORKER, member.lease("doubt-then-store"));
      member.ahead(Duration.ofSeconds(6));
      fleet.pass(Duration.ofSeconds(20));
      fleet.store.throwAtEveryCall(new IllegalStateException("doubt-then-store is down"));
      fleet.pass(Duration.ofSeconds(15));

      assertThat(log.messages())
          .filteredOn(message -> message.contains("doubt-then-store is down"))
          .singleElement()
          .asString()
          .startsWith("not renewed: worker 0 of orders until ");
    }
  }

  @Test
  void renewalAfterAFailureIsLoggedOnce() {
    try (LogLines log = new LogLines("io.firn.lease")) {
      Member member = fleet.member();
      member.start(ONE_WORKER, member.lease("store-that-comes-back"));
      fleet.pass(Duration.ofSeconds(16));
      fleet.store.throwAtEveryCall(new IllegalStateException("store-that-comes-back is down"));
      fleet.pass(Duration.ofSeconds(20));
      fleet.store.comeBack();
      fleet.pass(Duration.ofSeconds(40));

      assertThat(log.messages())
          .filteredOn(message -> message.startsWith("renewed again: "))
          .singleElement()
          .asString()
          .startsWith("renewed again: worker 0 of orders until ");
    }
  }

  @Test
  void renewalCarriesNoLeadOn() {
    fleet.store.thatMayForget().withClock(fleet.time::currentTimeMillis);
    Snowflake snowflake = fleet.member().start(ONE_WORKER); // its window is 35 s to 65 s
    Instant newest = START;
    while (newest.isBefore(START.plusSeconds(35).plusMillis(200))) {
      newest = Fleet.timeOf(snowflake, snowflake.nextId());
      fleet.time.advance(Duration.ofNanos(50_000));
    }
    fleet.pass(Duration.ofSeconds(20));

    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(65));
  }

  @Test
  void releaseOfAnUnusedWindowKeepsItsBeginning() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.pass(Duration.ofMillis(14_900));
    snowflake.nextId();
    Instant ahead = fleet.now().plusMillis(4_900); // by a host whose clock is fast
    fleet.store.put(
        fleet.register(1 - worker),
        "firn-worker/1 state=released fence="
            + ahead
            + " windowMillis=30000 holder=x pid=1 token=t");
    fleet.store.put(fleet.register(worker), foreign(fence(snowflake).toEpochMilli()));
    fleet.pass(Duration.ofMillis(100));
    assertThat(worker(snowflake)).isEqualTo(1 - worker);

    snowflake.close();

    assertThat(fleet.record(1 - worker).fenceMillis()).isEqualTo(ahead.toEpochMilli());
  }

  @Test
  void clockIsReadAfterARegisterThatTurnsOutToBeAbsent() {
    fleet.store.thatMayForget().withClock(fleet.time::currentTimeMillis);
    fleet.store.beforeNextRead(() -> fleet.time.advance(Duration.ofSeconds(20)));
    assertThat(notBefore(fleet.member().start(ONE_WORKER))).isEqualTo(START.plusSeconds(55));
  }

  @Test
  void clockIsReadAgainAfterALaterRegisterThatTurnsOutToBeAbsent() {
    fleet.store.thatMayForget().withClock(fleet.time::currentTimeMillis);
    Member first = fleet.member();
    long home = worker(first.start(TWO_WORKERS, first.lease("same")));
    Member second = fleet.member();
    fleet.store.beforeNextRead(
        () -> fleet.store.beforeNextRead(() -> fleet.time.advance(Duration.ofSeconds(20))));

    Snowflake snowflake = second.start(TWO_WORKERS, second.lease("same"));

    assertThat(worker(snowflake)).isEqualTo(1 - home);
    assertThat(notBefore(snowflake)).isEqualTo(fleet.now().plusSeconds(35));
  }

  @Test
  void pinnedProcessWaitsUnaskedUntilItsWorkerIsFree() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease("waited-for").worker(1)); // and crashes

    try (LogLines log = new LogLines("io.firn.lease")) {
      Member again = fleet.member();
      Snowflake snowflake = again.start(TWO_WORKERS, again.lease().worker(1));

      assertThat(worker(snowflake)).isEqualTo(1);
      assertThat(fleet.now()).isBetween(START.plusSeconds(30), START.plusMillis(30_100));
      assertThat(log.messages())
          .filteredOn(line -> line.contains(" is leased to waited-for, process "))
          .singleElement()
          .asString()
          .startsWith("waiting for up to 35000 ms for a worker ID of orders: Worker 1 of orders ");
    }
  }

  @Test
  void pinnedProcessDoesNotWaitUnaskedForAFenceThatIsFarAway() {
    fleet.store.put(fleet.register(1), foreign(START.plusSeconds(101).toEpochMilli()));
    Member member = fleet.member();

    assertThatThrownBy(() -> member.start(TWO_WORKERS, member.lease().worker(1)))
        .isInstanceOf(NoFreeWorkerException.class);
    assertThat(fleet.now()).isEqualTo(START);
  }

  @Test
  void storeThatIsDownAtTheStartIsAskedAgainWithinTheAcquireTimeout() {
    fleet.store.goDown();
    Member member = fleet.member();
    member.atNextPark(fleet.store::comeBack);

    member.start(ONE_WORKER, member.lease().acquireTimeout(Duration.ofSeconds(5))).nextId();

    assertThat(fleet.now()).isBefore(START.plusSeconds(1));
  }

  private static String foreign(long sinceMillis) {
    return new WorkerRecord(
            sinceMillis + 30_000, true, OptionalLong.of(sinceMillis), 30_000, "x", 1, "x", "")
        .text();
  }

  @Test
  void copyOfTheProcessEndsAlsoTheTickThatIsBeingDrawnFrom() {
    IdLayout seconds = IdLayout.of("35t+10s@2026-01-01T00:00:00Z/1s");
    Member member = fleet.member();
    Snowflake snowflake = member.builder(seconds, member.lease()).maxWait(Duration.ZERO).build();
    fleet.pass(Duration.ofMillis(14_900));
    snowflake.nextId(); // of the second that continues when the copy is noticed
    WorkerRecord mine = fleet.record(0);
    fleet.store.put(fleet.register(0), mine.withFence(mine.fenceMillis() + 10_000).text() + "c");
    Instant drawn = Fleet.timeOf(snowflake, snowflake.nextId());
    member.ahead(Duration.ofMillis(-200)); // so that the second is still continuing

    fleet.pass(Duration.ofMillis(200));

    assertThat(fleet.now().plusMillis(-200)).isBefore(drawn.plusSeconds(1));
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
  }

  @Test
  void pinnedProcessWaitsTheWholeSkewWhateverTheSearchTook() {
    Member member = fleet.member();
    member.start(TWO_WORKERS, member.lease().worker(1)); // and crashes
    fleet.store.withClock(fleet.time::currentTimeMillis);
    Member again = fleet.member();
    fleet.store.beforeNextRead(() -> fleet.time.advance(Duration.ofSeconds(6)));

    Snowflake snowflake = again.start(TWO_WORKERS, again.lease().worker(1));

    assertThat(worker(snowflake)).isEqualTo(1);
  }

  @Test
  void callerWaitsForAWindowAfterAPauseThoughItMustNotWaitForTheClock() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.builder(TWO_WORKERS, member.lease()).clockPolicy(ClockPolicy.TWITTER).build();
    fleet.time.advance(Duration.ofMinutes(5));
    member.atNextPark(member.keeper::runDue);

    assertThat(Fleet.timeOf(snowflake, snowflake.nextId()))
        .isBetween(
            START.plus(Duration.ofMinutes(5)), START.plus(Duration.ofMinutes(5)).plusSeconds(1));
  }

  @Test
  void otherTextUnderTheOwnVersionStopsAtOnceOnAnyStore() {
    stopsAtOnce(
        mine -> {
          Register now = fleet.store.read(fleet.register(0)).orElseThrow();
          fleet.store.fallBack(
              new Register(now.name(), now.version(), foreign(mine.fenceMillis() + 60_000)));
          fleet.store.nextWrites(Fault.REQUEST_LOST);
        });
  }
}
