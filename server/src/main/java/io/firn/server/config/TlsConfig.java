package io.firn.server.config;

import java.nio.file.Path;
import java.util.Optional;

/**
 * The files that make connections secret.
 *
 * @param certificate the certificate chain, in PEM
 * @param key its private key, in PEM
 * @param clientAuthorities the authorities that must have signed the certificates of clients, in
 *     PEM; empty if clients need none
 */
public record TlsConfig(Path certificate, Path key, Optional<Path> clientAuthorities) {

  /**
   * Refuses files that a running server does not read, such as pipes.
   *
   * @throws IllegalArgumentException if one of them is there and is not a regular file
   */
  public void checkRegular() {
    RegularFile.check(Settings.TLS_CERTIFICATE.key(), certificate);
    RegularFile.check(Settings.TLS_KEY.key(), key);
    clientAuthorities.ifPresent(file -> RegularFile.check(Settings.TLS_CLIENT_CA.key(), file));
  }
}
