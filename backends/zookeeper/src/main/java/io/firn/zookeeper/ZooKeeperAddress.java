package io.firn.zookeeper;

import io.firn.lease.StoreUri;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;

/** What an address says, in the words of ZooKeeper's client. Immutable. */
final class ZooKeeperAddress {

  private static final int PORT = 2_181;
  private static final String ROOT = "/firn";

  private static final int MIN_SESSION_MILLIS = 1_000;

  /** The names of four million nodes; the client would stop at a hundred thousand. */
  private static final int MAX_REPLY_BYTES = 64 << 20;

  private final StoreUri uri;
  private final String servers;
  private final String root;
  private final Optional<byte[]> identity;
  private final ZKClientConfig clientConfig;

  ZooKeeperAddress(StoreUri uri) {
    this.uri =
        uri.allow(
            "ca-file", "cert-file", "timeout", "user", "password", "password-env", "password-file");
    servers =
        uri.servers(PORT).stream()
            .map(server -> server.getHostString() + ":" + server.getPort())
            .collect(Collectors.joining(","));
    root = root(uri);
    identity = identity(uri);
    clientConfig = clientConfig(uri);
  }

  private static String root(StoreUri uri) {
    String root = uri.path().isEmpty() || uri.path().equals("/") ? ROOT : uri.path();
    try {
      PathUtils.validatePath(root);
      return root;
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "store: " + uri + " (expected: the path of a node; " + e.getMessage() + ")", e);
    }
  }

  private static Optional<byte[]> identity(StoreUri uri) {
    if (uri.user().isPresent() != uri.password().isPresent()) {
      throw new IllegalArgumentException(
          "store: " + uri + " (expected: a user and a password, or none of both)");
    }
    return uri.user()
        .map(user -> user + ":" + uri.password().orElseThrow())
        .map(identity -> identity.getBytes(StandardCharsets.UTF_8));
  }

  private static ZKClientConfig clientConfig(StoreUri uri) {
    ZKClientConfig config = new ZKClientConfig();
    // Or the client asks for the name of an address, and takes a certificate of that name.
    config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    config.setProperty(ZKConfig.JUTE_MAXBUFFER, "" + MAX_REPLY_BYTES);
    config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, "" + uri.timeout().toMillis());
    if (uri.scheme().equals(ZooKeeperStoreProvider.TLS)) {
      secure(config, uri);
    } else if (uri.parameter("ca-file").isPresent() || uri.parameter("cert-file").isPresent()) {
      throw new IllegalArgumentException(
          "store: "
              + uri
              + " (expected: certificates for "
              + ZooKeeperStoreProvider.TLS
              + " only)");
    }
    return config;
  }

  private static void secure(ZKClientConfig config, StoreUri uri) {
    config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
    config.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
    try (ClientX509Util names = new ClientX509Util()) {
      uri.file("ca-file")
          .ifPresent(
              file -> {
                config.setProperty(names.getSslTruststoreLocationProperty(), file.toString());
                config.setProperty(names.getSslTruststoreTypeProperty(), "PEM");
              });
      uri.file("cert-file")
          .ifPresent(
              file -> {
                config.setProperty(names.getSslKeystoreLocationProperty(), file.toString());
                config.setProperty(names.getSslKeystoreTypeProperty(), "PEM");
              });
    }
  }

  /** As ZooKeeper's client takes them. */
  String servers() {
    return servers;
  }

  /** The path of the node that all registers are below. */
  String root() {
    return root;
  }

  /** How this client says who it is, if it is anybody; a secret. */
  Optional<byte[]> identity() {
    return identity;
  }

  /** Who may do what with new nodes: everybody all, or their maker all and nobody else anything. */
  List<ACL> permissions() {
    return identity.isPresent() ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
  }

  ZKClientConfig clientConfig() {
    return clientConfig;
  }

  /** A server that says nothing for two thirds of it is left for another. */
  int sessionMillis() {
    return Math.max(MIN_SESSION_MILLIS, 2 * (int) uri.timeout().toMillis());
  }

  long timeoutNanos() {
    return uri.timeout().toNanos();
  }

  /** The address, without secrets. */
  @Override
  public String toString() {
    return uri.toString();
  }
}
