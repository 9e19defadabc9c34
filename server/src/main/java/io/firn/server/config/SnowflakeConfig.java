package io.firn.server.config;

import io.firn.IdLayout;
import io.firn.SequenceStart;
import java.time.Duration;
import java.util.OptionalLong;

/**
 * A namespace of snowflakes.
 *
 * @param layout the layout of its IDs
 * @param window how much ID time is leased at once
 * @param maxLead how far IDs may run ahead of the clock
 * @param maxWait how long a request waits for a clock that stepped back
 * @param sequenceStart which sequence number a tick starts with
 * @param datacenter the datacenter to lease, with {@code worker}, where the layout has one
 * @param worker the one worker ID to lease
 * @param allowUnderTenYears whether the layout may end in under ten years
 */
public record SnowflakeConfig(
    IdLayout layout,
    Duration window,
    Duration maxLead,
    Duration maxWait,
    SequenceStart sequenceStart,
    OptionalLong datacenter,
    OptionalLong worker,
    boolean allowUnderTenYears)
    implements NamespaceConfig {

  /** The worker ID to lease, with the datacenter as one number; empty if any will do. */
  public OptionalLong pinned() {
    return worker.isEmpty() && datacenter.isEmpty()
        ? OptionalLong.empty()
        : OptionalLong.of(layout.workerId(datacenter.orElse(0), worker.orElse(0)));
  }
}
