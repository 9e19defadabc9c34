package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.START;
import static io.firn.lease.Fleet.TWO_WORKERS;
import static io.firn.lease.Fleet.notBefore;
import static io.firn.lease.Fleet.timeOf;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.block.BlockName;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.lease.Watermark.Reading;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatermarkTest {

  private static final Duration HALF_WINDOW = Duration.ofSeconds(15);

  private final Fleet fleet = new Fleet();

  @BeforeEach
  void giveTheStoreAClock() {
    fleet.store.withClock(fleet.time::currentTimeMillis);
  }

  private Watermark.Builder builder() {
    return Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.time);
  }

  private Watermark watermark() {
    return builder().build();
  }

  /** Starts a generator that has opened a scope, and so publishes its low mark. */
  private Snowflake start(Member member) {
    Snowflake snowflake = member.start(TWO_WORKERS);
    snowflake.scope().close();
    return snowflake;
  }

  // What it covers.

  @Test
  void coversEveryIdOfScopesThatAreClosed() {
    Snowflake snowflake = start(fleet.member());
    long id;
    try (IdScope scope = snowflake.scope()) {
      id = scope.nextId();
      scope.beforeCommit();
    }
    assertThat(watermark().current().id()).isLessThan(id);

    fleet.pass(HALF_WINDOW);

    Reading reading = watermark().current();
    assertThat(reading.id()).isGreaterThanOrEqualTo(id).isLessThan(snowflake.nextId());
    assertThat(reading.before()).isEqualTo(fleet.now());
    assertThat(reading.lag()).isZero();
  }

  @Test
  void staysBelowTheIdsOfAScopeThatIsOpen() {
    Snowflake snowflake = start(fleet.member());
    fleet.pass(Duration.ofSeconds(1));
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    long id = scope.nextId();
    for (int i = 0; i < 8; i++) {
      fleet.pass(HALF_WINDOW);
      long other = snowflake.nextId();
      assertThat(watermark().current().id()).isLessThan(id).isLessThan(other);
    }
    assertThat(watermark().current().heldBackBy())
        .extracting(WorkerEntry::low, WorkerEntry::holder)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                java.util.Optional.of(timeOf(snowflake, id).minusSeconds(1)), "host-0"));
    scope.close();
    fleet.pass(HALF_WINDOW);
    assertThat(watermark().current().id()).isGreaterThanOrEqualTo(id);
  }

  /** As a pool may that has connections to an old and to a new primary. */
  @Test
  void registersOfAnotherStoreThanTheOneWithTheFloorDoNotCount() {
    fleet.store.withIdentity("run1");
    Snowflake snowflake = start(fleet.member());
    fleet.pass(Duration.ofMinutes(2));
    IdScope scope = snowflake.scope(Duration.ofMinutes(1));
    long id = scope.nextId();
    RegisterStore split = fleet.splitStore();
    Watermark watermark = Watermark.builder(split, NAMESPACE).timeSource(fleet.time).build();
    fleet.pass(Duration.ofSeconds(20));

    assertThatThrownBy(watermark::current).isInstanceOf(StoreException.class);

    assertThat(watermark.published().orElseThrow().id()).isLessThan(id);
    scope.close();
  }

  /** A reader waits for that fence by the store's clock. */
  @Test
  void fenceOfAHolderWithScopesIsByTheClockOfTheStore() {
    Member member = fleet.member();
    Snowflake snowflake = start(member);
    member.ahead(Duration.ofSeconds(-3));

    fleet.pass(HALF_WINDOW);

    assertThat(snowflake.leaseStatus().orElseThrow().fence())
        .isEqualTo(fleet.now().plus(HALF_WINDOW).plus(HALF_WINDOW));
  }

  @Test
  void processWhoseClockIsBehindTheStoresDoesNotWaitForThatAfterARenewal() {
    Member member = fleet.member().ahead(Duration.ofSeconds(-2));
    Snowflake snowflake = start(member);
    fleet.pass(HALF_WINDOW);
    long before = member.nanosParked();

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now().minusSeconds(2));

    assertThat(member.nanosParked()).isEqualTo(before);
  }

  @Test
  void watermarkFollowsAProcessWhoseClockIsBehindTheStores() {
    Member member = fleet.member().ahead(Duration.ofSeconds(-2));
    Snowflake snowflake = start(member);
    Watermark watermark = builder().heartbeat(Duration.ofMillis(500)).build();
    watermark.current();
    fleet.pass(HALF_WINDOW);
    long before = member.nanosParked();
    for (int i = 0; i < 20; i++) {
      fleet.pass(Duration.ofMillis(500));
      assertThat(snowflake.nextId()).isGreaterThan(watermark.current().id());
      assertThat(watermark.current().lag()).isLessThanOrEqualTo(Duration.ofMillis(2_600));
    }

    assertThat(member.nanosParked()).isEqualTo(before);
  }

  @Test
  void watermarkFollowsTheStoresClockWhereThatOfAProcessIsTooFarBehind() {
    Member member = fleet.member();
    Snowflake snowflake = start(member);
    fleet.pass(HALF_WINDOW);
    member.ahead(Duration.ofHours(-1));
    fleet.pass(Duration.ofMinutes(2));

    assertThat(watermark().current().lag()).isLessThanOrEqualTo(HALF_WINDOW);
    assertThat(snowflake.leaseStatus().orElseThrow().clockDoubt()).isPresent();
  }

  @Test
  void leaseShowsTheWatermarkThatWasPublished() {
    Snowflake snowflake = start(fleet.member());
    assertThat(snowflake.leaseStatus().orElseThrow().watermark()).isEmpty();
    Watermark watermark = watermark();
    watermark.current();
    fleet.pass(HALF_WINDOW);
    Instant published = watermark.current().before();

    fleet.pass(HALF_WINDOW);

    assertThat(snowflake.leaseStatus().orElseThrow().watermark()).hasValue(published);
    assertThat(published).isEqualTo(fleet.now().minus(HALF_WINDOW));
  }

  @Test
  void generatorWhoseClockStepsBackDrawsNothingBelowALowMarkThatIsPublished() {
    Member member = fleet.member();
    Snowflake snowflake = start(member);
    fleet.pass(HALF_WINDOW);
    long published = watermark().current().id();
    assertThat(published).isPositive();

    member.ahead(Duration.ofMillis(-500)); // and nothing was drawn since the start

    assertThat(snowflake.nextId()).isGreaterThan(published);
  }

  @Test
  void readerMovesNothingOnWhileItsClockAndTheStoresDisagree() {
    for (String identity : new String[] {"", "run1"}) {
      Fleet disagreeing = new Fleet();
      Duration[] off = {Duration.ZERO};
      disagreeing.store.withClock(() -> disagreeing.time.currentTimeMillis() + off[0].toMillis());
      if (!identity.isEmpty()) {
        disagreeing.store.withIdentity(identity);
      }
      Snowflake snowflake = start(disagreeing.member());
      Watermark watermark =
          Watermark.builder(disagreeing.store, NAMESPACE).timeSource(disagreeing.time).build();
      Reading before = watermark.current();
      off[0] = Duration.ofHours(1);

      assertThatThrownBy(watermark::current).isInstanceOf(ClockSkewException.class);
      assertThat(disagreeing.record(worker(snowflake)).held()).isTrue();
      off[0] = Duration.ZERO;
      assertThat(watermark.published().orElseThrow().before()).isEqualTo(before.before());
      assertThat(notBefore(disagreeing.member().start(TWO_WORKERS))).isEqualTo(disagreeing.now());
    }
  }

  @Test
  void generatorWithoutScopesPublishesItsLowMarkOnceAWatermarkIsAskedFor() {
    fleet.member().start(TWO_WORKERS);
    fleet.pass(Duration.ofMinutes(2));
    assertThat(fleet.record(workerOf(0)).lowMillis()).isEmpty();

    assertThat(watermark().current().before()).isEqualTo(START);
    fleet.pass(Duration.ofMinutes(1).plus(HALF_WINDOW));

    assertThat(watermark().current().before()).isEqualTo(fleet.now());
  }

  private long workerOf(int index) {
    return Namespace.of(fleet.store, NAMESPACE).workers().get(index).worker();
  }

  @Test
  void namespaceThatNeverAsksHasNoLowMarksAndOneWriteAndOneReadPerRenewal() {
    Snowflake snowflake = fleet.member().start(ONE_WORKER);
    long calls = fleet.store.calls();

    fleet.pass(HALF_WINDOW.multipliedBy(8));

    assertThat(fleet.store.calls() - calls).isEqualTo(8 + 8);
    assertThat(fleet.store.value(fleet.register(Fleet.worker(snowflake)))).doesNotContain("low=");
  }

  // Who acquires.

  @Test
  void processWhoseClockIsBehindBeginsAtTheFloor() {
    start(fleet.member());
    fleet.pass(HALF_WINDOW);
    Reading published = watermark().current();

    Snowflake late = fleet.member().ahead(Duration.ofSeconds(-4)).start(TWO_WORKERS);

    assertThat(late.nextId()).isGreaterThan(published.id());
  }

  @Test
  void processThatAcquiresWhileTheFloorIsRaisedBeginsAtTheFloor() {
    start(fleet.member());
    fleet.pass(HALF_WINDOW);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    long[] published = {-1};
    fleet.store.beforeNextWrite(() -> published[0] = watermark().current().id());

    Snowflake snowflake = late.start(TWO_WORKERS);

    assertThat(published[0]).isPositive();
    assertThat(snowflake.nextId()).isGreaterThan(published[0]);
  }

  @Test
  void processThatAcquiresWhileTheFloorIsRaisedAndLostBeginsAtTheTimeOfTheNewMark() {
    fleet.store.withIdentity("run1");
    start(fleet.member());
    fleet.pass(HALF_WINDOW);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    long[] published = {-1};
    fleet.store.beforeNextWrite(
        () -> {
          Map<String, Register> before = fleet.store.copy();
          published[0] = watermark().current().id();
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
    start(fleet.member());
    fleet.pass(HALF_WINDOW);
    Member late = fleet.member().ahead(Duration.ofSeconds(-4));
    long[] drawn = {-1};
    fleet.store.beforeNextWrite(() -> drawn[0] = late.start(TWO_WORKERS).nextId());

    assertThat(watermark().current().id()).isLessThan(drawn[0]);
  }

  @Test
  void processWhoseFloorCannotBeReadGivesTheWorkerBack() {
    start(fleet.member());
    watermark().current();
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
    watermark().current();
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
    builder().grace(Duration.ofSeconds(40)).build().current();
    fleet.time.advance(Duration.ofSeconds(69)); // the fence is at 30 s

    Reading reading = watermark().current();

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
    Snowflake gone = start(fleet.member());
    long id = gone.scope().nextId();
    Instant fence = Fleet.fence(gone);
    fleet.time.advance(Duration.between(fleet.now(), fence).plusMillis(9_999));
    assertThat(watermark().current().id()).isLessThan(id);

    fleet.time.advance(Duration.ofMillis(1));

    Reading reading = watermark().current();
    assertThat(reading.id()).isGreaterThanOrEqualTo(id);
    assertThat(reading.heldBackBy()).isEmpty();
    assertThat(fleet.store.value(fleet.register(Fleet.worker(gone)))).endsWith("declared=dead");
  }

  @Test
  void graceIsSetByTheReader() {
    Snowflake gone = start(fleet.member());
    fleet.time.advance(Duration.between(fleet.now(), Fleet.fence(gone)));

    builder().grace(Duration.ofMillis(1)).build().current();
    assertThat(fleet.record(Fleet.worker(gone)).held()).isTrue();
    fleet.time.advance(Duration.ofMillis(1));
    builder().grace(Duration.ofMillis(1)).build().current();
    assertThat(fleet.record(Fleet.worker(gone)).held()).isFalse();
  }

  @Test
  void holderThatComesBackAfterItWasDeclaredDeadDrawsAboveTheWatermark() {
    Member paused = fleet.member();
    Snowflake snowflake = start(paused);
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    scope.nextId();
    fleet.time.advance(Duration.ofSeconds(41)); // nobody's keeper ran
    Reading published = watermark().current();

    assertThatThrownBy(scope::beforeCommit).isInstanceOf(ScopeExpiredException.class);
    fleet.pass(Duration.ofSeconds(1));

    assertThat(snowflake.nextId()).isGreaterThan(published.id());
  }

  @Test
  void withoutAClockOfTheStoreAHolderIsDeadOnceItsRegisterStoodUnchanged() {
    Fleet clockless = new Fleet();
    Snowflake gone = clockless.member().start(ONE_WORKER);
    long id = gone.scope().nextId();
    Watermark watermark =
        Watermark.builder(clockless.store, NAMESPACE).timeSource(clockless.time).build();
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
    Watermark.builder(clockless.store, NAMESPACE).timeSource(clockless.time).build().current();
    clockless.time.advance(Duration.ofMinutes(10)); // by this clock the fence has long passed

    Member next = clockless.member();
    Instant before = clockless.now();
    next.start(ONE_WORKER, next.lease().acquireTimeout(Duration.ofMinutes(2)));

    assertThat(clockless.now()).isBetween(before.plusSeconds(45), before.plusSeconds(60));
  }

  // The reader.

  @Test
  void staysBelowAnOpenScopeAlsoAfterTheStoresClockStepsBack() {
    Snowflake snowflake = start(fleet.member());
    fleet.pass(Duration.ofSeconds(14));
    snowflake.nextId(); // moves the word, so that the scope begins here
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    long id = scope.nextId();
    fleet.pass(Duration.ofSeconds(1)); // publishes the low mark
    watermark().current(); // raises the floor past it
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() - 3_000);

    assertThat(watermark().current().id()).isLessThan(id);
    scope.close();
  }

  @Test
  void heartbeatShortensTheLagWhileAReaderAsks() {
    Snowflake snowflake = start(fleet.member());
    Watermark watermark = builder().heartbeat(Duration.ofMillis(500)).build();
    watermark.current();
    fleet.pass(HALF_WINDOW);
    for (int i = 0; i < 20; i++) {
      fleet.pass(Duration.ofMillis(500));
      assertThat(watermark.current().lag()).isLessThanOrEqualTo(Duration.ofMillis(600));
    }
    fleet.pass(Duration.ofMinutes(1)); // it asks no more
    int writes = fleet.store.writes(fleet.register(Fleet.worker(snowflake)));
    fleet.pass(HALF_WINDOW);
    assertThat(fleet.store.writes(fleet.register(Fleet.worker(snowflake)))).isEqualTo(writes + 1);
  }

  @Test
  void watermarkNeverGoesBackAndIsPublishedForOthers() {
    assertThatThrownBy(() -> watermark().current()).isInstanceOf(IllegalArgumentException.class);
    Snowflake snowflake = start(fleet.member());
    assertThat(watermark().published()).isEmpty();
    fleet.pass(HALF_WINDOW);
    Reading first = watermark().current();
    IdScope scope = snowflake.scope();
    Snowflake second = fleet.member().ahead(Duration.ofSeconds(-4)).start(TWO_WORKERS);
    Reading next = watermark().current();

    assertThat(next.id()).isGreaterThanOrEqualTo(first.id());
    assertThat(watermark().published().orElseThrow().id()).isEqualTo(next.id());
    assertThat(second.nextId()).isGreaterThan(next.id());
    scope.close();
  }

  @Test
  void watermarkIsWrittenAgainIfTheOutcomeOfAWriteIsUnknown() {
    start(fleet.member());
    fleet.pass(HALF_WINDOW);
    fleet.store.nextWrites(
        Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.APPLIED, Fault.REPLY_LOST, Fault.REQUEST_LOST);

    Instant renewed = fleet.now();
    assertThat(watermark().current().before()).isEqualTo(renewed);
    assertThat(watermark().published().orElseThrow().before()).isEqualTo(renewed);
  }

  @Test
  void reservedWorkerIsRefusedUnlessItIsLeftOut() {
    start(fleet.member());
    Namespace.of(fleet.store, NAMESPACE)
        .reserve(1 - workerOf(0), TWO_WORKERS, "old Leaf", WorkerEntry.NEVER, false);

    assertThatThrownBy(() -> watermark().current())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is reserved for old Leaf; release it, or ask for a watermark");
    assertThat(watermark().published()).as("a refusal begins no watermark").isEmpty();
    builder().leaveOutReserved().build().current();
  }

  @Test
  void blocksAreRefusedUnlessTheyAreOutsideOfIt() {
    start(fleet.member());
    IdBlocks blocks = blocks().build();
    blocks.take(10);
    watermark().current();

    String message =
        "Namespace orders has a watermark, whose readers may be past the IDs of a block; use another"
            + " namespace, or ask for blocks outside of it";
    assertThatThrownBy(() -> blocks.take(10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(message);
    assertThatThrownBy(() -> blocks.named(new BlockName("load", "a", 0, 0), 10))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(message);
    blocks().outsideWatermark().build().take(10);
  }

  @Test
  void blockThatIsTakenWhileTheFirstWatermarkIsAskedForIsRefused() {
    start(fleet.member());
    IdBlocks blocks = blocks().build();
    fleet.store.beforeNextWrite(() -> watermark().current());

    assertThatThrownBy(() -> blocks.take(10)).isInstanceOf(IllegalStateException.class);
  }

  /** Its record is what the readers wait for. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void neitherBlocksNorReservationsTakeAWorkerWhoseHolderMayCommit(boolean identity) {
    if (identity) {
      fleet.store.withIdentity("run1");
    }
    IdBlocks blocks = blocks().outsideWatermark().build();
    Namespace namespace = fleet.namespace();
    Member member = fleet.member();
    Snowflake gone = member.start(TWO_WORKERS, member.lease().worker(1)); // that of blocks
    IdScope scope = gone.scope();
    long id = scope.nextId();
    Watermark watermark = builder().grace(Duration.ofMinutes(2)).leaveOutReserved().build();
    watermark.current();
    fleet.time.advance(Duration.ofSeconds(24));
    scope.beforeCommit();
    fleet.time.advance(Duration.ofMinutes(2)); // the fence was at 30 s

    String message =
        "; it is free once it is released, or firn watermark declares that process dead";
    assertThatThrownBy(() -> blocks.take(10)).isInstanceOf(NoFreeWorkerException.class);
    assertThatThrownBy(
            () -> namespace.reserve(1, TWO_WORKERS, "old Leaf", WorkerEntry.NEVER, false))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith(message);
    assertThatThrownBy(
            () ->
                fleet
                    .namespace()
                    .checkReservable(
                        WorkerSet.of("1"), TWO_WORKERS, "old Leaf", WorkerEntry.NEVER, false))
        .hasMessageEndingWith(message);
    assertThat(watermark.current().id()).isLessThan(id);

    fleet.time.advance(Duration.ofSeconds(6));
    assertThat(watermark.current().id()).isGreaterThan(id);
    blocks.take(10);
  }

  private IdBlocks.Builder blocks() {
    LeaseConfig lease = fleet.member().lease().build();
    return IdBlocks.builder(lease).layout(TWO_WORKERS).timeSource(fleet.time);
  }

  @Test
  void storeThatMayForgetIsRefusedUnlessItIsAdmittedAndShowsLosses() {
    fleet.store.thatMayForget();
    RegisterStore store = fleet.store;
    assertThatThrownBy(() -> Watermark.of(store, NAMESPACE))
        .isInstanceOf(UnsupportedOperationException.class)
        .hasMessageContaining("allowMayForget() admits this one");
    assertThatThrownBy(() -> builder().allowMayForget().build())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  private String sinceOfMark() {
    return fleet.store.value("orders/layout").replaceFirst(".* since=(\\S+).*", "$1");
  }

  @Test
  void watermarkStopsUntilTheSettlingTimeAndTheGraceAreOver() {
    fleet.store.withIdentity("run1");
    Snowflake snowflake = start(fleet.member());
    fleet.pass(HALF_WINDOW);
    Reading before = watermark().current();
    assertThat(before.before()).isEqualTo(fleet.now());

    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(1));
    watermark().current();
    fleet.pass(HALF_WINDOW); // by now the mark is complete
    Instant settled = Instant.parse(sinceOfMark()).plusSeconds(60);
    fleet.pass(Duration.between(fleet.now(), settled).plusSeconds(9));
    assertThat(watermark().current().id()).isEqualTo(before.id());
    fleet.pass(Duration.ofSeconds(1)); // a commit of a holder that was forgotten may take the grace

    assertThat(watermark().current().id()).isGreaterThan(before.id());
    assertThat(snowflake.nextId()).isGreaterThan(watermark().current().id());
  }

  @Test
  void readingWhatIsPublishedWritesNoMark() {
    fleet.store.withIdentity("run1");
    start(fleet.member());
    Watermark reader = Watermark.builder(fleet.store, NAMESPACE).timeSource(fleet.member()).build();
    fleet.pass(HALF_WINDOW);
    reader.current();

    fleet.store.withIdentity("run2");
    String before = fleet.store.value("orders/layout");
    assertThat(reader.published()).isPresent();
    assertThat(fleet.store.value("orders/layout")).isEqualTo(before);
  }

  @Test
  void holderOfAnOlderVersionHoldsItBackAtItsBeginning() {
    start(fleet.member());
    fleet.store.put(fleet.register(1 - workerOf(0)), older(START.plusSeconds(3)));
    fleet.pass(HALF_WINDOW);

    assertThat(watermark().current().before()).isEqualTo(START.plusSeconds(3));
    assertThat(watermark().current().heldBackBy().get(0).low()).isEmpty();
  }

  private static String older(Instant since) {
    return "firn-worker/1 state=held fence="
        + since.plusSeconds(60)
        + " since="
        + since
        + " windowMillis=60000 holder=old pid=1 token=t nonce=n";
  }
}
