package io.firn.server.config;

import java.nio.file.Path;

/**
 * The files that make connections secret.
 *
 * @param certificate the certificate chain, in PEM
 * @param key its private key, in PEM
 */
public record TlsConfig(Path certificate, Path key) {}
