package io.firn.server.config;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The limits of what callers may use.
 *
 * @param connections open connections of all protocols
 * @param connectionsPerAddress those of them from one address that have presented no token; empty
 *     without a limit
 * @param connectionAge the age at which a connection ends, after an answer; empty without a limit
 * @param requestBytes the longest request
 * @param requestTime the longest time from the first byte of a request to its last
 * @param count the most IDs in one request
 * @param pipeline requests of a connection that are answered before others have their turn
 * @param idle how long a connection may send nothing
 * @param rate IDs a second for each token; empty without a limit
 * @param namespaces open namespaces
 */
public record Limits(
    int connections,
    OptionalInt connectionsPerAddress,
    Optional<Duration> connectionAge,
    int requestBytes,
    Duration requestTime,
    int count,
    int pipeline,
    Duration idle,
    OptionalInt rate,
    int namespaces) {

  static OptionalInt optional(Optional<Integer> limit) {
    return limit.map(OptionalInt::of).orElseGet(OptionalInt::empty);
  }

  static Limits read(Values server) {
    return new Limits(
        Settings.LIMITS_CONNECTIONS.read(server),
        optional(Settings.LIMITS_CONNECTIONS_PER_ADDRESS.read(server)),
        Settings.LIMITS_CONNECTION_AGE.read(server),
        Settings.LIMITS_REQUEST_SIZE.read(server),
        Settings.LIMITS_REQUEST_TIME.read(server),
        Settings.LIMITS_COUNT.read(server),
        Settings.LIMITS_PIPELINE.read(server),
        Settings.LIMITS_IDLE.read(server),
        optional(Settings.LIMITS_RATE.read(server)),
        Settings.LIMITS_NAMESPACES.read(server));
  }
}
