package io.firn.server.config;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A namespace of counted numbers: 1, 2, 3 …
 *
 * @param step how many numbers a segment has; empty if the generator adapts it
 * @param source the address of the store that keeps the counter; empty for the server's
 * @param maxWait how long a request waits for a segment
 */
public record SegmentConfig(OptionalLong step, Optional<String> source, Duration maxWait)
    implements NamespaceConfig {

  static SegmentConfig read(Values group) {
    return new SegmentConfig(
        Settings.STEP.find(group).map(OptionalLong::of).orElseGet(OptionalLong::empty),
        Settings.SOURCE.find(group),
        Settings.SEGMENT_MAX_WAIT.read(group));
  }
}
