package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.segment.UnknownKeyException;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A database that hands out numbers. Thread-safe.
 *
 * <p>Numbers are used only if their reply arrived, and arrived after the commit. So it is always
 * safe to ask again: an earlier call that was applied costs at most a gap.
 */
final class CountingDatabase {

  /** ISO/IEC 9075-2, SQLSTATE: no such table, or no right to it. */
  private static final String ACCESS_RULE = "42";

  /** MySQL, MariaDB and H2 say 42S02, H2 also 42S03 and 42S04 with a hint, PostgreSQL 42P01. */
  private static final Set<String> NO_TABLE = Set.of("42S02", "42S03", "42S04", "42P01");

  /** One way to take numbers. */
  interface Attempt {
    Segment make(Borrowed borrowed, Dialect dialect) throws SQLException;
  }

  /** The numbers that the row that the result is at would give. */
  interface RowReader {
    Offer read(ResultSet row) throws SQLException;
  }

  /**
   * The numbers that a row would give, and the statement that takes it if the row is still as it
   * was read.
   */
  record Offer(Segment segment, Query<Integer> taking) {}

  private final ConnectionSource connections;
  private final String name;
  private final Duration timeout;
  private volatile @Nullable String address;
  private volatile @Nullable Dialect dialect;

  /**
   * Does not connect yet.
   *
   * @param name its name until its address is known
   */
  CountingDatabase(DataSource source, String name, Duration timeout) {
    this(ConnectionSource.of(source), name, timeout);
  }

  /** As above, with its own connections. */
  CountingDatabase(ConnectionSource connections, String name, Duration timeout) {
    this.connections = connections;
    this.name = name;
    this.timeout = timeout;
  }

  void close() {
    connections.close();
  }

  /**
   * Takes numbers from the row of a key.
   *
   * @param select locks the row of a key and reads it
   * @param reader reads what the row offers
   */
  Segment take(String key, String select, RowReader reader) {
    Query<Optional<Offer>> reading =
        new Query<>(
            select,
            List.of(key),
            Reply.ROW,
            statement -> {
              try (ResultSet rows = statement.getResultSet()) {
                return rows.next() ? Optional.of(reader.read(rows)) : Optional.empty();
              }
            });
    return take(
        (borrowed, known) -> {
          if (known == Dialect.SQLITE) {
            throw refused("database", "SQLite", "one that locks rows: MySQL, PostgreSQL or H2");
          }
          return borrowed.inTransaction(() -> takeOffer(borrowed, key, reading));
        });
  }

  private Segment takeOffer(Borrowed borrowed, String key, Query<Optional<Offer>> reading)
      throws SQLException {
    Offer offer = borrowed.ask(reading).orElseThrow(() -> unknown(key));
    if (borrowed.ask(offer.taking()) != 1) {
      throw new SQLTransactionRollbackException(
          "another process wrote the row concurrently", "40001");
    }
    return offer.segment();
  }

  private UnknownKeyException unknown(String key) {
    return new UnknownKeyException(refusal("key", key, "one that is known"));
  }

  SegmentRefusedException refused(String setting, String value, String rule) {
    return new SegmentRefusedException(refusal(setting, value, rule));
  }

  private String refusal(String setting, String value, String rule) {
    return setting + ": " + value + " in " + this + " (expected: " + rule + ")";
  }

  /**
   * Takes numbers, and tries again if others were in the way, or once if a reply did not come.
   *
   * @throws StoreException if there is no answer
   * @throws SegmentRefusedException if the database has not what is asked for
   */
  Segment take(Attempt attempt) {
    StoreCall borrowing = new StoreCall(this, timeout);
    StoreCall begun = null;
    for (boolean first = true; ; first = false) {
      StoreCall before = begun;
      try (Borrowed borrowed =
          borrow(borrowing, () -> before == null ? new StoreCall(this, timeout) : before)) {
        begun = borrowed.call();
        borrowed.arrange();
        return attempt.make(borrowed, identify(borrowed));
      } catch (SQLException e) {
        awaitRetry(e, first, Objects.requireNonNull(begun, "there was a connection"));
      }
    }
  }

  private Borrowed borrow(StoreCall borrowing, Supplier<StoreCall> statements) {
    try {
      return new Borrowed(connections, borrowing, statements);
    } catch (SQLException e) {
      throw Database.failed(borrowing, e);
    }
  }

  private Dialect identify(Borrowed borrowed) throws SQLException {
    Dialect known = dialect;
    if (known == null) {
      address = withoutQuery(Database.address(borrowed.connection().getMetaData()));
      known = Dialect.of(borrowed);
      dialect = known;
    }
    borrowed.limitLocks(known, Dialect.lockMillis(timeout.toMillis()));
    return known;
  }

  /** A driver's own data source may print every setting. */
  private static String withoutQuery(String address) {
    int query = address.indexOf('?');
    return query < 0 ? address : address.substring(0, query);
  }

  /** Waits for the next attempt, or throws what says why there is none. */
  private void awaitRetry(SQLException e, boolean first, StoreCall call) {
    String state = e.getSQLState();
    if (state != null && NO_TABLE.contains(state)) {
      throw refused("table", Database.reason(e), "one that is there; nothing makes it");
    }
    if (state != null && state.startsWith(ACCESS_RULE)) {
      throw refused("statement", Database.reason(e), "one that the user may run, on what there is");
    }
    Dialect known = dialect;
    ErrorKind kind = known == null ? ErrorKind.LOST : ErrorKind.of(e, known);
    boolean repeatable = kind == ErrorKind.ROLLED_BACK || (kind == ErrorKind.LOST && first);
    if (!repeatable || call.isOver()) {
      throw Database.failed(call, e);
    }
    call.pause();
  }

  @Override
  public String toString() {
    String known = address;
    return known == null ? name : known;
  }
}
