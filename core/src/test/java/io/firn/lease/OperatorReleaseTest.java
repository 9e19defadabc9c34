package io.firn.lease;

import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.store.FaultyStore.Fault;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class OperatorReleaseTest {

  private static final Duration YEAR = Duration.ofDays(365);

  /** A window, and the clock skew. */
  private static final Duration NOTICED = Duration.ofSeconds(35);

  private final Fleet fleet = new Fleet();
  private final Namespace namespace = fleet.namespace();

  /** A process whose clock was a year ahead has died. */
  private Instant crashAYearAhead() {
    Snowflake snowflake = fleet.member().ahead(YEAR).start(ONE_WORKER);
    Instant newest = Fleet.timeOf(snowflake, snowflake.nextId());
    fleet.store.withClock(fleet.time::currentTimeMillis);
    return newest.plusMillis(1);
  }

  @Test
  void aHolderThatLivesStopsAtItsNextRenewalAndLeasesAnotherWorker() {
    Snowflake snowflake = fleet.member().start(TWO_WORKERS);
    long worker = worker(snowflake);
    Instant fence = Fleet.fence(snowflake);
    Set<Long> ids = new HashSet<>();
    fleet.pass(Duration.ofSeconds(5));

    WorkerEntry entry = namespace.release(worker);

    assertThat(entry.held()).isFalse();
    assertThat(entry.fence()).isEqualTo(fence);
    assertThat(fleet.record(worker).fenceMillis()).isEqualTo(fence.toEpochMilli());
    for (int i = 0; i < 60; i++) {
      assertThat(ids.add(snowflake.nextId())).isTrue();
      fleet.pass(Duration.ofSeconds(1));
    }
    assertThat(worker(snowflake)).isEqualTo(1 - worker);
    Member other = fleet.member();
    Snowflake next = other.start(TWO_WORKERS, other.lease().worker(worker));
    for (int i = 0; i < 60; i++) {
      assertThat(ids.add(next.nextId())).isTrue();
      fleet.pass(Duration.ofSeconds(1));
    }
  }

  @Test
  void aHolderThatRenewsBeforeTheReleaseIsWrittenKeepsItsFence() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    fleet.store.beforeNextWrite(() -> fleet.pass(Duration.ofSeconds(15)));

    WorkerEntry entry = namespace.release(0);

    assertThat(Fleet.fence(snowflake)).isEqualTo(START.plusSeconds(45));
    assertThat(entry.fence()).isEqualTo(START.plusSeconds(45));
    assertThat(fleet.record(0).fenceMillis()).isEqualTo(START.plusSeconds(45).toEpochMilli());
  }

  @Test
  void aFenceAYearAheadStaysUnlessItIsLowered() {
    crashAYearAhead();

    namespace.release(0);

    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageContaining("the next is free at " + START.plus(YEAR).plusSeconds(30));
  }

  @Test
  void aFenceAYearAheadIsLoweredToWhereAHolderThatLivesHasNoticed() {
    crashAYearAhead();

    WorkerEntry entry = namespace.release(0, START);

    assertThat(entry.held()).isFalse();
    assertThat(entry.fence()).isEqualTo(START.plus(NOTICED));
    assertThat(fleet.store.read(fleet.register(0)).orElseThrow().value())
        .startsWith("firn-worker/1 state=released fence=2026-11-01T00:00:35Z since=2027-")
        .endsWith(" loweredFrom=2027-11-01T00:00:30Z");
    fleet.pass(NOTICED);
    Snowflake next = fleet.member().start(ONE_WORKER);
    assertThat(Fleet.timeOf(next, next.nextId())).isEqualTo(fleet.now());
  }

  @Test
  void aFenceIsLoweredToWhereWindowsEndThatBeganAheadBecauseOfAMark() {
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() + YEAR.toMillis());
    fleet.store.withIdentity("run1");
    fleet.member().ahead(YEAR).start(ONE_WORKER); // and crashes
    fleet.store.withClock(fleet.time::currentTimeMillis);

    assertThat(namespace.release(0, START).fence()).isEqualTo(START.plus(NOTICED).plusSeconds(60));
  }

  @Test
  void aHolderWhoseFenceWouldStayKeepsItsWorker() {
    Snowflake snowflake = fleet.member().ahead(NOTICED.minusSeconds(30)).start(ONE_WORKER);
    fleet.store.withClock(fleet.time::currentTimeMillis);
    assertThat(Fleet.fence(snowflake)).isEqualTo(START.plus(NOTICED));

    assertThatThrownBy(() -> namespace.release(0, START))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("worker: 0 (expected: one that is reserved, or whose fence is past")
        .hasMessageContaining("2026-11-01T00:00:35Z; it is leased to host-0 until ");

    assertThat(fleet.record(0).held()).isTrue();
    fleet.time.advance(Duration.ofMillis(-1));
    assertThat(namespace.release(0, START).fence()).isEqualTo(START.plus(NOTICED).minusMillis(1));
  }

  @Test
  void aFenceIsNotLoweredBelowTheNewestId() {
    Instant issuedBefore = crashAYearAhead();

    assertThat(namespace.release(0, issuedBefore).fence()).isEqualTo(issuedBefore);
  }

  @Test
  void aFenceIsNeverRaised() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    snowflake.close();
    Instant fence = Instant.ofEpochMilli(fleet.record(0).fenceMillis());

    assertThat(namespace.release(0, START).fence()).isEqualTo(fence);
    assertThat(fleet.store.read(fleet.register(0)).orElseThrow().value())
        .doesNotContain("loweredFrom");
  }

  @Test
  void aFenceIsNotLoweredIntoTheTimesOfABlockThatWasTakenBefore() {
    fleet.withIdentity().store.thatMayForget();
    Member first = fleet.member();
    first.start(TWO_WORKERS, first.lease().worker(0)).close();
    fleet.time.advance(Duration.ofSeconds(20));
    IdBlock block = block(64 * 2_000);
    Instant end = TWO_WORKERS.parse(block.last()).instant().plusMillis(1);
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() + YEAR.toMillis());
    Member crashed = fleet.member().ahead(YEAR);
    crashed.start(TWO_WORKERS, crashed.lease().worker(1));
    fleet.store.withClock(fleet.time::currentTimeMillis);

    assertThat(namespace.release(1, Instant.EPOCH).fence())
        .isBetween(end, fleet.now().plus(NOTICED).plusSeconds(60));
  }

  @Test
  void aFenceAYearAheadIsLoweredToTheEndOfTheBlockThatWasTakenBefore() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
    fleet.member().start(TWO_WORKERS).close();
    IdBlock block = block(64 * 120_000);
    Instant end = TWO_WORKERS.parse(block.last()).instant().plusMillis(1);
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() + YEAR.toMillis());
    for (int life = 0; life < 2; life++) {
      Member crashed = fleet.member().ahead(YEAR);
      Snowflake snowflake = crashed.start(TWO_WORKERS, crashed.lease().worker(1));
      fleet.pass(Duration.ofSeconds(16)); // renewed
      if (life == 0) {
        snowflake.close();
      }
    }
    fleet.store.withClock(fleet.time::currentTimeMillis);

    assertThat(namespace.release(1, Instant.EPOCH).fence()).isEqualTo(end);
    assertThatThrownBy(() -> namespace.release(1, Instant.EPOCH))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageEndingWith("it has one until " + end + ", and is free from then on)");
  }

  private IdBlock block(long size) {
    IdBlocks blocks =
        IdBlocks.builder(fleet.store, Fleet.NAMESPACE)
            .layout(TWO_WORKERS)
            .timeSource(fleet.member())
            .build();
    return blocks.take(size);
  }

  @Test
  void aFenceThatAReleaseLeftAYearAheadIsLoweredToo() {
    Snowflake snowflake = fleet.member().ahead(YEAR).start(ONE_WORKER);
    snowflake.close();
    fleet.store.withClock(fleet.time::currentTimeMillis);
    assertThat(fleet.record(0).fenceMillis())
        .isGreaterThanOrEqualTo(START.plus(YEAR).toEpochMilli());

    assertThatThrownBy(() -> namespace.release(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching(
            "worker: 0 \\(expected: a held one; it was released with a fence of 2027-.*Z\\)");
    assertThat(namespace.release(0, START).fence()).isEqualTo(START.plus(NOTICED));
  }

  @Test
  void refusesATimePastTheFenceAndAWorkerThatWasNeverLeased() {
    crashAYearAhead();
    Instant fence = START.plus(YEAR).plusSeconds(30);

    assertThatThrownBy(() -> namespace.release(0, fence.plusMillis(1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "issuedBefore: 2027-11-01T00:00:30.001Z (expected: at most the fence of worker 0, which"
                + " is 2027-11-01T00:00:30Z)");
    assertThat(fleet.record(0).held()).isTrue();
    assertThat(namespace.release(0, fence).held()).isFalse();
    assertThatThrownBy(() -> namespace.release(1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("worker: 1 (expected: one that was leased in namespace orders)");
  }

  @Test
  void aWriteWhoseReplyWasLostIsConfirmed() {
    crashAYearAhead();
    fleet.store.nextWrites(Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.SENT_TWICE);

    assertThat(namespace.release(0, START).fence()).isEqualTo(START.plus(NOTICED));

    assertThat(fleet.store.read(fleet.register(0)).orElseThrow().value())
        .endsWith(" loweredFrom=2027-11-01T00:00:30Z");
    assertThat(fleet.store.writes(fleet.register(0))).isEqualTo(4); // three of the release
  }

  @Test
  void aWriteIsBoundToTheIdentityOfTheStore() {
    fleet.store.withClock(fleet.time::currentTimeMillis).withIdentity("first");
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    Instant fence = Fleet.fence(snowflake);
    fleet.store.beforeNextWrite(() -> fleet.store.withIdentity("second"));
    long calls = fleet.store.calls();

    assertThat(namespace.release(0).fence()).isEqualTo(fence);

    assertThat(fleet.store.calls() - calls).isEqualTo(4); // two readings, and a write after each
    assertThat(fleet.record(0).held()).isFalse();
  }
}
