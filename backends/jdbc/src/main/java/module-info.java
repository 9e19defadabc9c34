/** Registers in a table of a relational database, and segments of counters in others. */
module io.firn.jdbc {
  requires transitive io.firn.core;
  requires transitive java.sql;
  requires static org.jspecify;

  exports io.firn.jdbc;

  provides io.firn.segment.SegmentSourceProvider with
      io.firn.jdbc.TableSegmentsProvider;
  provides io.firn.store.StoreProvider with
      io.firn.jdbc.JdbcStoreProvider;
}
