package io.firn.segment;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A snapshot of the counters and the stock of a {@link SegmentGenerator}. While other threads draw,
 * the figures may differ by the calls of those threads.
 *
 * @param key the key of the counter
 * @param source where it is kept
 * @param newest the newest ID that was issued, if one was
 * @param issued how many IDs were issued
 * @param left how many IDs can be issued without asking the source
 * @param segmentsAhead how many segments wait behind the one that is drawn from
 * @param step how many IDs the next segment has
 * @param distance how many IDs are kept ready behind the segment that is drawn from
 * @param waits how many calls had to wait for a segment; those of {@link
 *     SegmentGenerator#tryNextIds} until the next fetch count once
 * @param fetches how many segments the source gave
 * @param fetchFailures how often it did not
 * @param sinceFetch how long ago it gave the newest segment, if it ever did
 * @param lastError the error of the last fetch, if it failed
 */
public record SegmentStats(
    String key,
    String source,
    OptionalLong newest,
    long issued,
    long left,
    int segmentsAhead,
    long step,
    long distance,
    long waits,
    long fetches,
    long fetchFailures,
    Optional<Duration> sinceFetch,
    Optional<String> lastError) {

  /** Returns the state as a sentence about a call that got no ID, with the outcome of its wait. */
  String describe(String outcome) {
    return "Key "
        + key
        + " has "
        + left
        + " IDs left, and "
        + source
        + " "
        + outcome
        + "; "
        + sinceFetch
            .map(since -> "the last one came " + since.toMillis() + " ms ago")
            .orElse("none came yet")
        + lastError.map(text -> "; last error: " + text).orElse("");
  }
}
