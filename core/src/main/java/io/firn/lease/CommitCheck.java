package io.firn.lease;

import io.firn.internal.ClockReading;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * The check of a lease before rows with its IDs are committed. It uses the wall clock, which may be
 * wrong, and the monotonic clock. Thread-safe.
 */
final class CommitCheck {

  private final LeaseConfig config;
  private final ReferenceClock clock;

  /** The time at which the call began that last extended the window. */
  private volatile long askedNanos;

  CommitCheck(LeaseConfig config, ReferenceClock clock) {
    this.config = config;
    this.clock = clock;
  }

  /** Records when the call began that has extended the window. */
  void extended(long beginNanos) {
    askedNanos = beginNanos;
  }

  /** Returns why no row may be committed under a window that ends there; empty if it may. */
  Optional<String> refusal(long fenceMillis) {
    ClockReading now = clock.read();
    long millis = Math.max(now.wallMillis(), clock.trustedMillis());
    long margin = config.marginMillis();
    long sinceMillis = TimeUnit.NANOSECONDS.toMillis(now.nanos() - askedNanos);
    boolean over = millis >= fenceMillis - margin;
    return over || sinceMillis >= config.windowMillis() - margin
        ? Optional.of(
            "the lease of its IDs has nearly run out, it was renewed " + sinceMillis + " ms ago")
        : Optional.empty();
  }
}
