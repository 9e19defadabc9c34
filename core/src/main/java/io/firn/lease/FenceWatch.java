package io.firn.lease;

import io.firn.internal.ClockReading;
import io.firn.internal.Lane;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Reports that the fence of a lease has passed, and that a call of the store hangs. Its thread
 * calls no store. Thread-safe.
 */
final class FenceWatch {

  private final Lease lease;
  private final LeaseConfig config;
  private final LeasedWorker worker;
  private final LeaseEvents events;
  private final TimeSource time;
  private final Lane.Task fence;
  private final Lane.Task overdue;
  private @Nullable ClockReading overSince;

  FenceWatch(
      Lease lease, LeaseConfig config, LeasedWorker worker, LeaseEvents events, TimeSource time) {
    this.lease = lease;
    this.config = config;
    this.worker = worker;
    this.events = events;
    this.time = time;
    fence = config.keeper().timer().task(this::look);
    overdue = config.keeper().timer().task(this::reportOverdue);
  }

  /** Looks at the fence from now on. */
  void begin() {
    fence.runWithin(untilFenceNanos(worker.clock().read().wallMillis()));
  }

  /** Looks at the fence now: a caller has reached it. */
  void lookNow() {
    fence.runWithin(0);
  }

  /** Ends looking at the fence. */
  void cancel() {
    fence.cancel();
  }

  /** Records that the store is called. */
  void callBegins() {
    long left = untilOverdueNanos();
    if (left > 0) {
      overdue.runWithin(left);
    }
  }

  /** Records that the store has answered, or failed. */
  void callEnded() {
    overdue.cancel();
  }

  /** Notices that the fence has passed, whatever the cause; returns when to look again. */
  private long look() {
    if (lease.isOver()) {
      return -1;
    }
    long window = worker.expiry().window(); // before the fence is read
    ClockReading now = worker.clock().read();
    long left = untilFenceNanos(now.wallMillis());
    if (left > 0) {
      overSince = null;
      return left;
    }
    if (worker.clock().hasJumped(now) && !isOverForARetry(now)) { // it may go back at once
      return config.retryNanos();
    }
    worker.expiry().report(window);
    return config.retryNanos();
  }

  /** Logs that a call of the store hangs, while IDs keep flowing. */
  private long reportOverdue() {
    if (!worker.granted().isClosed()
        && worker.lastError().text().isEmpty()
        && untilOverdueNanos() <= 0) {
      events.log(
          Level.WARNING,
          "renewal overdue: "
              + worker.describe()
              + ", last renewed "
              + worker.status().sinceRenewal().toMillis()
              + " ms ago; the store has not answered since",
          null);
    }
    return -1;
  }

  private long untilOverdueNanos() {
    return worker.renewedNanos() + config.halfWindowNanos() / 2 * 3 - time.nanoTime();
  }

  private boolean isOverForARetry(ClockReading now) {
    ClockReading since = overSince == null ? now : overSince;
    overSince = since;
    return now.nanos() - since.nanos() >= config.retryNanos();
  }

  private long untilFenceNanos(long nowMillis) {
    long millis = worker.granted().window().notAfterMillis() - nowMillis;
    return millis <= 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(Math.min(millis, config.windowMillis()));
  }
}
