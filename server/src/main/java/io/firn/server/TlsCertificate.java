package io.firn.server;

import io.firn.server.config.TlsConfig;
import io.firn.time.TimeSource;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.SupportedCipherSuiteFilter;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLException;
import javax.net.ssl.TrustManagerFactory;

/**
 * A certificate and its key, read again when one of their files has changed: a tool that renews
 * certificates need not restart the server. While the new ones cannot be read, the old ones stay. A
 * thread of its own looks at the files and reads them, because a disk may not answer. Thread-safe.
 */
final class TlsCertificate {

  /** The sessions that clients without tickets can resume. Each takes 2 KB. */
  private static final int MAX_SESSIONS = 1024;

  private static final int MAX_SESSION_SECONDS = 300;

  private static final Logger LOG = System.getLogger("io.firn.server");

  /**
   * The cipher suites of TLS 1.3, and those of TLS 1.2 with forward secrecy and authenticated
   * encryption.
   */
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

  static {
    // A client of TLS 1.2 could cost a handshake with each of its messages. Read once by the JDK.
    System.setProperty("jdk.tls.rejectClientInitiatedRenegotiation", "true");
  }

  private final TimeSource time;
  private final AtomicReference<Loaded> current;
  private final Executor thread =
      DaemonThreads.pool(1, new LinkedBlockingQueue<>(1), "firn-certificate");

  /** True while the thread looks whether the files have changed. */
  private final AtomicBoolean looking = new AtomicBoolean();

  private volatile long lookedNanos;

  /**
   * Reads the files.
   *
   * @throws IllegalArgumentException if they cannot be used
   */
  TlsCertificate(TlsConfig files, TimeSource time) {
    this.time = time;
    lookedNanos = time.nanoTime();
    Loaded loaded = load(files);
    current = new AtomicReference<>(loaded);
    warnIfExpired(loaded, time);
  }

  private Loaded current() {
    return Objects.requireNonNull(current.get());
  }

  /**
   * The contexts for those who need a certificate, and for those who do not.
   *
   * @param clients makes one for each connection if clients need certificates. A session of another
   *     context is not resumed: the certificate would not be checked again, not even its end.
   */
  private record Contexts(ContextMaker clients, SslContext operators, Instant end) {}

  private interface ContextMaker {
    SslContext make() throws SSLException;
  }

  /**
   * The content of the files.
   *
   * @param times when each file was modified, before it was read
   */
  private record Loaded(TlsConfig files, List<FileTime> times, Contexts contexts) {}

  private static Loaded loadAgain(TlsConfig files) {
    files.checkRegular();
    return load(files);
  }

