package io.firn.segment;

import io.firn.FirnException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcomes of the fetches of one generator.
 *
 * @param fetches how many gave a segment
 * @param failures how many did not
 * @param failuresInARow how many did not since the last one that did
 * @param fetchedNanos when the last one did
 * @param failingSinceNanos when the first of the failures in a row happened
 * @param lastError what the last one failed with, if it did
 */
record FetchHistory(
    long fetches,
    long failures,
    int failuresInARow,
    long fetchedNanos,
    long failingSinceNanos,
    @Nullable Throwable lastError) {

  static final FetchHistory NONE = new FetchHistory(0, 0, 0, 0, 0, null);

  FetchHistory succeeded(long nowNanos) {
    return new FetchHistory(fetches + 1, failures, 0, nowNanos, 0, null);
  }

  FetchHistory failed(Throwable e, long nowNanos) {
    long since = failuresInARow == 0 ? nowNanos : failingSinceNanos;
    return new FetchHistory(fetches, failures + 1, failuresInARow + 1, fetchedNanos, since, e);
  }

  /** Returns for how long fetches have failed; -1 if the last one did not. */
  long failingNanos(long nowNanos) {
    return failuresInARow == 0 ? -1 : nowNanos - failingSinceNanos;
  }

  Optional<Duration> since(long nowNanos) {
    return fetches == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nowNanos - fetchedNanos));
  }

  /** Returns whether the last one failed because the counter went back. */
  boolean counterWentBack() {
    return lastError instanceof CounterWentBackException;
  }

  Optional<String> lastErrorText() {
    return Optional.ofNullable(lastError)
        .map(e -> e instanceof FirnException ? e.getMessage() : e.toString());
  }
}
