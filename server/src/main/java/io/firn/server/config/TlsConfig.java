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
    check(Settings.TLS_CERTIFICATE, certificate);
    check(Settings.TLS_KEY, key);
    clientAuthorities.ifPresent(file -> check(Settings.TLS_CLIENT_CA, file));
  }

  private static void check(Setting<Path> setting, Path file) {
    if (RegularFile.isOther(file)) {
      throw new IllegalArgumentException(
          setting.key() + ": " + file + " (expected: " + RegularFile.RULE + ")");
    }
  }
}
