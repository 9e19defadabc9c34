package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import io.firn.segment.Segment;
import io.firn.segment.SegmentSource;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;

/**
 * Segments from a database's own {@code SEQUENCE}, whose increment is the size of a segment, as
 * Hibernate's optimizers and others that allocate by Hi/Lo take them. They may go on with the same
 * sequence at the same time. A key is the name of a sequence: {@code NAME} or {@code SCHEMA.NAME}.
 * For PostgreSQL and MariaDB. Thread-safe.
 *
 * <p>Each value of a sequence stands for as many numbers as its increment says: with {@link
 * #pooledLo} from the value upwards, with {@link #pooled} up to the value. All users of a sequence
 * must agree on that, and on the increment. A sequence with an increment of 1 has one number for
 * each value.
 *
 * <p>PostgreSQL is asked for up to 100 values at once. If another user draws in the middle, the
 * numbers of the values after that are left, a gap. A call may take 3 s, and waiting for a
 * connection as long again. An answer that was lost costs its numbers. Nothing is given back.
 */
public final class SequenceSegments implements SegmentSource {

  private static final long MAX_VALUES = 100;
  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  /** PostgreSQL: the limit of a sequence generator is exceeded. */
  private static final String USED_UP_STATE = "2200H";

  /** MariaDB: the sequence has run out. */
  private static final int USED_UP_CODE = 4084;

  /**
   * Draws values. The commit waits for the disk, as that of {@link TicketServer} does. The
   * increment is read with the values, because it may be altered. Never asks for more values than
   * are left: a statement that finds none fails, and takes those that it drew before with it.
   */
  private static final String POSTGRESQL_DRAW =
      "SELECT nextval(CAST(? AS regclass)), seqincrement, seqstart, seqcycle"
          + " FROM pg_sequence, pg_sequence_last_value(CAST(? AS regclass)) AS last,"
          + " generate_series(1, greatest(1, least(?,"
          + " least(1000, (seqmax - greatest(0, coalesce(last, seqstart))) / seqincrement)"
          + " + CASE WHEN last IS NULL THEN 1 ELSE 0 END))),"
          + " (SELECT pg_logical_emit_message(true, 'firn', '')) AS forced"
          + " WHERE seqrelid = CAST(? AS regclass)";

  private final CountingDatabase database;
  private final boolean upwards;
  private final Map<String, Long> increments = new ConcurrentHashMap<>();

  SequenceSegments(CountingDatabase database, boolean upwards) {
    this.database = database;
    this.upwards = upwards;
  }

  /**
   * Returns segments that begin with a value of the sequence, as those of Hibernate's optimizer
   * {@code pooled-lo}.
   *
   * @param source its connections must not be those of a transaction that the caller is in
   */
  public static SequenceSegments pooledLo(DataSource source) {
    return new SequenceSegments(database(source), true);
  }

  /**
   * Returns segments that end with a value of the sequence, as those of Hibernate's optimizer
   * {@code pooled}, its default. They begin with the sequence's first value or later.
   *
   * @param source its connections must not be those of a transaction that the caller is in
   */
  public static SequenceSegments pooled(DataSource source) {
    return new SequenceSegments(database(source), false);
  }

  private static CountingDatabase database(DataSource source) {
    return new CountingDatabase(source, "jdbc:sequence", TIMEOUT);
  }

  @Override
  public Segment next(String key, long count) {
    requireKey(key);
    return database.take(
        (borrowed, dialect) -> {
          try {
            Drawn drawn = borrowed.ask(question(dialect, key, count));
            increments.put(key, drawn.increment);
            return segment(key, drawn);
          } catch (SQLException e) {
            if (USED_UP_STATE.equals(e.getSQLState()) || e.getErrorCode() == USED_UP_CODE) {
              throw database.refused("sequence", key, "one with values left");
            }
            throw e;
          }
        });
  }

  /**
   * Values that were drawn.
   *
   * @param first the first of them
   * @param values how many follow each other by the increment, with the first
   * @param start the first value that the sequence ever had
   */
  private record Drawn(long first, long values, long increment, long start, boolean cycles) {}

  private Segment segment(String key, Drawn drawn) {
    if (drawn.increment < 1 || drawn.cycles || drawn.start < 0) {
      throw database.refused(
          "sequence",
          key,
          "one that counts upwards from 0 or more, without CYCLE; increment "
              + drawn.increment
              + ", start "
              + drawn.start);
    }
    long begin = upwards ? drawn.first : Math.max(drawn.start, drawn.first - drawn.increment + 1);
    long end = drawn.first + (drawn.values - 1) * drawn.increment; // the last value
    long most = upwards ? Math.min(drawn.increment - 1, Long.MAX_VALUE - end) : 0;
    return Segment.of(begin, Math.min(end + most - begin + 1, Segment.MAX_COUNT));
  }

  private Query<Drawn> question(Dialect dialect, String key, long count) {
    return switch (dialect) {
      case POSTGRESQL -> {
        long increment = increments.getOrDefault(key, count); // one value until it is known
        long values = Math.max(1, Math.min(MAX_VALUES, count / increment));
        yield new Query<>(
            POSTGRESQL_DRAW, List.of(key, key, values, key), Reply.ROW, each -> drawn(key, each));
      }
      case MARIADB ->
          new Query<>(
              "SELECT NEXT VALUE FOR " + key + ", increment, start_value, cycle_option FROM " + key,
              List.of(),
              Reply.ROW,
              each -> drawn(key, each));
      default ->
          throw database.refused(
              "database", "" + dialect, "one with sequences: PostgreSQL, MariaDB");
    };
  }

  /** Reads the values up to where another user drew from the sequence. */
  private Drawn drawn(String key, PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.getResultSet()) {
      if (!rows.next()) {
        throw database.refused("key", key, "a sequence");
      }
      long first = rows.getLong(1);
      long increment = rows.getLong(2);
      Drawn one = new Drawn(first, 1, increment, rows.getLong(3), rows.getBoolean(4));
      long values = 1;
      while (rows.next() && rows.getLong(1) == first + values * increment) {
        values++;
      }
      return new Drawn(first, values, increment, one.start, one.cycles);
    }
  }

  /**
   * Returns the key if it can be the name of a sequence: {@code NAME} or {@code SCHEMA.NAME}, of
   * ASCII letters, digits and underscores.
   *
   * @throws IllegalArgumentException if it cannot
   */
  @Override
  public String requireKey(String key) {
    return RegisterTable.requireName("key", key);
  }

  @Override
  public void close() {
    database.close();
  }

  /** Returns the address of the database, once it is known. */
  @Override
  public String toString() {
    return database.toString();
  }
}
