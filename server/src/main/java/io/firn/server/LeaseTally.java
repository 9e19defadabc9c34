package io.firn.server;

import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import java.util.concurrent.atomic.AtomicLong;

/** Counts what became of the leases of a namespace. Thread-safe. */
final class LeaseTally implements LeaseListener {

  private final AtomicLong acquired = new AtomicLong();
  private final AtomicLong renewed = new AtomicLong();
  private final AtomicLong lost = new AtomicLong();
  private final AtomicLong expired = new AtomicLong();

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

  LeaseCounts counts() {
    return new LeaseCounts(acquired.get(), renewed.get(), lost.get(), expired.get());
  }
}
