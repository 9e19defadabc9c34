/** Firn's core: layouts, generators and text forms of IDs. No dependencies. */
@SuppressWarnings("module") // core is compiled before the modules that it exports to
module io.firn.core {
  requires static org.jspecify;

  exports io.firn;
  exports io.firn.block;
  exports io.firn.integration to
      io.firn.flink,
      io.firn.hibernate,
      io.firn.kafka,
      io.firn.mybatis,
      io.firn.server,
      io.firn.shardingsphere,
      io.firn.spring;
  exports io.firn.internal to
      io.firn.client,
      io.firn.flink,
      io.firn.kafka,
      io.firn.server,
      io.firn.spark,
      io.firn.testkit;
  exports io.firn.lease;
  exports io.firn.store;
  exports io.firn.segment;
  exports io.firn.text;
  exports io.firn.time;
  exports io.firn.wide;

  uses io.firn.segment.SegmentSourceProvider;
  uses io.firn.store.StoreProvider;
}
