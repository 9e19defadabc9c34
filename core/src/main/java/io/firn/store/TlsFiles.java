package io.firn.store;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The PEM files that an address names for TLS, for the authors of stores.
 *
 * @param authorities {@code ca-file}: whom to trust instead of the JDK's trust store
 * @param certificate {@code cert-file}: the client's certificate
 * @param key {@code key-file}: the private key of that certificate
 */
public record TlsFiles(Optional<Path> authorities, Optional<Path> certificate, Optional<Path> key) {

  /**
   * Reads the parameters of an address.
   *
   * @param tls whether the address is one of TLS
   * @throws IllegalArgumentException if a file cannot be read, or one is given without TLS
   */
  public static TlsFiles of(StoreUri uri, boolean tls) {
    TlsFiles files = new TlsFiles(uri.file("ca-file"), uri.file("cert-file"), uri.file("key-file"));
    boolean none =
        files.authorities.isEmpty() && files.certificate.isEmpty() && files.key.isEmpty();
    uri.require(tls || none, "ca-file, cert-file and key-file with TLS only");
    return files;
  }

  /**
   * Returns these files if they are those of a client whose key has a file of its own.
   *
   * @throws IllegalArgumentException if there is a certificate without a key, or the reverse
   */
  public TlsFiles requireKey(StoreUri uri) {
    uri.require(certificate.isPresent() == key.isPresent(), "cert-file and key-file together");
    return this;
  }
}
