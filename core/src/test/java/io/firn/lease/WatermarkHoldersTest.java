package io.firn.lease;

import static io.firn.lease.Fleet.HALF_WINDOW;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.notBefore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.lease.Watermark.Reading;
import io.firn.store.Register;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Processes that acquire workers, and holders that end, in a namespace with a watermark. */
class WatermarkHoldersTest {

  private final Fleet fleet = new Fleet().withClock();

  @Test
  void processWhoseClockIsBehindBeginsAtTheFloor() {
    fleet.member().startWithScope();
    fleet.pass(HALF_WINDOW);
    Reading published = fleet.watermark().current();

    Snowflake late = fleet.member().ahead(Duration.ofSeconds(-4)).start(TWO_WORKERS);

    assertThat(late.nextId()).isGreaterThan(published.id());
  }

  @Test
  void processThatAcquiresWhileTheFloorIsRaisedBeginsAtTheFloor() {
    fleet.member().startWithScope();
    fleet.pass(HALF_WINDOW);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    long[] published = {-1};
    fleet.store.beforeNextWrite(() -> published[0] = fleet.watermark().current().id());

    Snowflake snowflake = late.start(TWO_WORKERS);

    assertThat(published[0]).isPositive();
    assertThat(snowflake.nextId()).isGreaterThan(published[0]);
  }

  @Test
  void processThatAcquiresWhileTheFloorIsRaisedAndLostBeginsAtTheTimeOfTheNewMark() {
    fleet.store.withIdentity("run1");
    fleet.member().startWithScope();
    fleet.pass(HALF_WINDOW);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    long[] published = {-1};
    fleet.store.beforeNextWrite(
        () -> {
          Map<String, Register> before = fleet.store.copy();
          published[0] = fleet.watermark().current().id();
          fleet.store.beforeNextRead( // of the floor, after that write
              () -> {
                fleet.store.rollBack(before);
                fleet.store.withIdentity("run2");
              });
        });

    Snowflake snowflake = late.start(TWO_WORKERS);

    assertThat(published[0]).isPositive();
    assertThat(notBefore(snowflake)).isEqualTo(fleet.now());
    assertThat(snowflake.nextId()).isGreaterThan(published[0]);
  }

  @Test
  void processThatAcquiresJustBeforeTheFloorIsRaisedIsSeenByTheReader() {
    fleet.member().startWithScope();
    fleet.pass(HALF_WINDOW);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    long[] drawn = {-1};
    fleet.store.beforeNextWrite(() -> drawn[0] = late.start(TWO_WORKERS).nextId());

    assertThat(fleet.watermark().current().id()).isLessThan(drawn[0]);
  }

  @Test
  void processWhoseFloorCannotBeReadGivesTheWorkerBack() {
    fleet.member().startWithScope();
    fleet.watermark().current();
    Member second = fleet.member();
    fleet.store.beforeNextWrite(
        () -> fleet.store.beforeNextRead(fleet.store::goDown)); // and so is the write after it

    assertThatThrownBy(() -> second.start(TWO_WORKERS)).isInstanceOf(StoreException.class);

    fleet.store.comeBack();
    fleet.pass(Duration.ofMinutes(1));
    second.start(TWO_WORKERS);
  }

  @Test
  void workerThatCrashedIsTakenOverOnlyAfterTheGrace() {
    Member crashed = fleet.member();
    Snowflake first = crashed.start(ONE_WORKER);
    first.scope().close();
    fleet.watermark().current();
    fleet.time.advance(Duration.ofSeconds(39)); // the fence is at 30 s, the grace 10 s

    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class);

