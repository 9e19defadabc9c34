package io.firn.server.config;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * What one client may cost.
 *
 * @param connections open connections of all protocols
 * @param requestBytes the longest request
 * @param requestTime the longest time from the first byte of a request to its last
 * @param count the most IDs in one request
 * @param pipeline how many requests of a connection are answered before others have their turn
 * @param idle how long a connection may ask nothing
 * @param rate IDs a second for each token, unless there is no limit
 * @param namespaces open namespaces
 */
public record Limits(
    int connections,
    int requestBytes,
    Duration requestTime,
    int count,
    int pipeline,
    Duration idle,
    OptionalInt rate,
    int namespaces) {}
