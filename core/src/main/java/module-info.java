/** Firn's core: layouts, generators and text forms of IDs. No dependencies. */
module io.firn.core {
  requires static org.jspecify;

  exports io.firn;
  exports io.firn.key;
  exports io.firn.lease;
  exports io.firn.segment;
  exports io.firn.text;
  exports io.firn.time;
  exports io.firn.wide;

  uses io.firn.key.KeyGeneratorProvider;
  uses io.firn.lease.StoreProvider;
}
