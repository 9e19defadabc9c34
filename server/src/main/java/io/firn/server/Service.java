package io.firn.server;

import io.firn.decode.Decoder;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.TokenScope;
import io.firn.text.IdFormat;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a server that every protocol uses.
 *
 * @param current the settings of the server, and how they change
 * @param namespaces what issues
 * @param callers the permitted callers
 * @param audit the audit log
 * @param certificateEnd when the server's certificate ends; empty without TLS
 * @param traffic what came over each protocol that is served
 * @param loops what runs the connections
 * @param reports what makes the long answers to clients
 * @param operatorReports what makes those to operators that must not wait for clients
 * @param time the clock
 * @param startNanos when the server was started, on the clock's nanosecond scale
 */
public record Service(
    CurrentConfig current,
    Namespaces namespaces,
    Callers callers,
    AuditLog audit,
    Supplier<Optional<Instant>> certificateEnd,
    Map<String, Traffic> traffic,
    EventLoops loops,
    Reports reports,
    Reports operatorReports,
    TimeSource time,
    long startNanos) {

  private static final Pattern COUNT = Pattern.compile("[0-9]{1,9}");

  /** So several answers fit in what all connections may hold, also with the longest texts. */
  private static final int HEAP_BYTES_OF_AN_ID = 1 << 10;

  /** Returns the settings of the server, as they are now. */
  public ServerConfig config() {
    return current.latest();
  }

  /**
   * Returns how many connections there may be: no more than leave open files to the store, or no
   * client could connect, not even a probe. With TLS, no more than leave half of the heap.
   */
  public int mostConnections() {
    int most = Math.min(config().limits().connections(), OpenFiles.connections());
    return config().tls().isPresent() ? Math.min(most, TlsHandler.MAX_CONNECTIONS) : most;
  }

  /** Returns the version of the server. */
  public static String version() {
    String version = Service.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  /** Returns for how long the server has run. */
  public Duration uptime() {
    return Duration.ofNanos(time.nanoTime() - startNanos);
  }

  /** Returns the time of the clock. */
  public Instant now() {
    return Instant.ofEpochMilli(time.currentTimeMillis());
  }

  /** Returns a decoder that ranks the namespaces first whose state a caller may read. */
  public Decoder decoder(Caller caller, @Nullable IdFormat format) {
    return new Decoder(
        now(), format, caller.has(TokenScope.READ) ? namespaces.known(caller) : List.of());
  }

  /**
   * Reads how long the scope of a draw is, in milliseconds.
   *
   * @param name what the client calls that
   * @throws RequestException if it is no number, or not one of 1 to a minute
   */
  public static int scopeMillis(String name, String text) {
    int millis = COUNT.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (millis < 1 || millis > ClientScopes.MAX_MILLIS) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          name + ": " + text + " (expected: 1.." + ClientScopes.MAX_MILLIS + ", in milliseconds)");
    }
    return millis;
  }

  /**
   * Reads how many IDs a client wants.
   *
   * @param name the protocol's name for it
   * @throws RequestException if it is no number, or not one of 1 to the limit, or to what can be
   *     answered with this heap
   */
  public int count(String name, String text) {
    long fit = Runtime.getRuntime().maxMemory() / HEAP_BYTES_OF_AN_ID;
    long most = Math.min(config().limits().count(), fit);
    int count = COUNT.matcher(text).matches() ? Integer.parseInt(text) : 0;
    if (count < 1 || count > most) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST, name + ": " + text + " (expected: 1.." + most + ")");
    }
    return count;
  }
}
