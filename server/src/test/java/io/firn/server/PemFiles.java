package io.firn.server;

import io.firn.testservers.SelfSigned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.net.ssl.KeyManager;

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

  /** As a line of the server's configuration. */
  public String yaml() {
    return "tls: {certificate: " + certificate + ", key: " + key + "}";
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
