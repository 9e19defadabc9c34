package io.firn.server.config;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * A namespace of counted numbers: 1, 2, 3 …
 *
 * @param step how many numbers a segment has, unless that is left to the generator
 * @param source the address of the store that keeps the counter; the server's unless set
 * @param maxWait how long a request waits for a segment
 */
public record SegmentConfig(OptionalLong step, Optional<String> source, Duration maxWait)
    implements NamespaceConfig {}