  private static Loaded load(TlsConfig files) {
    try {
      List<FileTime> times = times(files);
      return new Loaded(files, times, read(files));
    } catch (IOException | GeneralSecurityException | IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "tls: "
              + files.certificate()
              + ", "
              + files.key()
              + files.clientAuthorities().map(path -> ", " + path).orElse("")
              + " (expected: a certificate chain and its key in PEM, the key as PKCS #8; "
              + e
              + ")",
          e);
    }
  }

  /**
   * Reads files that may be others than before.
   *
   * @return has new connections use them
   * @throws IllegalArgumentException if they cannot be used
   */
  Runnable prepare(TlsConfig newest) {
    Loaded loaded = loadAgain(newest);
    return () -> {
      current.set(loaded);
      log(loaded);
    };
  }

  private void log(Loaded loaded) {
    LOG.log(
        Level.INFO,
        "certificate "
            + loaded.files().certificate()
            + " loaded, valid until "
            + loaded.contexts().end());
    warnIfExpired(loaded, time);
  }

  private static void warnIfExpired(Loaded loaded, TimeSource time) {
    Instant end = loaded.contexts().end();
    if (time.currentTimeMillis() >= end.toEpochMilli()) {
      LOG.log(
          Level.WARNING,
          "certificate "
              + loaded.files().certificate()
              + " expired at "
              + end
              + "; clients refuse it");
    }
  }

  private static Contexts read(TlsConfig files) throws IOException, GeneralSecurityException {
    List<X509Certificate> chain = PemFile.certificates(files.certificate());
    KeyManagerFactory keys = keys(chain, PemFile.key(files.key()));
    SslContext operators = builder(keys).build();
    check(operators);
    Instant end = chain.get(0).getNotAfter().toInstant();
    if (files.clientAuthorities().isEmpty()) {
      return new Contexts(() -> operators, operators, end);
    }
    TrustManagerFactory authorities =
        authorities(PemFile.certificates(files.clientAuthorities().get()));
    ContextMaker clients =
        () -> builder(keys).trustManager(authorities).clientAuth(ClientAuth.REQUIRE).build();
    clients.make(); // fails now, if at all
    return new Contexts(clients, operators, end);
  }

  private static KeyManagerFactory keys(List<X509Certificate> chain, PrivateKey key)
      throws IOException, GeneralSecurityException {
    char[] password = new char[0];
    KeyStore store = emptyStore();
    store.setKeyEntry("key", key, password, chain.toArray(X509Certificate[]::new));
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store, password);
    return keys;
  }

  private static TrustManagerFactory authorities(List<X509Certificate> certificates)
      throws IOException, GeneralSecurityException {
    KeyStore store = emptyStore();
    for (X509Certificate certificate : certificates) {
      store.setCertificateEntry("authority " + store.size(), certificate);
    }
    TrustManagerFactory authorities =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    authorities.init(store);
    return authorities;
  }

  private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    return store;
  }

  /** Returns when the certificate ends that new connections are shown. */
  Instant end() {
    return current().contexts().end();
  }

  private static SslContextBuilder builder(KeyManagerFactory keys) {
    return SslContextBuilder.forServer(keys)
        .sslProvider(SslProvider.JDK)
        .protocols("TLSv1.3", "TLSv1.2")
        .ciphers(CIPHERS, SupportedCipherSuiteFilter.INSTANCE)
        .sessionCacheSize(MAX_SESSIONS)
        .sessionTimeout(MAX_SESSION_SECONDS);
  }

  /** Makes a handshake in memory, which fails if the key is not that of the certificate. */
  private static void check(SslContext server) throws SSLException {
    SslContext client =
        SslContextBuilder.forClient()
            .sslProvider(SslProvider.JDK)
            .trustManager(InsecureTrustManagerFactory.INSTANCE)
            .endpointIdentificationAlgorithm(null)
            .build();
    SslHandler handler = server.newHandler(UnpooledByteBufAllocator.DEFAULT);
    EmbeddedChannel serving = new EmbeddedChannel(handler);
    EmbeddedChannel asking =
        new EmbeddedChannel(client.newHandler(UnpooledByteBufAllocator.DEFAULT));
    try {
      boolean moved;
      do {
        moved = move(asking, serving);
        moved |= move(serving, asking);
      } while (moved);
    } catch (DecoderException e) {
      throw new SSLException("the key is not that of the certificate: " + e.getMessage(), e);
    } finally {
      serving.finishAndReleaseAll();
      asking.finishAndReleaseAll();
    }
    if (!handler.handshakeFuture().isSuccess()) {
      throw new SSLException("the key is not that of the certificate");
    }
  }

  /** Passes what one side has written to the other, and returns whether there was anything. */
  private static boolean move(EmbeddedChannel from, EmbeddedChannel to) {
    ByteBuf bytes = from.readOutbound();
    if (bytes == null) {
      return false;
    }
    to.writeInbound(bytes);
    return true;
  }

  private static List<FileTime> times(TlsConfig files) throws IOException {
    List<FileTime> times = new ArrayList<>();
    times.add(time(files.certificate()));
    times.add(time(files.key()));
    if (files.clientAuthorities().isPresent()) {
      times.add(time(files.clientAuthorities().get()));
    }
    return times;
  }

  private static FileTime time(Path file) throws IOException {
    return Files.getLastModifiedTime(file);
  }

  /**
   * Returns the handler of a new connection.
   *
   * @param operator whether its client needs no certificate, because it gets no IDs
   * @param connection is notified of the number of bytes that the handler holds
   */
  TlsHandler newHandler(Channel channel, boolean operator, Connection connection) {
    lookForChangesLater();
    Contexts now = current().contexts();
    try {
      SslContext context = operator ? now.operators() : now.clients().make();
      return new TlsHandler(context.newEngine(channel.alloc()), channel.pipeline(), connection);
    } catch (SSLException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Has the thread look for changes, unless it did so a moment ago. */
  private void lookForChangesLater() {
    long now = time.nanoTime();
    if (now - lookedNanos >= LOOK_NANOS && looking.compareAndSet(false, true)) {
      lookedNanos = now;
      thread.execute(
          () -> {
            PeriodicWork.run(this::lookForChanges);
            looking.set(false);
          });
    }
  }

  private void lookForChanges() {
    Loaded before = current();
    if (!isChanged(before)) {
      return;
    }
    try {
      Loaded loaded = loadAgain(before.files());
      if (current.compareAndSet(before, loaded)) { // else a reload has set others meanwhile
        log(loaded);
      }
    } catch (IllegalArgumentException e) {
      LOG.log(Level.WARNING, () -> "Keeping the previous certificate; " + e.getMessage());
    }
  }

  private static boolean isChanged(Loaded before) {
    try {
      return !times(before.files()).equals(before.times());
    } catch (IOException e) {
      return true;
    }
  }
}
