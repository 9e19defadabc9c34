package io.firn.jdbc;

import io.firn.jdbc.CountingDatabase.Offer;
import io.firn.jdbc.Dialect.Reply;
import io.firn.segment.Segment;
import io.firn.segment.SegmentSource;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * Segments from Leaf's own table, {@code leaf_alloc}: a key is a {@code biz_tag}. Leaf's servers
 * may continue with the same table at the same time. Thread-safe.
 *
 * <p>A segment is {@code max_id} and what follows, and {@code max_id} is moved past it: a row that
 * is made with 1 begins with 1. As in Leaf, it has {@code step} numbers, or as many as are asked
 * for if that is more.
 *
 * <p>The row is locked, read and written in one transaction of at most 3 s, and not at all unless
 * it is as it was read; waiting for a connection may take as long again. An answer that was lost
 * costs the segment. Rows are made by hand.
 */
public final class LeafSegments implements SegmentSource {

  private static final String SELECT =
      "SELECT max_id, step FROM leaf_alloc WHERE biz_tag = ? FOR UPDATE";

  private static final String UPDATE =
      "UPDATE leaf_alloc SET max_id = max_id + ? WHERE biz_tag = ? AND max_id = ?";

  private static final Duration TIMEOUT = Duration.ofSeconds(3);

  private final CountingDatabase database;

  LeafSegments(CountingDatabase database) {
    this.database = database;
  }

  /**
   * Returns segments from the table that connections of that source find by its name. They must not
   * be those of a transaction that the caller is in.
   */
  public static LeafSegments of(DataSource source) {
    return new LeafSegments(new CountingDatabase(source, "jdbc:leaf_alloc", TIMEOUT));
  }

  @Override
  public Segment next(String key, long count) {
    requireKey(key);
    return database.take(
        key, SELECT, row -> offer(key, row.getLong(1), Math.max(count, row.getLong(2))));
  }

  private Offer offer(String key, long maxId, long wanted) {
    long count = Math.min(wanted, Long.MAX_VALUE - maxId);
    if (maxId < 0 || count == 0) {
      throw database.refused(
          "max_id", maxId + " for key " + key, "0.." + (Long.MAX_VALUE - 1) + ", to go on from");
    }
    return new Offer(
        Segment.of(maxId, count),
        new Query<>(
            UPDATE, List.of(count, key, maxId), Reply.COUNT, PreparedStatement::getUpdateCount));
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
