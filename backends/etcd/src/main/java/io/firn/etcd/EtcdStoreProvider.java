package io.firn.etcd;

import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import java.util.Set;

/**
 * Opens registers in etcd: {@code etcd://host1,host2:2379,host3/firn}, with what all keys begin
 * with, and a '/' behind it, {@code firn} unless given. {@code etcds} instead of {@code etcd} is
 * TLS, and the servers' certificates and host names are checked. Parameters, beside {@code timeout}
 * and those for {@linkplain StoreUri user and password}:
 *
 * <ul>
 *   <li>{@code ca-file=PATH}: whom to trust instead of the JDK's trust store, as PEM;
 *   <li>{@code cert-file=PATH} and {@code key-file=PATH}: this client's certificate and its key, as
 *       PEM, the key as PKCS #8.
 * </ul>
 */
public final class EtcdStoreProvider implements StoreProvider {

  /** Creates an instance for {@link java.util.ServiceLoader}. */
  public EtcdStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("etcd", EtcdAddress.TLS);
  }

  @Override
  public String form() {
    return "etcd://HOST:PORT/PREFIX";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    // gRPC is on the class path also where Firn is a module.
    Module firn = EtcdStoreProvider.class.getModule();
    firn.addReads(firn.getClassLoader().getUnnamedModule());
    return new EtcdRegisterStore(new EtcdAddress(uri));
  }
}
