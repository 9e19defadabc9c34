package io.firn.zookeeper;

import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import java.util.Set;

/**
 * Opens registers in ZooKeeper: {@code zookeeper://host1,host2:2181,host3/firn}, with the node that
 * all registers are below, {@code /firn} unless given. {@code zookeepers} instead of {@code
 * zookeeper} is TLS, and the servers' certificates and host names are checked. Parameters, beside
 * {@code timeout} and those for {@linkplain StoreUri user and password}:
 *
 * <ul>
 *   <li>{@code ca-file=PATH}: whom to trust instead of the JDK's trust store, as PEM;
 *   <li>{@code cert-file=PATH}: this client's certificate and its key, both in one file, as PEM;
 *   <li>{@code acl=creator} or {@code acl=world}: the rights on new nodes.
 * </ul>
 *
 * <p>With a user and a password (ZooKeeper's scheme {@code digest}), or with a client's certificate
 * ({@code x509}), new nodes are for that user alone, {@code creator}. So all processes that share
 * registers need the same user, or certificates with the same subject; where they have different
 * ones, {@code acl=world} lets everyone who reaches ZooKeeper change the nodes. Without a user and
 * a certificate it is {@code world}.
 */
public final class ZooKeeperStoreProvider implements StoreProvider {

  /** Creates an instance for {@link java.util.ServiceLoader}. */
  public ZooKeeperStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("zookeeper", ZooKeeperAddress.TLS);
  }

  @Override
  public String form() {
    return "zookeeper://HOST:PORT/ROOT";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    readClient();
    return new ZooKeeperRegisterStore(new ZooKeeperAddress(uri));
  }

  /** Lets this module read ZooKeeper's client, which is on the class path then too. */
  static void readClient() {
    Module firn = ZooKeeperStoreProvider.class.getModule();
    firn.addReads(firn.getClassLoader().getUnnamedModule());
  }
}
