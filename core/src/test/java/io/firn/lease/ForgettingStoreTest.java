package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.fence;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.Register;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ForgettingStoreTest {

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void letTheStoreForget() {
    fleet.store.thatMayForget().withClock(fleet.time::currentTimeMillis);
  }

  @Test
  void firstWindowBeginsAWindowAndTheSkewAheadAndIdsAreIssuedAtOnce() {
    Member member = fleet.member();
    Snowflake snowflake = member.start(ONE_WORKER);

    assertThat(notBefore(snowflake)).isEqualTo(START.plusSeconds(35));
    assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(65));
    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(START.plusSeconds(35));
    assertThat(member.nanosParked()).isZero();
  }

  @Test
  void storeThatRemembersStartsItsFirstWindowNow() {
    Fleet remembers = new Fleet();
    remembers.store.withClock(remembers.time::currentTimeMillis);

    assertThat(notBefore(remembers.member().start(ONE_WORKER))).isEqualTo(START);
  }

  @Test
  void leadShrinksBackAsTheClockCatchesUpAndStaysGone() {
    Member member = fleet.member();
    Snowflake snowflake =
        member.builder(ONE_WORKER, member.lease()).sequenceStart(SequenceStart.ZERO).build();
    long last = 0;
    for (int second = 0; second < 34; second++) {
      last = Fleet.nextAfter(snowflake, last);
      assertThat(timeOf(snowflake, last)).isEqualTo(START.plusSeconds(35));
      fleet.pass(Duration.ofSeconds(1));
    }
    fleet.pass(Duration.ofSeconds(30));
    last = Fleet.nextAfter(snowflake, last);
    assertThat(timeOf(snowflake, last)).isEqualTo(fleet.now());

    for (int i = 0; i < 64; i++) { // uses up the tick, and has to wait for the next
      last = Fleet.nextAfter(snowflake, last);
    }
    assertThat(member.nanosParked()).isPositive();
    assertThat(timeOf(snowflake, last)).isEqualTo(fleet.now());
  }

  @Test
  void workerThatWasNotReleasedIsFreeAWindowAfterItsFenceAndNotBefore() {
    Member first = fleet.member();
    first.start(ONE_WORKER); // and crashes; its fence is 65 s from the start
    fleet.time.advance(Duration.ofMillis(94_999));

    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessage(
            "No worker ID of orders is free: 1 of 1 are leased; the next is free at "
                + START.plusSeconds(95));
    fleet.time.advance(Duration.ofMillis(1));
    fleet.member().start(ONE_WORKER).nextId();
  }

  @Test
  void releasedWorkerIsLeasedAgainAtOnce() {
    Snowflake first = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(60));
    long last = first.nextId();
    first.close();

    Fleet.nextAfter(fleet.member().start(ONE_WORKER), last);
  }

  @Test
  void holderThatFindsItsRegisterGoneStartsOver() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(2));
    long last = snowflake.nextId();

    fleet.store.forgetAll();
    fleet.pass(Duration.ofSeconds(15));

    Instant next = timeOf(snowflake, Fleet.nextAfter(snowflake, last));
    assertThat(next).isBetween(fleet.now(), fleet.now().plusSeconds(35));
    assertThat(notBefore(snowflake)).isAfterOrEqualTo(START.plusSeconds(150));
    assertThat(fleet.namespace().layout()).contains(ONE_WORKER);
  }

  @Test
  void holderThatFindsItsRegisterOlderStartsOver() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    fleet.pass(Duration.ofMinutes(2));
    Register older = fleet.store.read(fleet.register(worker)).orElseThrow();
    fleet.pass(Duration.ofSeconds(15));
    long last = snowflake.nextId();

    fleet.store.fallBack(older);
    fleet.pass(Duration.ofSeconds(15));

    assertThat(worker(snowflake)).isEqualTo(1 - worker);
    Fleet.nextAfter(snowflake, last);
  }

  @Test
  void holderThatFindsItsRegisterGoneStopsAtOnceIfItGetsNoOther() {
    Member member = fleet.member();
    Snowflake snowflake = member.builder(ONE_WORKER, member.lease()).maxWait(Duration.ZERO).build();
    fleet.pass(Duration.ofSeconds(64));
    snowflake.nextId();
    Instant fence = fence(snowflake);
    fleet.store.forgetAll();
    Snowflake other = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofSeconds(15));

    assertThat(fleet.now()).isBefore(fence);
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
    other.nextId();
  }

  @Test
  void newHolderAfterAFlushBeginsPastEveryWindowOfAHolderWithoutLead() {
    List<Long> ids = new ArrayList<>();
    Snowflake old = fleet.member().start(ONE_WORKER);
    fleet.pass(Duration.ofMinutes(5));
    ids.add(old.nextId());
    Instant fence = fence(old);

    fleet.store.forgetAll();
    Snowflake fresh = fleet.member().start(ONE_WORKER);
    for (int i = 0; i < 40; i++) {
      ids.add(fresh.nextId());
      try {
        ids.add(old.nextId());
      } catch (LeaseExpiredException e) {
        assertThat(i).isGreaterThan(15); // it found out at its renewal
      }
      fleet.pass(Duration.ofMillis(500));
    }

    assertThat(notBefore(fresh)).isAfterOrEqualTo(fence);
    assertThat(ids).doesNotHaveDuplicates();
  }

  @Test
  void holderRenewsUntilTheAllowedSkewBeforeItsFenceAndNotLater() {
    for (long late : new long[] {0, 1}) {
      Fleet each = new Fleet();
      each.store.thatMayForget().withClock(each.time::currentTimeMillis);
      Member member = each.member();
      Snowflake snowflake = member.start(ONE_WORKER);
      assertThat(fence(snowflake)).isEqualTo(START.plusSeconds(65));
      each.time.advance(Duration.ofMillis(59_999 + late)); // the holder does not run
      member.keeper.runDue();

      Instant renewed = START.plusMillis(89_999);
      assertThat(fence(snowflake)).isEqualTo(late == 0 ? renewed : START.plusSeconds(65));
    }
  }
}
