package io.firn.lease;

import static io.firn.lease.Fleet.LAYOUT;
import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
import static io.firn.lease.Fleet.notBefore;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.Snowflake;
import io.firn.lease.Fleet.Member;
import io.firn.store.Binding;
import io.firn.store.FaultyStore;
import io.firn.store.Register;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A store that was replaced and continues for a while, behind the address of the new one. */
class TwoStoresTest {

  private final Fleet fleet = new Fleet();
  private final FaultyStore replaced = new FaultyStore();

  /** The pool's connection for a call: the first leads to the new store, later ones to the old. */
  private final class Pool extends InterposedStore {

    private final int toNew;
    private int snapshots;

    Pool(int toNew) {
      super(fleet.store);
      this.toNew = toNew;
    }

    @Override
    public Optional<Snapshot> snapshot(List<String> names) {
      return snapshots++ < toNew ? fleet.store.snapshot(names) : replaced.snapshot(names);
    }

    @Override
    public WriteResult compareAndSet(String name, long version, String value, Binding binding) {
      WriteResult written = fleet.store.compareAndSet(name, version, value, binding);
      return written.outcome() == WriteResult.Outcome.CONFLICT
          ? replaced.compareAndSet(name, version, value, binding)
          : written;
    }
  }

  @BeforeEach
  void promoteAnotherStore() {
    fleet.withIdentity().store.thatMayForget();
    fleet.member().start(ONE_WORKER).close();
    fleet.time.advance(Duration.ofMinutes(3));
    replaced.thatMayForget().withClock(fleet.time::currentTimeMillis).withIdentity("run1");
    fleet.store.copy().values().forEach(replaced::fallBack);
    fleet.store.withIdentity("run2");
  }

  private void assertNoIdTwice() {
    Member one = fleet.member();
    Snowflake old =
        one.start(
            ONE_WORKER, LeaseConfig.builder(replaced, NAMESPACE).instance("a").keeper(one.keeper));
    Snowflake current = fleet.member().start(ONE_WORKER);
    Set<Long> ids = new HashSet<>();
    for (int i = 0; i < 1000; i++) {
      assertThat(ids.add(old.nextId())).as("from %s", notBefore(old)).isTrue();
      assertThat(ids.add(current.nextId())).as("from %s", notBefore(current)).isTrue();
    }
  }

  @Test
  void readerOfAWatermarkWritesNoMarkInTheStoreThatWasReplaced() {
    Register before = replaced.read(LAYOUT).orElseThrow();
    Watermark watermark =
        Watermark.builder(new Pool(2), NAMESPACE)
            .allowMayForget()
            .timeSource(fleet.member())
            .build();
    try {
      watermark.current();
    } catch (StoreException e) {
      // it may say so
    }
    assertNoIdTwice();
    assertThat(replaced.read(LAYOUT)).contains(before);
  }

  @Test
  void operatorWritesNoMarkInTheStoreThatWasReplaced() {
    Register before = replaced.read(LAYOUT).orElseThrow();
    Namespace namespace = Namespace.of(new Pool(1), NAMESPACE, fleet.member());
    assertThatThrownBy(namespace::renewMark)
        .isInstanceOf(StoreException.class)
        .hasMessageContaining("answered as two stores");
    assertThat(replaced.read(LAYOUT)).contains(before);
    assertNoIdTwice();
  }

  @Test
  void settlingTimeIsNotChangedInTheStoreThatWasReplaced() {
    Register before = replaced.read(LAYOUT).orElseThrow();
    Namespace namespace = Namespace.of(new Pool(1), NAMESPACE, fleet.member());
    try {
      namespace.changeSettleTime(Duration.ofSeconds(70));
    } catch (StoreException e) {
      // it may say so
    }
    assertThat(replaced.read(LAYOUT)).contains(before);
  }
}
