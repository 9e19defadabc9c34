package io.firn.lease;

import static io.firn.lease.Fleet.LAYOUT;
import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.worker;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.block.IdBlocks;
import io.firn.lease.Fleet.Member;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Leases, blocks and reservations in a namespace whose regions have a store each. */
class HomesTest {

  /** Four datacenters of two workers. */
  private static final IdLayout SMALL = IdLayout.of("45t+2d+1w+6s@2026-01-01T00:00:00Z/1ms");

  private final Fleet fleet = new Fleet();

  private void setUp(boolean identity) {
    if (identity) {
      fleet.withIdentity();
    }
  }

  private Snowflake startIn(long datacenter) {
    Member member = fleet.member();
    return member.start(SMALL, member.lease().datacenter(datacenter));
  }

  private static void refuses(ThrowingCallable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call).withMessage(message);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void leasesWorkersOfItsDatacenterOnly(boolean identity) {
    setUp(identity);
    Set<Long> workers = new HashSet<>();
    for (int i = 0; i < 2; i++) {
      workers.add(worker(startIn(3)));
    }

    assertThat(workers).containsExactlyInAnyOrder(6L, 7L);
    assertThat(fleet.namespace().homes()).hasToString("3");
    assertThatThrownBy(() -> startIn(3))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageStartingWith(
            "No worker ID of datacenter 3 of orders is free: 2 of 2 are leased");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void takesNoFreeWorkerOfAnotherHome(boolean identity) {
    setUp(identity);
    startIn(1).close();
    record("1,3");
    startIn(3);
    startIn(3);

    assertThatThrownBy(() -> startIn(3))
        .isInstanceOf(NoFreeWorkerException.class)
        .hasMessageStartingWith(
            "No worker ID of datacenter 3 of orders is free: 2 of 2 are leased");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void refusesALeaseElsewhereWithTheRemedy(boolean identity) {
    setUp(identity);
    startIn(3);
    Member member = fleet.member();
    String home = "datacenter 3, the home of namespace orders in faulty:";
    String remedy = "; if no other store of orders has it, firn store home adds it)";

    refuses(() -> startIn(2), "datacenter: 2 (expected: " + home + remedy);
    refuses(() -> member.start(SMALL), "datacenter: not set (expected: one of " + home + ")");
    refuses(
        () -> member.start(SMALL, member.lease().worker(5)),
        "worker: 5 of datacenter 2 (expected: one of " + home + remedy);
    assertThat(worker(member.start(SMALL, member.lease().worker(7)))).isEqualTo(7);
    assertThat(fleet.namespace().workers()).hasSizeLessThanOrEqualTo(2);
  }

  @Test
  void refusesWhatTheLayoutDoesNotHave() {
    Member member = fleet.member();

    refuses(() -> startIn(4), "datacenter: 4 (expected: 0..3, the layout has 2 datacenter bits)");
    for (long datacenter : new long[] {0, 1}) {
      refuses(
          () -> member.start(IdLayout.CLASSIC, member.lease().datacenter(datacenter)),
          "datacenter: "
              + datacenter
              + " (expected: none, the layout is "
              + IdLayout.CLASSIC
              + ")");
    }
    assertThat(fleet.store.scan("")).isEmpty();
    refuses(
        () -> member.start(SMALL, member.lease().datacenter(1).worker(5)),
        "worker: 5 (expected: one of datacenter 1)");
    assertThat(worker(member.start(SMALL, member.lease().datacenter(1).worker(3)))).isEqualTo(3);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void namespaceWithoutHomesStaysOneUntilItIsRecorded(boolean identity) {
    setUp(identity);
    Member member = fleet.member();
    Snowflake snowflake = member.start(SMALL);

    refuses(
        () -> startIn(3),
        "datacenter: 3 (expected: not set, as namespace orders in faulty: has no home datacenters;"
            + " firn store home records them)");
    assertThatThrownBy(() -> record("0-3"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Worker " + worker(snowflake) + " of orders, datacenter ")
        .hasMessageContaining(" is leased to host-0, process ");
    assertThat(fleet.namespace().homes().ranges()).isEmpty();

    snowflake.close();
    fleet.pass(Duration.ofMinutes(2));
    record("3");
    assertThat(worker(startIn(3))).isBetween(6L, 7L);
  }

  private void record(String datacenters) {
    fleet.namespace().recordHomes(WorkerSet.of(datacenters));
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void homesAreAddedWhileOthersAreInUse(boolean identity) {
    setUp(identity);
    Snowflake snowflake = startIn(3);
    record("1,3");
    Snowflake added = startIn(1);
    fleet.pass(Duration.ofMinutes(2));

    assertThat(worker(added)).isBetween(2L, 3L);
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    assertThat(snowflake.nextId()).isPositive();
    assertThat(worker(snowflake)).isBetween(6L, 7L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void homeIsGivenUpOnceItIsIdle(boolean identity) {
    setUp(identity);
    Snowflake snowflake = startIn(3);
    record("1,3");
    assertThatThrownBy(() -> record("1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(" of orders, datacenter 3, is leased to host-");

    snowflake.close();
    fleet.pass(Duration.ofSeconds(1));
    assertThatThrownBy(() -> record("1"))
        .as("the other store's clock may be behind")
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(" has IDs up to ");
    fleet.pass(Duration.ofSeconds(identity ? 61 : 6));
    record("1");
    refuses(
        () -> startIn(3),
        "datacenter: 3 (expected: datacenter 1, the home of namespace orders in faulty:; if no"
            + " other store of orders has it, firn store home adds it)");
  }

  /** A failover has taken its lease back, and it puts the home back with its next renewal. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void homeIsNotGivenUpWhileTheStoreMayHaveForgottenAHolder(boolean marked) {
    setUp(true);
    fleet.store.thatMayForget();
    startIn(1);
    fleet.pass(Duration.ofMinutes(1)); // the settling time
    record("1,3");
    Map<String, Register> older = fleet.store.copy();
    Snowflake forgotten = startIn(3);
    fleet.store.rollBack(older);
    fleet.store.withIdentity("run2");
    Instant settled = fleet.now().plus(Fleet.SETTLE);
    if (marked) {
      startIn(1);
    }

    assertThatThrownBy(() -> record("1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageStartingWith("Store faulty: was started, promoted or restored, and may have ")
        .hasMessageEndingWith("when the settling time of namespace orders ends, at " + settled);
    record("1-3"); // one more is no danger
    fleet.pass(Duration.ofMinutes(2));
    assertThat(forgotten.nextId()).isPositive();
    assertThatThrownBy(() -> record("1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(" of orders, datacenter 3, is leased to host-");
  }

  /** No process is left that would write the mark. */
  @Test
  void homesAreRecordedAfterTheStoreWasRestartedAndAllProcessesHaveEnded() {
    setUp(true);
    startIn(1).close();
    fleet.pass(Duration.ofMinutes(2));
    record("1,3");
    fleet.store.withIdentity("run2");
    assertThatThrownBy(() -> record("3"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageEndingWith(" of namespace orders ends, at " + fleet.now().plus(Fleet.SETTLE));

    fleet.pass(Fleet.SETTLE);
    record("3");
    assertThat(fleet.namespace().homes()).hasToString("3");
  }

  /** A scan of ZooKeeper may show what its server knew a while ago. */
  @Test
  void homeOfAWorkerThatAScanDoesNotShowYetIsInUse() {
    startIn(3);
    record("1,3");
    RegisterStore lagging =
        new InterposedStore(fleet.store) {
          @Override
          public boolean isScanCurrent() {
            return false;
          }

          @Override
          public List<Register> scan(String prefix) {
            return List.of();
          }
        };
    Namespace namespace = Namespace.of(lagging, NAMESPACE, fleet.time);
    assertThatThrownBy(() -> namespace.recordHomes(WorkerSet.of("1")))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(" of orders, datacenter 3, is leased to host-");
    assertThat(namespace.homes()).hasToString("1,3");
  }

  @Test
  void homeIsNotGivenUpByWhatAnotherStoreHas() {
    fleet.withIdentity();
    startIn(3);
    record("1,3");
    Namespace namespace = Namespace.of(fleet.splitStore(), NAMESPACE, fleet.time);
    assertThatThrownBy(() -> namespace.recordHomes(WorkerSet.of("1")))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("answered as two stores");
  }

  @Test
  void homeWithABlockOrAReservationIsInUse() {
    startIn(3).close();
    record("1,3");
    fleet.pass(Duration.ofSeconds(6));
    blocks().take(100_000);
    List<Long> taken = fleet.namespace().workers().stream().map(WorkerEntry::worker).toList();
    long datacenter = taken.get(taken.size() - 1) >> 1;
    assertThatThrownBy(() -> record(datacenter == 1 ? "3" : "1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(" has IDs up to ");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void leaseThatHomesOvertookIsReleased(boolean identity) {
    setUp(identity);
    startIn(3).close();
    record("1,3");
    fleet.pass(Duration.ofSeconds(61));
    fleet.store.beforeNextWrite(() -> record("1"));

    assertThatIllegalArgumentException()
        .isThrownBy(() -> startIn(3))
        .withMessageStartingWith("datacenter: 3 (expected: datacenter 1, the home");
    assertThat(fleet.namespace().workers()).noneMatch(WorkerEntry::held);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void changeThatALeaseOvertookIsReported(boolean identity) {
    setUp(identity);
    Snowflake first = startIn(1);
    record("1,3");
    fleet.store.beforeNextWrite(() -> startIn(3));

    assertThatThrownBy(() -> record("1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining(", datacenter 3, is leased to host-");
    first.close();
  }

  /** The renewal is stalled after its clock check; the old fence has passed when it is applied. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void renewalThatHomesOvertookPermitsNoWindow(boolean identity) {
    setUp(identity);
    Snowflake snowflake = startIn(3);
    record("1,3");
    fleet.pass(Duration.ofSeconds(1));
    Instant fence = Fleet.fence(snowflake);
    AtomicReference<Instant> changed = new AtomicReference<>();
    fleet.store.beforeNextWrite(
        () -> {
          fleet.time.advance(Duration.between(fleet.now(), fence).plusSeconds(identity ? 61 : 6));
          record("1");
          changed.set(fleet.now());
        });
    for (int i = 0; i < 600 && changed.get() == null; i++) {
      fleet.pass(Duration.ofMillis(100));
    }

    assertThat(changed.get()).isNotNull();
    assertThat(Fleet.fence(snowflake)).isEqualTo(fence);
    assertThatThrownBy(snowflake::nextId).isInstanceOf(LeaseExpiredException.class);
    fleet.pass(Duration.ofMinutes(5));
    assertThatThrownBy(snowflake::nextId)
        .isInstanceOf(LeaseExpiredException.class)
        .hasMessageContaining("datacenter: 3 (expected: datacenter 1, the home of namespace");
    record("1"); // the renewal that came too late does not keep the worker in use
  }

  @Test
  void recordsNoHomesThatCannotBe() {
    refuses(
        () -> record("1"),
        "namespace: orders (expected: a namespace that a generator has used in faulty:)");
    startIn(1);
    refuses(
        () -> record("4"), "datacenters: 4 (expected: within 0-3, the layout is " + SMALL + ")");
    Fleet classic = new Fleet();
    classic.member().start(IdLayout.CLASSIC).close();
    refuses(
        () -> classic.namespace().recordHomes(WorkerSet.of("1")),
        "datacenters: 1 (expected: a layout that has some, the layout is "
            + IdLayout.CLASSIC
            + ")");
  }

  private IdBlocks blocks() {
    return IdBlocks.builder(fleet.store, NAMESPACE).timeSource(fleet.member()).build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void blocksKeepToTheHomes(boolean identity) {
    setUp(identity);
    startIn(3).close();
    IdBlocks blocks = blocks();
    List<Long> ids = new ArrayList<>();
    blocks.take(10_000).forEach(ids::add);
    record("0,3");
    blocks.take(10_000).forEach(ids::add);

    assertThat(ids).allMatch(id -> SMALL.parse(id).datacenter() % 3 == 0);
    assertThat(fleet.namespace().workers())
        .extracting(entry -> entry.worker() >> 1)
        .isSubsetOf(0L, 3L);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void blocksOfABoundLeaseKeepToItsDatacenter(boolean identity) {
    setUp(identity);
    startIn(3).close();
    record("0,3");
    Member member = fleet.member();
    IdBlocks blocks =
        IdBlocks.builder(member.lease().datacenter(0).build())
            .layout(SMALL)
            .timeSource(member)
            .build();
    List<Long> ids = new ArrayList<>();
    blocks.take(10_000).forEach(ids::add);
    assertThat(ids).allMatch(id -> SMALL.parse(id).datacenter() == 0);

    IdBlocks elsewhere =
        IdBlocks.builder(member.lease().datacenter(1).build())
            .layout(SMALL)
            .timeSource(member)
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(() -> elsewhere.take(1))
        .withMessageStartingWith("datacenter: 1 (expected: datacenter 0,3, the home of");
  }

  @Test
  void blockThatHomesOvertookIsAGap() {
    startIn(3).close();
    record("1,3");
    fleet.pass(Duration.ofSeconds(6));
    IdBlocks blocks = blocks();
    fleet.store.beforeNextWrite(() -> record("1"));
    List<Long> ids = new ArrayList<>();
    blocks.take(10).forEach(ids::add);

    assertThat(ids).allMatch(id -> SMALL.parse(id).datacenter() == 1);
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reservationsKeepToTheHomes(boolean identity) {
    setUp(identity);
    startIn(3).close();
    fleet.pass(Duration.ofSeconds(1));
    String message =
        "worker: 1 of datacenter 0 (expected: one of datacenter 3, the home of namespace orders in"
            + " faulty:; if no other store of orders has it, firn store home adds it)";

    refuses(() -> fleet.namespace().reserve(1, SMALL, "legacy", WorkerEntry.NEVER, false), message);
    refuses(
        () ->
            fleet
                .namespace()
                .reserve(WorkerSet.of("1,7"), SMALL, "legacy", WorkerEntry.NEVER, false),
        message);
    assertThat(fleet.namespace().reserve(6, SMALL, "legacy", WorkerEntry.NEVER, false).reserved())
        .isTrue();
    assertThatThrownBy(() -> record("1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessage(
            "Worker 6 of orders, datacenter 3, is reserved for legacy; release it, and try again");
  }

  @Test
  void reservationOfSeveralWorkersIsAllOrNone() {
    startIn(1).close();
    fleet.pass(Duration.ofSeconds(1));

    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                fleet
                    .namespace()
                    .reserve(WorkerSet.of("2-3,7"), SMALL, "legacy", WorkerEntry.NEVER, false))
        .withMessageStartingWith("worker: 7 of datacenter 3 (expected: one of datacenter 1, the");
    assertThat(fleet.namespace().workers()).noneMatch(WorkerEntry::reserved);
  }

  @Test
  void olderProcessRefusesANamespaceWithHomes() {
    setUp(true);
    startIn(3);

    assertThat(fleet.store.value(LAYOUT))
        .startsWith("firn-namespace/3 layout=" + SMALL + " datacenters=3 settleMillis=");
    assertThat(NamespaceRecord.parse(fleet.store.read(LAYOUT).orElseThrow()).text())
        .isEqualTo(fleet.store.value(LAYOUT));
  }

  @Test
  void unreadableHomesAreRefused() {
    fleet.store.put(LAYOUT, "firn-namespace/3 layout=" + SMALL + " datacenters=x");

    assertThatThrownBy(() -> startIn(3))
        .isInstanceOf(StoreException.class)
        .hasMessageEndingWith(
            "datacenters=x, and this version reads datacenters=, such as 0-2,4; use the version that"
                + " wrote it, or restore the register");
  }

  @Test
  void holderPutsAllHomesBackAfterAFlush() {
    setUp(true);
    Snowflake snowflake = startIn(3);
    record("1,3");
    fleet.pass(Duration.ofMinutes(1)); // it reads them at its next renewal
    fleet.store.forgetAll();
    fleet.pass(Duration.ofSeconds(30));

    assertThat(fleet.namespace().homes()).hasToString("1,3");
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  @Test
  void holderPutsHomesBackThatANewProcessDidNotKnow() {
    setUp(true);
    Snowflake snowflake = startIn(3);
    record("1,3");
    fleet.pass(Duration.ofMinutes(1));
    fleet.store.forgetAll();
    Snowflake newProcess = startIn(1);
    assertThat(fleet.namespace().homes()).hasToString("1");
    fleet.pass(Duration.ofSeconds(30));

    assertThat(fleet.namespace().homes()).hasToString("1,3");
    assertThat(snowflake.leaseStatus().orElseThrow().lastError()).isEmpty();
    assertThat(newProcess.leaseStatus().orElseThrow().lastError()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void newProcessAfterAFlushLeasesItsOwnDatacenterOnly(boolean identity) {
    setUp(identity);
    startIn(3);
    Map<String, Register> empty = Map.of();
    fleet.store.rollBack(empty);

    assertThat(worker(startIn(3))).isBetween(6L, 7L);
    assertThat(fleet.namespace().homes()).hasToString("3");
  }

  @Test
  void newMarkKeepsTheHomes() {
    setUp(true);
    startIn(3);
    assertThat(fleet.namespace().renewMark()).isPresent();
    assertThat(fleet.namespace().homes()).hasToString("3");
    fleet.store.withIdentity("run2");
    fleet.pass(Duration.ofMinutes(1));

    assertThat(fleet.namespace().homes()).hasToString("3");
    assertThat(fleet.store.value(LAYOUT)).contains(" store=run2 ");
  }

  @Test
  void manyDatacentersAreRanges() {
    Homes many = new Homes(WorkerSet.of("1-1099511627776"));
    assertThat(many.with(new Homes(WorkerSet.of("0,3"))).toString()).isEqualTo("0-1099511627776");
    assertThat(many.haveAll(Homes.NONE)).isTrue();
  }
}