    fleet.time.advance(Duration.ofSeconds(1));
    fleet.member().start(ONE_WORKER);
  }

  @Test
  void longestGraceOfTheReadersCountsForAllOfThem() {
    Member crashed = fleet.member();
    Snowflake first = crashed.start(ONE_WORKER);
    first.scope().close();
    fleet.watermarkBuilder().grace(Duration.ofSeconds(40)).build().current();
    fleet.time.advance(Duration.ofSeconds(69)); // the fence is at 30 s

    Reading reading = fleet.watermark().current();

    assertThat(reading.before()).isEqualTo(START);
    assertThat(fleet.record(0).held()).isTrue();
    assertThatThrownBy(() -> fleet.member().start(ONE_WORKER))
        .isInstanceOf(NoFreeWorkerException.class);
    fleet.time.advance(Duration.ofSeconds(1));
    fleet.member().start(ONE_WORKER);
  }

  // The end of a holder.

  @Test
  void holderThatIsGoneIsDeclaredDeadAfterTheGraceAndNotBefore() {
    Snowflake gone = fleet.member().startWithScope();
    long id = gone.scope().nextId();
    Instant fence = Fleet.fence(gone);
    fleet.time.advance(Duration.between(fleet.now(), fence).plusMillis(9_999));
    assertThat(fleet.watermark().current().id()).isLessThan(id);

    fleet.time.advance(Duration.ofMillis(1));

    Reading reading = fleet.watermark().current();
    assertThat(reading.id()).isGreaterThanOrEqualTo(id);
    assertThat(reading.heldBackBy()).isEmpty();
    assertThat(fleet.store.value(fleet.register(Fleet.worker(gone)))).endsWith("declared=dead");
  }

  @Test
  void graceIsSetByTheReader() {
    Snowflake gone = fleet.member().startWithScope();
    fleet.time.advance(Duration.between(fleet.now(), Fleet.fence(gone)));

    fleet.watermarkBuilder().grace(Duration.ofMillis(1)).build().current();
    assertThat(fleet.record(Fleet.worker(gone)).held()).isTrue();
    fleet.time.advance(Duration.ofMillis(1));
    fleet.watermarkBuilder().grace(Duration.ofMillis(1)).build().current();
    assertThat(fleet.record(Fleet.worker(gone)).held()).isFalse();
  }

  @Test
  void holderThatComesBackAfterItWasDeclaredDeadDrawsAboveTheWatermark() {
    Member paused = fleet.member();
    Snowflake snowflake = paused.startWithScope();
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    scope.nextId();
    fleet.time.advance(Duration.ofSeconds(41)); // nobody's keeper ran
    Reading published = fleet.watermark().current();

    assertThatThrownBy(scope::beforeCommit).isInstanceOf(ScopeExpiredException.class);
    fleet.pass(Duration.ofSeconds(1));

    assertThat(snowflake.nextId()).isGreaterThan(published.id());
  }

  @Test
  void withoutAClockOfTheStoreAHolderIsDeadOnceItsRegisterStoodUnchanged() {
    Fleet clockless = new Fleet();
    Snowflake gone = clockless.member().start(ONE_WORKER);
    long id = gone.scope().nextId();
    Watermark watermark = clockless.watermark();
    clockless.time.advance(Duration.ofMinutes(10));
    assertThat(watermark.current().id()).isLessThan(id);
    clockless.time.advance(Duration.ofMillis(44_999)); // window 30 s, grace 10 s, skew 5 s
    assertThat(watermark.current().id()).isLessThan(id);
    clockless.time.advance(Duration.ofMillis(1));

    watermark.current();
    assertThat(clockless.record(0).held()).isFalse();
    assertThat(watermark.current().id()).isGreaterThanOrEqualTo(id);
  }

  @Test
  void withoutAClockOfTheStoreAnAcquirerWaitsAsLong() {
    Fleet clockless = new Fleet();
    clockless.member().start(ONE_WORKER).scope().close();
    clockless.watermark().current();
    clockless.time.advance(Duration.ofMinutes(10)); // by this clock the fence has long passed

    Member next = clockless.member();
    Instant before = clockless.now();
    next.start(ONE_WORKER, next.lease().acquireTimeout(Duration.ofMinutes(2)));

    assertThat(clockless.now()).isBetween(before.plusSeconds(45), before.plusSeconds(60));
  }
}
