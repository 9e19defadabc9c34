package io.firn.jdbc;

import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.FirnException;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.segment.SegmentSource;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Numbers of several databases that know nothing of each other, as Flickr's ticket servers: each
 * counts by the same increment, from an offset of its own, so that no two have a number in common.
 * As long as one of them answers, there are numbers. Thread-safe.
 *
 * <p>A key is a table in MySQL and MariaDB, which gives one number at a time to {@code REPLACE INTO
 * KEY (stub) VALUES ('a')}, and a sequence in PostgreSQL, which gives up to 100. It must not keep
 * numbers back for a session ({@code CACHE 1}).
 *
 * <p>The databases are asked in turn. One that fails is left out for 10 s, unless all others fail
 * too. Each may take 1 s, and as long to give a connection. A number that is not of a database's
 * own is refused.
 *
 * <p>IDs do not grow from one database to the next, so a generator of them is built {@linkplain
 * io.firn.segment.SegmentGenerator.Builder#interleaved interleaved}.
 */
public final class TicketSegments implements SegmentSource {

  private static final System.Logger LOGGER = System.getLogger(TicketSegments.class.getName());

  private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final List<TicketServer> servers;
  private final TimeSource time;
  private final AtomicInteger turn = new AtomicInteger();
  private final Map<TicketServer, Long> failedNanos = new ConcurrentHashMap<>();

  private TicketSegments(List<TicketServer> servers, TimeSource time) {
    this.servers = servers;
    this.time = time;
  }

  /**
   * Starts a list of databases.
   *
   * @param increment by how much each of them counts, 1..65,535; at least as much as there will
   *     ever be databases
   */
  public static Builder builder(int increment) {
    return new Builder(Builder.within("increment", Builder.MAX_INCREMENT, increment));
  }

  @Override
  public Segment next(String key, long count) {
    requireKey(key);
    FirnException failure = null;
    for (TicketServer server : inTurn()) {
      try {
        Segment segment = server.next(key, count);
        failedNanos.remove(server);
        return segment;
      } catch (FirnException e) {
        leaveOut(server, e);
        failure = toThrow(failure, e);
      }
    }
    throw Objects.requireNonNull(failure, "there is a server");
  }

  /** Those that are left out come last. */
  private List<TicketServer> inTurn() {
    List<TicketServer> order = new ArrayList<>();
    int first = turn.getAndIncrement();
    for (int i = 0; i < servers.size(); i++) {
      order.add(servers.get(Math.floorMod(first + i, servers.size())));
    }
    order.sort(Comparator.comparing(this::isLeftOut));
    return order;
  }

  private boolean isLeftOut(TicketServer server) {
    Long failed = failedNanos.get(server);
    return failed != null && time.nanoTime() - failed < REST_NANOS;
  }

  private void leaveOut(TicketServer server, FirnException e) {
    if (failedNanos.put(server, time.nanoTime()) == null) {
      LOGGER.log(Level.WARNING, "left out a ticket server: " + e.getMessage());
    }
  }

  /** Returns the failure to throw: one that a retry may end, if there is one. */
  private static FirnException toThrow(@Nullable FirnException before, FirnException now) {
    if (before == null) {
      return now;
    }
    FirnException chosen = before instanceof SegmentRefusedException ? now : before;
    chosen.addSuppressed(chosen == now ? before : now);
    return chosen;
  }

  /**
   * Returns the key if it can be the name of a table: {@code NAME} or {@code SCHEMA.NAME}, of ASCII
   * letters, digits and underscores.
   *
   * @throws IllegalArgumentException if it cannot
   */
  @Override
  public String requireKey(String key) {
    return RegisterTable.requireName("key", key);
  }

  /** Returns the addresses of the databases, as far as they are known. */
  @Override
  public String toString() {
    return servers.stream().map(TicketServer::toString).collect(Collectors.joining(", "));
  }

  /** Collects databases. Not thread-safe. */
  public static final class Builder {

    /** The largest that MySQL has. */
    private static final int MAX_INCREMENT = 65_535;

    private final long increment;
    private final Map<Integer, TicketServer> servers = new TreeMap<>();
    private @Nullable TimeSource time;
    private boolean built;

    private Builder(long increment) {
      this.increment = increment;
    }

    /**
     * Adds a database.
     *
     * @param offset the first number of this one, 1..increment, that no other has
     */
    public Builder server(int offset, DataSource source) {
      within("offset", increment, offset);
      once("offset", servers.containsKey(offset) ? offset : null, offset);
      servers.put(offset, new TicketServer(source, offset, increment));
      return this;
    }

    private static long within(String name, long max, long value) {
      if (value < 1 || value > max) {
        throw new IllegalArgumentException(name + ": " + value + " (expected: 1.." + max + ")");
      }
      return value;
    }

    /** Sets the clock; the system's unless set. */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Builds the source; it does not connect before the first call.
     *
     * @throws IllegalArgumentException if there is no database
     */
    public TicketSegments build() {
      built = buildOnce(built);
      within("servers", increment, servers.size());
      return new TicketSegments(
          List.copyOf(servers.values()), Objects.requireNonNullElse(time, TimeSource.system()));
    }
  }
}
