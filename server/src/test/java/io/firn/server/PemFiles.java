package io.firn.server;

import io.firn.testservers.SelfSigned;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/** A certificate of its own making, and its key, in files that a test can have replaced. */
public final class PemFiles {

  private SelfSigned own;
  private final Path certificate;
  private final Path key;

  /** Makes them in a directory. */
  public PemFiles(Path directory, String commonName) throws IOException {
    certificate = directory.resolve("certificate.pem");
    key = directory.resolve("key.pem");
    write(commonName);
  }

  /** Makes others in their place. */
  public void write(String commonName) throws IOException {
    own = SelfSigned.of(commonName, "ip:127.0.0.1");
    Files.writeString(certificate, own.certificatePem());
    Files.writeString(key, own.keyPem());
  }

  /** For a client that presents the certificate. */
  public KeyManager[] keyManagers() {
    return own.keyManagers();
  }

  /** Connects a client that trusts the certificate. */
  public RawClient connect(InetSocketAddress address) throws Exception {
    return connect(address, null);
  }

  /** Connects a client that trusts the certificate and presents those of its own. */
  public RawClient connect(InetSocketAddress address, KeyManager[] keyManagers) throws Exception {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    try (var in = Files.newInputStream(certificate)) {
      trust.setCertificateEntry(
          "a", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    managers.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(keyManagers, managers.getTrustManagers(), null);
    return new RawClient(
        context.getSocketFactory().createSocket(address.getAddress(), address.getPort()));
  }

  /** As a line of the server's configuration. */
  public String yaml() {
    return "tls: {certificate: " + certificate + ", key: " + key + "}";
  }

  /** The same, for a server whose clients present certificates. */
  public String yaml(PemFiles clients) {
    return yaml().replace("}", ", client-ca: " + clients.certificate + "}");
  }

  /** The file of the certificate. */
  public Path certificate() {
    return certificate;
  }

  /** The file of its key. */
  public Path key() {
    return key;
  }
}
