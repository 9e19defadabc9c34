package io.firn.server.config;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A namespace of counted numbers: 1, 2, 3 …
 *
 * @param step how many numbers a segment has; empty for 1,000
 * @param source the address of what keeps the counter; empty for the server's
 * @param key the key of the counter; empty for the name of the namespace
 * @param maxWait how long a request waits for a segment
 */
public record SegmentConfig(
    OptionalLong step, Optional<String> source, Optional<String> key, Duration maxWait)
    implements NamespaceConfig {

  /** The time that a request waits for a segment, unless set. */
  public static final Duration MAX_WAIT = Duration.ofSeconds(2);

  static SegmentConfig read(Values group) {
    return new SegmentConfig(
        Settings.STEP.find(group).map(OptionalLong::of).orElseGet(OptionalLong::empty),
        Settings.SOURCE.find(group),
        Optional.empty(),
        Settings.SEGMENT_MAX_WAIT.read(group));
  }
}
