package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import io.firn.segment.Segment;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * One of several databases that share the numbers: it hands out those that leave {@code offset}
 * when divided by {@code increment}. Thread-safe.
 */
final class TicketServer {

  /** Few enough that other clients rarely interleave, which costs the numbers that follow. */
  private static final long MAX_COUNT = 100;

  private static final Duration TIMEOUT = Duration.ofSeconds(1);

  /**
   * The message makes the commit wait for the disk. PostgreSQL logs a sequence 32 numbers ahead, so
   * a draw among them logs nothing, waits for nothing, and would come again after a crash if the
   * log of who was ahead was not written yet.
   */
  private static final String DRAW =
      "SELECT nextval(CAST(? AS regclass)) FROM generate_series(1, ?), "
          + "(SELECT pg_logical_emit_message(true, 'firn', '')) AS forced";

  private final CountingDatabase database;
  private final long offset;
  private final long increment;

  TicketServer(DataSource source, long offset, long increment) {
    database = new CountingDatabase(source, "jdbc:tickets/" + offset, TIMEOUT);
    this.offset = offset;
    this.increment = increment;
  }

  Segment next(String key, long count) {
    Segment segment =
        database.take((borrowed, dialect) -> borrowed.ask(question(dialect, key, count)));
    if (segment.first() % increment != offset % increment) {
      throw database.refused(
          "ticket", segment.first() + " for key " + key, offset + " modulo " + increment);
    }
    return segment;
  }

  private Query<Segment> question(Dialect dialect, String key, long count) {
    return switch (dialect) {
      case MYSQL, MARIADB ->
          new Query<>(
              "REPLACE INTO " + key + " (stub) VALUES ('a')",
              List.of(),
              Reply.GENERATED_KEY,
              this::generated);
      case POSTGRESQL ->
          new Query<>(DRAW, List.of(key, Math.min(count, MAX_COUNT)), Reply.ROW, this::drawn);
      default -> throw database.refused("dialect", "" + dialect, "MySQL, MariaDB or PostgreSQL");
    };
  }

  private Segment generated(PreparedStatement statement) throws SQLException {
    try (ResultSet keys = statement.getGeneratedKeys()) {
      if (!keys.next()) {
        throw new SQLException("the reply has no generated key");
      }
      return new Segment(keys.getLong(1), 1, increment);
    }
  }

  /** The numbers up to the first that another client drew. */
  private Segment drawn(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.getResultSet()) {
      rows.next();
      long first = rows.getLong(1);
      long count = 1;
      while (rows.next() && rows.getLong(1) == first + count * increment) {
        count++;
      }
      return new Segment(first, count, increment);
    }
  }

  @Override
  public String toString() {
    return database.toString();
  }
}
