/** Registers in etcd. */
@SuppressWarnings("requires-automatic") // gRPC and etcd's messages have no module-info
module io.firn.etcd {
  requires transitive io.firn.core;
  requires com.google.common;
  requires com.google.protobuf;
  requires io.grpc;
  requires io.grpc.stub;
  requires io.netty.codec.http2; // for gRPC's transport, which cannot say so itself
  requires jetcd.grpc;
  requires static org.jspecify;

  exports io.firn.etcd;

  provides io.firn.lease.StoreProvider with
      io.firn.etcd.EtcdStoreProvider;
}
