package io.firn.etcd;

import io.etcd.jetcd.api.AuthenticateRequest;
import io.firn.lease.StoreUri;
import io.grpc.ChannelCredentials;
import io.grpc.InsecureChannelCredentials;
import io.grpc.TlsChannelCredentials;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What an address says. Immutable. */
final class EtcdAddress {

  private static final int PORT = 2_379;
  private static final String PREFIX = "firn/";

  private final StoreUri uri;
  private final List<InetSocketAddress> servers;
  private final Optional<AuthenticateRequest> login;
  private final ChannelCredentials credentials;

  EtcdAddress(StoreUri uri) {
    this.uri =
        uri.allow(
            "ca-file",
            "cert-file",
            "key-file",
            "timeout",
            "user",
            "password",
            "password-env",
            "password-file");
    servers = uri.servers(PORT);
    login = login(uri);
    credentials = credentials(uri);
  }

  private static Optional<AuthenticateRequest> login(StoreUri uri) {
    require(
        uri.user().isPresent() == uri.password().isPresent(),
        uri,
        "a user and a password, or none of both");
    return uri.user()
        .map(user -> AuthenticateRequest.newBuilder().setName(user))
        .map(login -> login.setPassword(uri.password().orElseThrow()).build());
  }

  private static ChannelCredentials credentials(StoreUri uri) {
    Optional<Path> authorities = uri.file("ca-file");
    Optional<Path> certificate = uri.file("cert-file");
    Optional<Path> key = uri.file("key-file");
    boolean secure = uri.scheme().equals(EtcdStoreProvider.TLS);
    require(
        certificate.isPresent() == key.isPresent(), uri, "cert-file and key-file, or none of both");
    require(
        secure || (authorities.isEmpty() && key.isEmpty()),
        uri,
        "certificates for " + EtcdStoreProvider.TLS + " only");
    try {
      TlsChannelCredentials.Builder tls = TlsChannelCredentials.newBuilder();
      if (authorities.isPresent()) {
        tls.trustManager(authorities.get().toFile());
      }
      if (certificate.isPresent()) {
        tls.keyManager(certificate.get().toFile(), key.orElseThrow().toFile());
      }
      return secure ? tls.build() : InsecureChannelCredentials.create();
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "store: " + uri + " (expected: certificates and a key as PEM; " + e.getMessage() + ")",
          e);
    }
  }

  private static void require(boolean held, StoreUri uri, String rule) {
    if (!held) {
      throw new IllegalArgumentException("store: " + uri + " (expected: " + rule + ")");
    }
  }

  List<InetSocketAddress> servers() {
    return servers;
  }

  /** What all keys begin with. */
  String prefix() {
    String path = uri.path();
    if (path.length() < 2) {
      return PREFIX;
    }
    return path.substring(1) + (path.endsWith("/") ? "" : "/");
  }

  /** How to ask for a token, if there are users; a secret. */
  Optional<AuthenticateRequest> login() {
    return login;
  }

  /** TLS, or none. */
  ChannelCredentials credentials() {
    return credentials;
  }

  long timeoutMillis() {
    return uri.timeout().toMillis();
  }

  /** The address, without secrets. */
  @Override
  public String toString() {
    return uri.toString();
  }
}
