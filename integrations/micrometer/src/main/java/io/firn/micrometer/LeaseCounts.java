package io.firn.micrometer;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import java.util.concurrent.atomic.AtomicLong;

/** Counts the events of the leases that it is given to as the listener. Thread-safe. */
public final class LeaseCounts implements LeaseListener {

  private final AtomicLong acquired = new AtomicLong();
  private final AtomicLong renewed = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong expired = new AtomicLong();

  /** Creates counts that are all zero. */
  public LeaseCounts() {}

  @Override
  public void acquired(LeaseStatus status) {
    acquired.incrementAndGet();
  }

  @Override
  public void renewed(LeaseStatus status) {
    renewed.incrementAndGet();
  }

  @Override
  public void lost(LeaseStatus status) {
    lost.incrementAndGet();
  }

  @Override
  public void expired(LeaseStatus status) {
    expired.incrementAndGet();
  }

  /** Returns how many worker IDs were leased. */
  public long acquired() {
    return acquired.get();
  }

  /** Returns how many windows were extended. */
  public long renewed() {
    return renewed.get();
  }

  /** Returns how many leases another holder took or the store forgot. */
  public long lost() {
    return lost.get();
  }

  /** Returns how many windows ended before they were extended. */
  public long expired() {
    return expired.get();
  }
}
