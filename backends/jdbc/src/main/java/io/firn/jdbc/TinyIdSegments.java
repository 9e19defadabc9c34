package io.firn.jdbc;

import io.firn.jdbc.CountingDatabase.Offer;
import io.firn.jdbc.Dialect.Reply;
import io.firn.segment.Segment;
import io.firn.segment.SegmentSource;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Segments from tinyid's own table, {@code tiny_id_info}: a key is a {@code biz_type}. Tinyid's
 * servers may continue with the same table at the same time. Thread-safe.
 *
 * <p>A segment is what lies past {@code max_id} and leaves {@code remainder} when divided by {@code
 * delta}: with 1, and 1 by 2, it is 3, 5, 7 … It has the numbers of a {@code step}, or as many as
 * are asked for if that is more, and {@code max_id} and {@code version} are moved on.
 *
 * <p>The row is locked and read, and written as tinyid does it, unless its {@code version} or
 * {@code max_id} is another by then, in one transaction of at most 3 s; waiting for a connection
 * may take as long again. An answer that was lost costs the segment. Rows are made by hand.
 */
public final class TinyIdSegments implements SegmentSource {

  private static final String SELECT =
      "SELECT id, max_id, step, delta, remainder, version FROM tiny_id_info WHERE biz_type = ?"
          + " FOR UPDATE";

  private static final String UPDATE =
      "UPDATE tiny_id_info SET max_id = ?, update_time = CURRENT_TIMESTAMP, version = version + 1"
          + " WHERE id = ? AND max_id = ? AND version = ? AND biz_type = ?";

  /** A row as it was read. */
  private record Row(long id, long maxId, long step, long delta, long remainder, long version) {

    static Row read(ResultSet rows) throws SQLException {
      return new Row(
          rows.getLong("id"),
          rows.getLong("max_id"),
          rows.getLong("step"),
          rows.getLong("delta"),
          rows.getLong("remainder"),
          rows.getLong("version"));
    }

    boolean divides() {
      return delta >= 1 && remainder >= 0 && remainder < delta;
    }

    long count(long wanted) {
      return Math.min(Math.max(wanted, step / delta), (Long.MAX_VALUE - maxId) / delta);
    }

    /** The first number past {@code max_id} that leaves the remainder. */
    long first() {
      return maxId + 1 + Math.floorMod(remainder - maxId - 1, delta);
    }
  }

  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final CountingDatabase database;

  TinyIdSegments(CountingDatabase database) {
    this.database = database;
  }

  /**
   * Returns segments from the table that connections of that source find by its name. They must not
   * be those of a transaction that the caller is in.
   */
  public static TinyIdSegments of(DataSource source) {
    return new TinyIdSegments(new CountingDatabase(source, "jdbc:tiny_id_info", TIMEOUT));
  }

  @Override
  public Segment next(String key, long count) {
    requireKey(key);
    return database.take(key, SELECT, row -> offer(key, Row.read(row), count));
  }

  private Offer offer(String key, Row row, long wanted) {
    if (!row.divides()) {
      throw database.refused(
          "delta",
          row.delta() + " and remainder " + row.remainder() + " for key " + key,
          "1 or more, and a remainder of it");
    }
    long count = row.count(wanted);
    if (row.maxId() < 0 || count == 0) {
      throw database.refused(
          "max_id",
          row.maxId() + " for key " + key,
          "0.." + (Long.MAX_VALUE - row.delta()) + ", to go on from");
    }
    return new Offer(
        new Segment(row.first(), count, row.delta()),
        new Query<>(
            UPDATE,
            List.of(row.maxId() + count * row.delta(), row.id(), row.maxId(), row.version(), key),
            Reply.COUNT,
            PreparedStatement::getUpdateCount));
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
