package io.firn.etcd;

import io.etcd.jetcd.api.AuthenticateRequest;
import io.firn.store.StoreUri;
import io.firn.store.TlsFiles;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;

/** The parts of an address. Immutable. */
final class EtcdAddress {

  /** The scheme of an address with TLS. */
  static final String TLS = "etcds";

  private static final int PORT = 2_379;
  private static final String PREFIX = "firn/";

  private final StoreUri uri;
  private final List<InetSocketAddress> servers;
  private final ChannelCredentials credentials;

  EtcdAddress(StoreUri uri) {
    this.uri = uri.allowForServers("ca-file", "cert-file", "key-file");
    servers = uri.servers(PORT);
    uri.require(
        uri.user().isPresent() == uri.password().isPresent(),
        "both a user and a password, or neither");
    credentials = credentials(uri);
  }

  private static ChannelCredentials credentials(StoreUri uri) {
    boolean secure = uri.scheme().equals(TLS);
    TlsFiles files = TlsFiles.of(uri, secure).requireKey(uri);
    try {
      TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
      if (files.authorities().isPresent()) {
        tls.trustManager(files.authorities().get().toFile());
      }
      if (files.certificate().isPresent()) {
        tls.keyManager(files.certificate().get().toFile(), files.key().orElseThrow().toFile());
      }
      return secure ? tls.build() : InsecureChannelCredentials.create();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "store: " + uri + " (expected: certificates and a key as PEM; " + e.getMessage() + ")",
          e);
    }
  }

  List<InetSocketAddress> servers() {
    return servers;
  }

  /** Returns the prefix that all keys begin with. */
  String prefix() {
    String path = uri.path();
    if (path.length() < 2) {
      return PREFIX;
    }
    return path.substring(1) + (path.endsWith("/") ? "" : "/");
  }

  /** Returns whether requests need a token. */
  boolean hasUser() {
    return uri.user().isPresent();
  }

  /** Returns how to ask for a token; a secret. Reads the password again. */
  AuthenticateRequest login() {
    return AuthenticateRequest.newBuilder()
        .setName(uri.user().orElseThrow())
        .setPassword(uri.password().orElseThrow())
        .build();
  }

  /** TLS, or none. */
  ChannelCredentials credentials() {
    return credentials;
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
