package io.firn.server;

import io.firn.server.config.TlsConfig;
import io.firn.time.TimeSource;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import javax.net.ssl.SSLException;

/**
 * A certificate and its key, read again when one of their files has changed: whoever renews
 * certificates need not restart the server. While the new ones cannot be read, the old ones stay.
 * Thread-safe.
 */
final class TlsCertificate {

  private static final Logger LOG = System.getLogger("io.firn.server");

  /** Those of TLS 1.3, and of TLS 1.2 those with forward secrecy and authenticated encryption. */
  private static final List<String> CIPHERS =
      List.of(
          "TLS_AES_256_GCM_SHA384",
          "TLS_AES_128_GCM_SHA256",
          "TLS_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
          "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256",
          "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
          "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256");

  private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TlsConfig files;
  private final TimeSource time;
  private final long handshakeMillis;
  private final ReentrantLock lock = new ReentrantLock();
  private List<FileTime> times;
  private long lookedNanos;
  private volatile SslContext context;

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if they cannot be used
   */
  TlsCertificate(TlsConfig files, Duration handshakeTime, TimeSource time) {
    this.files = files;
    this.time = time;
    handshakeMillis = handshakeTime.toMillis();
    lookedNanos = time.nanoTime();
    try {
      times = times();
      context = read();
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "tls: "
              + files.certificate()
              + ", "
              + files.key()
              + " (expected: a certificate chain and its key, in PEM; "
              + e
              + ")",
          e);
    }
  }

  private SslContext read() throws SSLException {
    return SslContextBuilder.forServer(files.certificate().toFile(), files.key().toFile())
        .sslProvider(SslProvider.JDK)
        .protocols("TLSv1.3", "TLSv1.2")
        .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
        .build();
  }

  private List<FileTime> times() throws IOException {
    return List.of(time(files.certificate()), time(files.key()));
  }

  private static FileTime time(Path file) throws IOException {
    return Files.getLastModifiedTime(file);
  }

  SslHandler newHandler(ByteBufAllocator allocator) {
    if (lock.tryLock()) {
      try {
        lookForChanges();
      } finally {
        lock.unlock();
      }
    }
    SslHandler handler = context.newHandler(allocator);
    handler.setHandshakeTimeoutMillis(handshakeMillis);
    return handler;
  }

  private void lookForChanges() {
    long now = time.nanoTime();
    if (now - lookedNanos < LOOK_NANOS) {
      return;
    }
    lookedNanos = now;
    try {
      List<FileTime> found = times();
      if (!found.equals(times)) {
        context = read();
        times = found;
      }
    } catch (IOException | IllegalArgumentException e) {
      LOG.log(Level.WARNING, "tls: still the certificate from before, for the new one fails", e);
    }
  }
}
