package io.firn.testservers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A key and a certificate of it, by itself, for the host name {@code localhost} and for nothing
 * else, not for 127.0.0.1; also as PEM files.
 */
final class LocalhostCertificate implements AutoCloseable {

  private final ScratchDirectory directory = ScratchDirectory.create("tls");
  private final SelfSigned own;

  LocalhostCertificate() {
    try {
      own = SelfSigned.of("Firn's tests", "dns:localhost");
      Files.writeString(certificate(), own.certificatePem());
      Files.writeString(key(), own.keyPem());
      Files.writeString(keyAndCertificate(), own.keyPem() + own.certificatePem());
    } catch (IOException | RuntimeException e) {
      directory.close();
      throw new IllegalStateException(
          "The certificate for localhost was not made; the cause says why", e);
    }
  }

  Path certificate() {
    return directory.resolve("certificate.pem");
  }

  Path key() {
    return directory.resolve("key.pem");
  }

  Path keyAndCertificate() {
    return directory.resolve("key-and-certificate.pem");
  }

  /** For those who show this certificate, and want to see it. */
  SSLContext context() {
    try {
      KeyStore trusted = KeyStore.getInstance("PKCS12");
      trusted.load(null, null);
      trusted.setCertificateEntry("localhost", own.certificate());
      TrustManagerFactory others = TrustManagerFactory.getInstance("PKIX");
      others.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own.keyManagers(), others.getTrustManagers(), null);
      return context;
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("No TLS context was made; the cause says why", e);
    }
  }

  @Override
  public void close() {
    directory.close();
  }
}
