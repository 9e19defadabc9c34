package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.ManualTimeSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Timeout(60)
final class TlsTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));

  @TempDir private Path directory;

  private RunningServer start(PemFiles files) {
    return RunningServer.start("redis", RedisProtocol::new, time, files.yaml());
  }

  private static RawClient connect(RunningServer server, PemFiles trusted) throws Exception {
    KeyStore trust = KeyStore.getInstance("PKCS12");
    trust.load(null, null);
    try (var in = Files.newInputStream(trusted.certificate())) {
      trust.setCertificateEntry(
          "a", CertificateFactory.getInstance("X.509").generateCertificate(in));
    }
    TrustManagerFactory managers = TrustManagerFactory.getInstance("PKIX");
    managers.init(trust);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, managers.getTrustManagers(), null);
    return new RawClient(
        context
            .getSocketFactory()
            .createSocket(server.address().getAddress(), server.address().getPort()));
  }

  private static String name(RawClient client) throws Exception {
    X509Certificate certificate =
        (X509Certificate) ((SSLSocket) client.socket()).getSession().getPeerCertificates()[0];
    return certificate.getSubjectX500Principal().getName();
  }

  @Test
  void servesOverTls() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files);
        RawClient client = connect(server, files)) {
      client.send("PING\r\n".repeat(10_000)).expect("+PONG\r\n".repeat(10_000));
      assertThat(client.send("QUIT\r\n").rest()).isEqualTo("+OK\r\n");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA256",
        "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        "TLS_RSA_WITH_AES_128_GCM_SHA256"
      })
  void refusesWeakCiphers(String cipher) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files);
        RawClient client = connect(server, files)) {
      SSLSocket socket = (SSLSocket) client.socket();
      socket.setEnabledProtocols(new String[] {"TLSv1.2"});
      socket.setEnabledCipherSuites(new String[] {cipher});
      assertThatExceptionOfType(SSLException.class).isThrownBy(socket::startHandshake);
    }
  }

  @Test
  void saysNothingInTheClear() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files);
        RawClient client = server.connect()) {
      assertThat(client.send("PING\r\n").rest()).doesNotContain("PONG");
    }
  }

  @Test
  void takesANewCertificateWithoutARestartAndKeepsTheOldOneWhileTheNewOneIsBroken()
      throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (RunningServer server = start(files)) {
      try (RawClient client = connect(server, files)) {
        assertThat(name(client)).isEqualTo("CN=first");
      }
      String good = Files.readString(files.certificate());
      touch(Files.writeString(files.certificate(), "rubbish"), 1);
      time.advance(Duration.ofSeconds(1));
      server.connect().close();
      Files.writeString(files.certificate(), good);
      try (RawClient client = connect(server, files)) {
        assertThat(name(client)).isEqualTo("CN=first");
      }
      files.write("second");
      touch(files.certificate(), 2);
      time.advance(Duration.ofSeconds(1));
      try (RawClient client = connect(server, files)) {
        assertThat(name(client)).isEqualTo("CN=second");
      }
    }
  }

  /** Some file systems tell seconds only. */
  private static void touch(Path file, int seconds) throws Exception {
    Files.setLastModifiedTime(
        file, FileTime.from(Files.getLastModifiedTime(file).toInstant().plusSeconds(seconds)));
  }

  @Test
  void refusesFilesThatAreNoCertificate() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    Files.writeString(files.certificate(), "rubbish");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start(files))
        .withMessageStartingWith("tls: " + files.certificate() + ", ")
        .withMessageContaining("(expected: a certificate chain and its key, in PEM; ");
  }
}
