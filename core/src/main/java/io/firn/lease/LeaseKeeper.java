package io.firn.lease;

import io.firn.internal.Lane;
import io.firn.internal.Lanes;
import io.firn.internal.LeasedGenerator;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.util.function.BiFunction;

/**
 * Renews leases when they are due. One keeper serves all generators of a process. Each store has up
 * to four daemon threads of its own, so that a store that hangs delays no lease of another, and so
 * have listeners and log lines; a thread ends after a minute without work. Thread-safe.
 */
public final class LeaseKeeper {

  private final Lanes lanes;
  private final BiFunction<RegisterStore, LeasedGenerator, LeasedGenerator> between;

  private LeaseKeeper(
      Lanes lanes, BiFunction<RegisterStore, LeasedGenerator, LeasedGenerator> between) {
    this.lanes = lanes;
    this.between = between;
  }

  private static final class Shared {
    static final LeaseKeeper KEEPER =
        new LeaseKeeper(Lanes.ofThreads("firn-lease"), (store, generator) -> generator);
  }

  /** Returns the keeper of this process; a thread starts with the first lease. */
  public static LeaseKeeper shared() {
    return Shared.KEEPER;
  }

  /**
   * Returns a keeper without threads, for a simulated clock: the caller runs it by {@link #runDue}.
   */
  public static LeaseKeeper manual(TimeSource time) {
    return manual(time, (store, generator) -> generator);
  }

  /**
   * Returns a keeper without threads whose leases do not call their generators. For the testkit.
   *
   * @param between returns the object that a lease in that store calls in place of that generator
   */
  @SuppressWarnings("exports") // hidden: only the testkit can name what the function returns
  public static LeaseKeeper manual(
      TimeSource time, BiFunction<RegisterStore, LeasedGenerator, LeasedGenerator> between) {
    return new LeaseKeeper(Lanes.manual(time), between);
  }

  /** Returns the object that a lease in that store calls in place of that generator. */
  LeasedGenerator between(RegisterStore store, LeasedGenerator generator) {
    return between.apply(store, generator);
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
