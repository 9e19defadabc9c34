package io.firn.stress;

import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.InMemoryRegisterStore;
import io.firn.testkit.InterposedStore;

/** A generator that leases worker 1. */
final class StressLease {

  private static final long FIRST_MILLIS = StressClock.NARROW.epoch().toEpochMilli();
  private static final long FAR_MILLIS = FIRST_MILLIS + 1_000_000_000_000L;

  private final InterposedStore store = new InterposedStore(new InMemoryRegisterStore());
  private final Snowflake generator;

  StressLease(IdLayout layout, StressClock clock) {
    generator =
        Snowflake.builder()
            .layout(layout)
            .sequenceStart(SequenceStart.ZERO)
            .timeSource(clock)
            .lease(
                LeaseConfig.builder(store, "stress")
                    .worker(1)
                    .keeper(InterposedStore.keeper(clock))
                    .build())
            .build();
    permit(1);
  }

  Snowflake generator() {
    return generator;
  }

  /** Permits a window of a worker, as the lease does when it has leased that one. */
  void permit(long worker) {
    store.permit(worker, FIRST_MILLIS, FAR_MILLIS, 0);
  }

  /** Closes the generator as its lease does, and returns the end of the newest tick drawn. */
  long close() {
    return store.closeGenerator();
  }
}
