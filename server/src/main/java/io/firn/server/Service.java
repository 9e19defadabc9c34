package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * The parts of a server that every protocol uses.
 *
 * @param config the settings of the server
 * @param namespaces what issues
 * @param callers who may ask
 * @param traffic what came over each protocol that is served
 * @param loops what runs the connections
 * @param time the clock
 */
public record Service(
    ServerConfig config,
    Namespaces namespaces,
    Callers callers,
    Map<String, Traffic> traffic,
    EventLoops loops,
    TimeSource time) {

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}");

  /** What the clock says. */
  public Instant now() {
    return Instant.ofEpochMilli(time.currentTimeMillis());
  }

  /**
   * Reads how many IDs a client wants.
   *
   * @param name what it calls that
   * @throws RequestException if it is no number, or not one of 1 to the limit
   */
  public int count(String name, String text) {
    int most = config.limits().count();
    int count = COUNT.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (count < 1 || count > most) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST, name + ": " + text + " (expected: 1.." + most + ")");
    }
    return count;
  }
}
