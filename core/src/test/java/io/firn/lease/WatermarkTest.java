package io.firn.lease;

import static io.firn.lease.Fleet.HALF_WINDOW;
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
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.block.BlockName;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.lease.Watermark.Reading;
import io.firn.store.FaultyStore.Fault;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatermarkTest {

  private final Fleet fleet = new Fleet().withClock();

  @Test
  void coversEveryIdOfScopesThatAreClosed() {
    Snowflake snowflake = fleet.member().startWithScope();
    long id;
    try (IdScope scope = snowflake.scope()) {
      id = scope.nextId();
      scope.beforeCommit();
    }
    assertThat(fleet.watermark().current().id()).isLessThan(id);

    fleet.pass(HALF_WINDOW);

    Reading reading = fleet.watermark().current();
    assertThat(reading.id()).isGreaterThanOrEqualTo(id).isLessThan(snowflake.nextId());
    assertThat(reading.before()).isEqualTo(fleet.now());
    assertThat(reading.lag()).isZero();
  }

  @Test
  void staysBelowTheIdsOfAScopeThatIsOpen() {
    Snowflake snowflake = fleet.member().startWithScope();
    fleet.pass(Duration.ofSeconds(1));
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    long id = scope.nextId();
    for (int i = 0; i < 8; i++) {
      fleet.pass(HALF_WINDOW);
      long other = snowflake.nextId();
      assertThat(fleet.watermark().current().id()).isLessThan(id).isLessThan(other);
    }
    assertThat(fleet.watermark().current().heldBackBy())
        .extracting(WorkerEntry::low, WorkerEntry::holder)
        .containsExactly(
            org.assertj.core.groups.Tuple.tuple(
                java.util.Optional.of(timeOf(snowflake, id).minusSeconds(1)), "host-0"));
    scope.close();
    fleet.pass(HALF_WINDOW);
    assertThat(fleet.watermark().current().id()).isGreaterThanOrEqualTo(id);
  }

  /** As a pool may that has connections to an old and to a new primary. */
  @Test
  void registersOfAnotherStoreThanTheOneWithTheFloorDoNotCount() {
    fleet.store.withIdentity("run1");
    Snowflake snowflake = fleet.member().startWithScope();
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
    Snowflake snowflake = member.startWithScope();
    member.ahead(Duration.ofSeconds(-3));

    fleet.pass(HALF_WINDOW);

    assertThat(snowflake.leaseStatus().orElseThrow().fence())
        .isEqualTo(fleet.now().plus(HALF_WINDOW).plus(HALF_WINDOW));
  }

  @Test
  void processWhoseClockIsBehindTheStoresDoesNotWaitForThatAfterARenewal() {
    Member member = fleet.member().ahead(Duration.ofSeconds(-2));
    Snowflake snowflake = member.startWithScope();
    fleet.pass(HALF_WINDOW);
    long before = member.nanosParked();

    assertThat(timeOf(snowflake, snowflake.nextId())).isEqualTo(fleet.now().minusSeconds(2));

    assertThat(member.nanosParked()).isEqualTo(before);
  }

  @Test
  void watermarkFollowsAProcessWhoseClockIsBehindTheStores() {
    Member member = fleet.member().ahead(Duration.ofSeconds(-2));
    Snowflake snowflake = member.startWithScope();
    Watermark watermark = fleet.watermarkBuilder().heartbeat(Duration.ofMillis(500)).build();
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
    Snowflake snowflake = member.startWithScope();
    fleet.pass(HALF_WINDOW);
    member.ahead(Duration.ofHours(-1));
    fleet.pass(Duration.ofMinutes(2));

    assertThat(fleet.watermark().current().lag()).isLessThanOrEqualTo(HALF_WINDOW);
    assertThat(snowflake.leaseStatus().orElseThrow().clockDoubt()).isPresent();
  }

  @Test
  void leaseShowsTheWatermarkThatWasPublished() {
    Snowflake snowflake = fleet.member().startWithScope();
    assertThat(snowflake.leaseStatus().orElseThrow().watermark()).isEmpty();
    Watermark watermark = fleet.watermark();
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
    Snowflake snowflake = member.startWithScope();
    fleet.pass(HALF_WINDOW);
    long published = fleet.watermark().current().id();
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
      Snowflake snowflake = disagreeing.member().startWithScope();
      Watermark watermark = disagreeing.watermark();
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

    assertThat(fleet.watermark().current().before()).isEqualTo(START);
    fleet.pass(Duration.ofMinutes(1).plus(HALF_WINDOW));

    assertThat(fleet.watermark().current().before()).isEqualTo(fleet.now());
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

  @Test
  void staysBelowAnOpenScopeAlsoAfterTheStoresClockStepsBack() {
    Snowflake snowflake = fleet.member().startWithScope();
    fleet.pass(Duration.ofSeconds(14));
    snowflake.nextId(); // moves the word, so that the scope begins here
    IdScope scope = snowflake.scope(Duration.ofMinutes(10));
    long id = scope.nextId();
    fleet.pass(Duration.ofSeconds(1)); // publishes the low mark
    fleet.watermark().current(); // raises the floor past it
    fleet.store.withClock(() -> fleet.time.currentTimeMillis() - 3_000);

    assertThat(fleet.watermark().current().id()).isLessThan(id);
    scope.close();
  }

  @Test
  void heartbeatShortensTheLagWhileAReaderAsks() {
    Snowflake snowflake = fleet.member().startWithScope();
    Watermark watermark = fleet.watermarkBuilder().heartbeat(Duration.ofMillis(500)).build();
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
    assertThatThrownBy(() -> fleet.watermark().current())
        .isInstanceOf(IllegalArgumentException.class);
    Snowflake snowflake = fleet.member().startWithScope();
    assertThat(fleet.watermark().published()).isEmpty();
    fleet.pass(HALF_WINDOW);
    Reading first = fleet.watermark().current();
    IdScope scope = snowflake.scope();
    Snowflake second = fleet.member().ahead(Duration.ofSeconds(-4)).start(TWO_WORKERS);
    Reading next = fleet.watermark().current();

    assertThat(next.id()).isGreaterThanOrEqualTo(first.id());
    assertThat(fleet.watermark().published().orElseThrow().id()).isEqualTo(next.id());
    assertThat(second.nextId()).isGreaterThan(next.id());
    scope.close();
  }

  @Test
  void watermarkIsWrittenAgainIfTheOutcomeOfAWriteIsUnknown() {
    fleet.member().startWithScope();
    fleet.pass(HALF_WINDOW);
    fleet.store.nextWrites(
        Fault.REPLY_LOST, Fault.REQUEST_LOST, Fault.APPLIED, Fault.REPLY_LOST, Fault.REQUEST_LOST);

    Instant renewed = fleet.now();
    assertThat(fleet.watermark().current().before()).isEqualTo(renewed);
    assertThat(fleet.watermark().published().orElseThrow().before()).isEqualTo(renewed);
  }

  @Test
  void reservedWorkerIsRefusedUnlessItIsLeftOut() {
    fleet.member().startWithScope();
    Namespace.of(fleet.store, NAMESPACE)
        .reserve(1 - workerOf(0), TWO_WORKERS, "old Leaf", WorkerEntry.NEVER, false);

    assertThatThrownBy(() -> fleet.watermark().current())
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("is reserved for old Leaf; release it, or ask for a watermark");
    assertThat(fleet.watermark().published()).as("a refusal begins no watermark").isEmpty();
    fleet.watermarkBuilder().leaveOutReserved().build().current();
  }

  @Test
  void blocksAreRefusedUnlessTheyAreOutsideOfIt() {
    fleet.member().startWithScope();
    IdBlocks blocks = blocks().build();
    blocks.take(10);
    fleet.watermark().current();

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
    fleet.member().startWithScope();
    IdBlocks blocks = blocks().build();
    fleet.store.beforeNextWrite(() -> fleet.watermark().current());

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
    Watermark watermark =
        fleet.watermarkBuilder().grace(Duration.ofMinutes(2)).leaveOutReserved().build();
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
    assertThatThrownBy(() -> fleet.watermarkBuilder().allowMayForget().build())
        .isInstanceOf(UnsupportedOperationException.class);
  }

  private String sinceOfMark() {
    return fleet.store.value("orders/layout").replaceFirst(".* since=(\\S+).*", "$1");
  }

  @Test
  void watermarkStopsUntilTheSettlingTimeAndTheGraceAreOver() {
    fleet.store.withIdentity("run1");
    Snowflake snowflake = fleet.member().startWithScope();
    fleet.pass(HALF_WINDOW);
    Reading before = fleet.watermark().current();
    assertThat(before.before()).isEqualTo(fleet.now());

    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofSeconds(1));
    fleet.watermark().current();
    fleet.pass(HALF_WINDOW); // by now the mark is complete
    Instant settled = Instant.parse(sinceOfMark()).plusSeconds(60);
    fleet.pass(Duration.between(fleet.now(), settled).plusSeconds(9));
    assertThat(fleet.watermark().current().id()).isEqualTo(before.id());
    fleet.pass(Duration.ofSeconds(1)); // a commit of a holder that was forgotten may take the grace

    assertThat(fleet.watermark().current().id()).isGreaterThan(before.id());
    assertThat(snowflake.nextId()).isGreaterThan(fleet.watermark().current().id());
  }

  @Test
  void readingWhatIsPublishedWritesNoMark() {
    fleet.store.withIdentity("run1");
    fleet.member().startWithScope();
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
    fleet.member().startWithScope();
    fleet.store.put(fleet.register(1 - workerOf(0)), older(START.plusSeconds(3)));
    fleet.pass(HALF_WINDOW);

    assertThat(fleet.watermark().current().before()).isEqualTo(START.plusSeconds(3));
    assertThat(fleet.watermark().current().heldBackBy().get(0).low()).isEmpty();
  }

  private static String older(Instant since) {
    return "firn-worker/1 state=held fence="
        + since.plusSeconds(60)
        + " since="
        + since
        + " windowMillis=60000 holder=old pid=1 token=t nonce=n";
  }
}
