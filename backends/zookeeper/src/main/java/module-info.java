/**
 * Registers in ZooKeeper. Its client stays on the class path, also of an application of modules:
 * two of its jars have packages in common, so they cannot be modules.
 */
module io.firn.zookeeper {
  requires transitive io.firn.core;
  requires static org.jspecify;

  exports io.firn.zookeeper;

  provides io.firn.store.StoreProvider with
      io.firn.zookeeper.ZooKeeperStoreProvider;
}
