package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.FirnException;
import io.firn.Snowflake;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.ManualTimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalLong;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A clock that differs from the store's by less than the allowed skew costs no ID. */
class SkewedClockTest {

  private static final Instant START = Instant.parse("2026-11-01T00:00:00Z");

  private final ManualTimeSource time = new ManualTimeSource(START);

  /** A store with a clock of its own, which may forget and never does. */
  private final class SkewedStore extends ForwardingRegisterStore {

    private final long aheadMillis;

    SkewedStore(long aheadMillis) {
      super(new InMemoryRegisterStore());
      this.aheadMillis = aheadMillis;
    }

    @Override
    public OptionalLong currentTimeMillis() {
      return OptionalLong.of(time.currentTimeMillis() - aheadMillis);
    }

    @Override
    public boolean mayForget() {
      return true;
    }

    @Override
    public String toString() {
      return "skewed:";
    }
  }

  /** A worker that was released long ago, so that its next window begins now. */
  private SkewedStore storeWithAReleasedWorker(long aheadMillis) {
    SkewedStore store = new SkewedStore(aheadMillis);
    store.compareAndSet(
        "orders/worker/7",
        0,
        "firn-worker/1 state=released fence=2026-10-31T00:00:00Z since=2026-10-31T00:00:00Z"
            + " windowMillis=30000 holder=before pid=1 token=t.1 nonce=n");
    return store;
  }

  @ParameterizedTest
  @CsvSource({
    "5000,4000",
    "3000,4000",
    "1000,1500",
    "30000,-4900",
    "30000,0",
    "10000,-4900",
    "5000,-4000"
  })
  void idsGoOnForAMinute(long windowMillis, long aheadMillis) {
    LeaseKeeper keeper = LeaseKeeper.manual(time);
    int failures = 0;
    try (Snowflake snowflake =
        Snowflake.builder()
            .timeSource(time)
            .maxWait(Duration.ZERO)
            .lease(
                LeaseConfig.builder(storeWithAReleasedWorker(aheadMillis), "orders")
                    .worker(7)
                    .window(Duration.ofMillis(windowMillis))
                    .keeper(keeper)
                    .build())
            .build()) {
      for (int i = 0; i < 6_000; i++) {
        keeper.runDue();
        try {
          snowflake.nextId();
        } catch (FirnException e) {
          failures++;
        }
        time.advance(Duration.ofMillis(10));
      }
    }
    assertThat(failures).isZero();
  }
}
