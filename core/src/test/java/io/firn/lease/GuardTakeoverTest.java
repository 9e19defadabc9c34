package io.firn.lease;

import static io.firn.lease.Fleet.NAMESPACE;
import static io.firn.lease.Fleet.ONE_WORKER;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.lease.Fleet.Member;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A process that takes a worker ID over whose holder has a guard of its commits. */
class GuardTakeoverTest {

  private static final String GUARD = NAMESPACE + "/guard/0";

  private final Fleet fleet = new Fleet();
  private WorkerRecord crashed;

  @BeforeEach
  void crashHolder() {
    fleet.member().start(ONE_WORKER); // and crashes
    crashed = fleet.record(0).withGuard(true);
    fleet.store.put(fleet.register(0), crashed.text());
    fleet.store.put(GUARD, new GuardRecord(true, crashed.token(), "n").text());
    fleet.time.advance(Duration.ofMinutes(1));
  }

  private GuardRecord guard() {
    return fleet.store.read(GUARD).map(GuardRecord::parse).orElseThrow();
  }

  private LeaseConfig.Builder leaseIn(Member member, RegisterStore store) {
    return LeaseConfig.builder(store, NAMESPACE).instance("second").keeper(member.keeper);
  }

  @Test
  void guardIsEndedBeforeTheRegisterOfTheWorkerIsWritten() {
    List<String> written = new ArrayList<>();
    Member member = fleet.member();
    RegisterStore store =
        new InterposedStore(fleet.store) {
          @Override
          public WriteResult compareAndSet(String name, long expectedVersion, String value) {
            written.add(name);
            return super.compareAndSet(name, expectedVersion, value);
          }
        };

    member.start(ONE_WORKER, leaseIn(member, store));

    assertThat(written).containsExactly(GUARD, fleet.register(0));
    assertThat(guard().open()).isFalse();
    assertThat(guard().token()).isEqualTo(crashed.token());
  }

  @Test
  void workerIsNotTakenAsLongAsATransactionHasLockedTheGuard() {
    Member member = fleet.member();
    RegisterStore store =
        new InterposedStore(fleet.store) {
          @Override
          public WriteResult compareAndSet(String name, long expectedVersion, String value) {
            if (name.equals(GUARD)) {
              throw new StoreException("Store faulty: waited for a lock");
            }
            return super.compareAndSet(name, expectedVersion, value);
          }
        };

    assertThatThrownBy(() -> member.start(ONE_WORKER, leaseIn(member, store)))
        .isInstanceOf(NoFreeWorkerException.class);

    assertThat(fleet.record(0)).isEqualTo(crashed);
  }

  @Test
  void guardThatAnotherAcquisitionHasOpenedSinceStaysOpen() {
    fleet.store.put(GUARD, new GuardRecord(true, "another", "m").text());

    fleet.member().start(ONE_WORKER);

    assertThat(guard()).isEqualTo(new GuardRecord(true, "another", "m"));
    assertThat(fleet.record(0).holder()).isEqualTo("host-1");
  }
}
