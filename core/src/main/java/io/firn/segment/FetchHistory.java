package io.firn.segment;

import io.firn.FirnException;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What has become of the fetches of one generator.
 *
 * @param fetches how many gave a segment
 * @param failures how many did not
 * @param failuresInARow how many did not since the last one that did
 * @param fetchedNanos when the last one did
 * @param trouble what the last one failed with, if it did
 */
record FetchHistory(
    long fetches,
    long failures,
    int failuresInARow,
    long fetchedNanos,
    @Nullable RuntimeException trouble) {

  static final FetchHistory NONE = new FetchHistory(0, 0, 0, 0, null);

  FetchHistory succeeded(long nowNanos) {
    return new FetchHistory(fetches + 1, failures, 0, nowNanos, null);
  }

  FetchHistory failed(RuntimeException e) {
    return new FetchHistory(fetches, failures + 1, failuresInARow + 1, fetchedNanos, e);
  }

  Optional<Duration> since(long nowNanos) {
    return fetches == 0 ? Optional.empty() : Optional.of(Duration.ofNanos(nowNanos - fetchedNanos));
  }

  Optional<String> troubleText() {
    return Optional.ofNullable(trouble)
        .map(e -> e instanceof FirnException ? e.getMessage() : e.toString());
  }
}
