package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.Register;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of the frequency at which worker IDs are read from a store. */
final class WorkerSnapshotsTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);
  private final SlowStore store = new SlowStore();
  private final WorkerSnapshots snapshots =
      new WorkerSnapshots(store, () -> List.of("orders", "users"), Runnable::run, time);

  /** A store whose scans take time on the test's clock. */
  private final class SlowStore extends ForwardingRegisterStore {

    private Duration cost = Duration.ZERO;
    private int scans;

    SlowStore() {
      super(new InMemoryRegisterStore());
    }

    @Override
    public List<Register> scan(String prefix) {
      scans++;
      time.advance(cost);
      return super.scan(prefix);
    }
  }

  @Test
  void areReadOnceASecond() {
    snapshots.latest().join();
    snapshots.latest().join();
    assertThat(store.scans).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    snapshots.latest().join();
    assertThat(store.scans).isEqualTo(2);
  }

  @Test
  void areReadRarelyWhereThatTakesLong() {
    store.cost = Duration.ofMillis(500);
    snapshots.latest().join();
    time.advance(Duration.ofSeconds(9));
    snapshots.latest().join();
    assertThat(store.scans).isEqualTo(1);
    time.advance(Duration.ofSeconds(1));
    snapshots.latest().join();
    assertThat(store.scans).isEqualTo(2);
  }
}
