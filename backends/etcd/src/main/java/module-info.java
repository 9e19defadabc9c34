/**
 * Registers in etcd. gRPC and etcd's messages stay on the class path, also of an application of
 * modules: they are none, and not all of them have a name that will last.
 */
module io.firn.etcd {
  requires transitive io.firn.core;
  requires static org.jspecify;

  exports io.firn.etcd;

  provides io.firn.store.StoreProvider with
      io.firn.etcd.EtcdStoreProvider;
}
