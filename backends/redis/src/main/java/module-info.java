/** Registers in Redis. An application of modules that opens them by address requires Lettuce. */
@SuppressWarnings("requires-automatic") // Lettuce has a name and no module-info
module io.firn.redis {
  requires transitive io.firn.core;
  requires static lettuce.core;
  requires static org.jspecify;

  exports io.firn.redis;

  provides io.firn.store.StoreProvider with
      io.firn.redis.RedisStoreProvider;
}
