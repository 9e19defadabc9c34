package io.firn.zookeeper;

import io.firn.store.StoreUri;
import io.firn.store.TlsFiles;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.apache.zookeeper.ZooDefs.Ids;
import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.PathUtils;
import org.apache.zookeeper.common.ZKConfig;
import org.apache.zookeeper.data.ACL;

/** The parts of an address, in the terms of ZooKeeper's client. Immutable. */
final class ZooKeeperAddress {

  /** The scheme of an address with TLS. */
  static final String TLS = "zookeepers";

  private static final int PORT = 2_181;
  private static final String ROOT = "/firn";
  private static final String CREATOR = "creator";
  private static final String WORLD = "world";

  private static final int MIN_SESSION_MILLIS = 1_000;

  /** The names of four million nodes; the client would stop at a hundred thousand. */
  private static final int MAX_REPLY_BYTES = 64 << 20;

  private final StoreUri uri;
  private final String servers;
  private final String root;
  private final List<ACL> permissions;
  private final ZKClientConfig clientConfig;

  ZooKeeperAddress(StoreUri uri) {
    this.uri = uri.allowForServers("ca-file", "cert-file", "acl");
    servers =
        uri.servers(PORT).stream()
            .map(server -> server.getHostString() + ":" + server.getPort())
            .collect(Collectors.joining(","));
    root = root(uri);
    uri.require(
        uri.user().isPresent() == uri.password().isPresent(),
        "both a user and a password, or neither");
    TlsFiles files = TlsFiles.of(uri, uri.scheme().equals(TLS));
    permissions = permissions(uri, uri.user().isPresent() || files.certificate().isPresent());
    clientConfig = clientConfig(uri, files);
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

  private static List<ACL> permissions(StoreUri uri, boolean known) {
    String acl = uri.parameter("acl").orElse(known ? CREATOR : WORLD);
    if (!acl.equals(WORLD) && !(acl.equals(CREATOR) && known)) {
      throw new IllegalArgumentException(
          "acl: "
              + acl
              + (known ? " (expected: creator or world)" : " (expected: world without a user)"));
    }
    return acl.equals(CREATOR) ? Ids.CREATOR_ALL_ACL : Ids.OPEN_ACL_UNSAFE;
  }

  private static ZKClientConfig clientConfig(StoreUri uri, TlsFiles files) {
    ZKClientConfig config = new ZKClientConfig();
    // Otherwise the client resolves the name of an address, and accepts a certificate of that name.
    config.setProperty(ZKClientConfig.ENABLE_CLIENT_SASL_KEY, "false");
    config.setProperty(ZKConfig.JUTE_MAXBUFFER, "" + MAX_REPLY_BYTES);
    config.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, "" + uri.timeout().toMillis());
    if (uri.scheme().equals(TLS)) {
      secure(config, files);
    }
    return config;
  }

  private static void secure(ZKClientConfig config, TlsFiles files) {
    config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
    config.setProperty(
        ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET, "org.apache.zookeeper.ClientCnxnSocketNetty");
    try (ClientX509Util names = new ClientX509Util()) {
      files
          .authorities()
          .ifPresent(
              file -> {
                config.setProperty(names.getSslTruststoreLocationProperty(), file.toString());
                config.setProperty(names.getSslTruststoreTypeProperty(), "PEM");
              });
      files
          .certificate()
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

  /**
   * Returns how this client authenticates, if it has a user; a secret. Reads the password again.
   */
  Optional<byte[]> identity() {
    return uri.user()
        .map(user -> user + ":" + uri.password().orElseThrow())
        .map(identity -> identity.getBytes(StandardCharsets.UTF_8));
  }

  /** Returns the rights on new nodes: all for everyone, or for their creator alone. */
  List<ACL> permissions() {
    return permissions;
  }

  ZKClientConfig clientConfig() {
    return clientConfig;
  }

  /** A server that says nothing for two thirds of it is left for another. */
  int sessionMillis() {
    return Math.max(MIN_SESSION_MILLIS, 2 * (int) uri.timeout().toMillis());
  }

  Duration timeout() {
    return uri.timeout();
  }

  /** Returns the address, without secrets. */
  @Override
  public String toString() {
    return uri.toString();
  }
}
