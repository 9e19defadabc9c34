package io.firn.lease;

import io.firn.internal.Lane;
import io.firn.internal.Lanes;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;

/**
 * Renews leases when they are due. One keeper serves all generators of a process. Each store has up
 * to four daemon threads of its own, so that a store that hangs delays no lease of another, and so
 * have listeners and log lines; a thread ends after a minute without work. Thread-safe.
 */
public final class LeaseKeeper {

  private final Lanes lanes;

  private LeaseKeeper(Lanes lanes) {
    this.lanes = lanes;
  }

  private static final class Shared {
    static final LeaseKeeper KEEPER = new LeaseKeeper(Lanes.ofThreads("firn-lease"));
  }

  /** Returns the keeper of this process; a thread starts with the first lease. */
  public static LeaseKeeper shared() {
    return Shared.KEEPER;
  }

  /** Returns a keeper without threads, for tests: it works when {@link #runDue} is called. */
  public static LeaseKeeper manual(TimeSource time) {
    return new LeaseKeeper(Lanes.manual(time));
  }

  Lane lane(RegisterStore store) {
    return lanes.of(store);
  }

  /** Returns the lane of what must not wait for a store. */
  Lane timer() {
    return lanes.timer();
  }

  /** Returns the lane of listeners and log handlers, which may block. */
  Lane listeners() {
    return lanes.listeners();
  }

  /**
   * Maintains every lease that is due, of a keeper without threads.
   *
   * @return in how many nanoseconds the next one is due; at most a minute
   */
  public long runDue() {
    return lanes.runDue();
  }
}
