package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.server.config.TlsConfig;
import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.LogLines;
import io.firn.testkit.ManualTimeSource;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of a certificate: what is refused, and how they are replaced. */
@Timeout(60)
final class TlsCertificateTest {

  private final ManualTimeSource time = new ManualTimeSource(Instant.parse("2026-11-21T12:00:00Z"));

  @TempDir private Path directory;

  private RunningServer start(PemFiles files) {
    return RunningServer.start("redis", RedisProtocol::new, time, files.yaml());
  }

  @Test
  void takesANewCertificateWithoutARestartAndKeepsTheOldOneWhileTheNewOneIsBroken()
      throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server = start(files)) {
      try (RawClient client = files.connect(server.address())) {
        assertThat(name(client)).isEqualTo("CN=first");
      }
      String good = Files.readString(files.certificate());
      touch(Files.writeString(files.certificate(), "rubbish"), 1);
      lookAgain(server);
      await(log, 1);
      Files.writeString(files.certificate(), good);
      try (RawClient client = files.connect(server.address())) {
        assertThat(name(client)).isEqualTo("CN=first");
      }
      files.write("second");
      touch(files.certificate(), 2);
      lookAgain(server);
      await(log, 2);
      try (RawClient client = files.connect(server.address())) {
        assertThat(name(client)).isEqualTo("CN=second");
      }
    }
  }

  /** A disk that does not answer would hold the event loop, and the clients of that. */
  @Test
  void readsItsFilesAgainOnAThreadThatServesNoClient() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    WatchedTime watched = new WatchedTime("io\\.firn\\.server\\.TlsCertificate\\b");
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server =
            RunningServer.start("redis", RedisProtocol::new, watched, files.yaml())) {
      watched.threads().clear();
      files.write("second");
      touch(files.certificate(), 2);
      while (log.messages().isEmpty()) {
        server.connect().close();
        Thread.sleep(10); // ends at the timeout
      }
      assertThat(watched.threads()).containsExactly("firn-certificate-1");
    }
  }

  @Test
  void logsWhyItKeepsTheOldCertificateAndWhenItHasLoadedAnother() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server = start(files)) {
      Files.delete(files.key());
      lookAgain(server);
      await(log, 1);
      files.write("second");
      touch(files.certificate(), 2);
      lookAgain(server);
      await(log, 2);
      assertThat(log.messages().get(0))
          .startsWith("Keeping the previous certificate; tls: " + files.certificate() + ", ")
          .contains("NoSuchFileException");
      assertThat(log.messages().get(1))
          .startsWith("certificate " + files.certificate() + " loaded, valid until 20");
    }
  }

  /** To open a pipe would hold the thread that reads the files. */
  @Test
  void keepsTheOldCertificateWhenItsKeyBecomesAPipe() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server = start(files)) {
      Files.delete(files.key());
      run("mkfifo", files.key().toString());
      run("touch", "-t", "203001010000", files.key().toString()); // opens no pipe, unlike Java
      lookAgain(server);
      await(log, 1);
      assertThat(log.messages().get(0))
          .isEqualTo(
              "Keeping the previous certificate; tls.key: "
                  + files.key()
                  + " (expected: a regular file)");
      try (RawClient client = files.connect(server.address())) {
        assertThat(name(client)).isEqualTo("CN=first");
      }
    }
  }

  @Test
  void warnsOfACertificateThatHasExpiredAtStartAndWhenItIsLoadedAgain() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    String warning = "certificate " + files.certificate() + " expired at 20";
    time.advance(Duration.ofDays(20 * 365));
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server = start(files)) {
      assertThat(log.messages())
          .singleElement()
          .asString()
          .startsWith(warning)
          .endsWith("refuse it");
      files.write("second");
      touch(files.certificate(), 2);
      lookAgain(server);
      await(log, 3);
      assertThat(log.messages().get(2)).startsWith(warning);
    }
  }

  @Test
  void keepsTheOldCertificateWhileTheNewChainIsHalfWritten() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server = start(files)) {
      files.write("second");
      Files.writeString(files.certificate(), own(files) + "-----BEGIN CERTIFICATE-----\nMIIB");
      touch(files.certificate(), 2);
      lookAgain(server);
      await(log, 1);
      assertThat(log.messages().get(0))
          .startsWith("Keeping the previous certificate; ")
          .contains("a BEGIN without its END in " + files.certificate());
    }
  }

  /** More than an array can have, which takes no space on the disk. */
  @Test
  void keepsTheOldCertificateWhenItsFileIsTooLarge() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    try (LogLines log = new LogLines("io.firn.server");
        RunningServer server = start(files)) {
      try (RandomAccessFile appended = new RandomAccessFile(files.certificate().toFile(), "rw")) {
        appended.setLength(3L << 30);
      }
      touch(files.certificate(), 2);
      lookAgain(server);
      await(log, 1);
      assertThat(log.messages().get(0))
          .startsWith("Keeping the previous certificate; ")
          .contains(files.certificate() + ", ", "it has more than 3145728 bytes");
    }
  }

  @Test
  void refusesFilesThatAreNoCertificate() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    Files.writeString(files.certificate(), "rubbish");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> start(files))
        .withMessageStartingWith("tls: " + files.certificate() + ", ")
        .withMessageContaining(
            "(expected: a certificate chain and its key in PEM, the key as PKCS #8; ");
  }

  @Test
  void refusesAKeyThatIsNotThatOfTheCertificate() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    PemFiles others = new PemFiles(Files.createDirectory(directory.resolve("others")), "second");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                RunningServer.start(
                    "redis",
                    RedisProtocol::new,
                    "tls: {certificate: " + files.certificate() + ", key: " + others.key() + "}"))
        .withMessageContaining("the key is not that of the certificate");
  }

  /** As a tool that writes the file leaves it for a moment: the first block alone would load. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "-",
        "-----BEGIN CERT",
        "-----BEGIN CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nMIIB",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERT",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nMI?B\n-----END CERTIFICATE-----\n",
        "-----BEGIN CERTIFICATE-----\nMIIB\n-----BEGIN CERTIFICATE-----\n",
      })
  void refusesAChainOrAuthoritiesWhoseLastBlockIsNotComplete(String part) throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    Path cut = Files.writeString(directory.resolve("cut"), own(files) + part);
    TlsConfig whole = new TlsConfig(files.certificate(), files.key(), Optional.empty());
    TlsCertificate running = new TlsCertificate(whole, time);
    for (TlsConfig config :
        List.of(
            new TlsConfig(cut, files.key(), Optional.empty()),
            new TlsConfig(files.certificate(), files.key(), Optional.of(cut)))) {
      assertThatIllegalArgumentException()
          .isThrownBy(() -> new TlsCertificate(config, time))
          .withMessageContaining("(expected: a certificate chain and its key in PEM");
      assertThatIllegalArgumentException().isThrownBy(() -> running.prepare(config));
    }
  }

  @Test
  void readsChainsWithTextBetweenTheirBlocksAndWithTheKey() throws Exception {
    PemFiles files = new PemFiles(directory, "first");
    String other = own(new PemFiles(Files.createDirectory(directory.resolve("other")), "second"));
    String key = Files.readString(files.key());
    Files.writeString(files.certificate(), "subject=CN = first\n" + own(files) + "\r\n" + key);
    Path authorities = directory.resolve("authorities");
    Files.writeString(authorities, own(files) + "\r\n# - and -\r\n" + other);
    TlsConfig config =
        new TlsConfig(files.certificate(), files.certificate(), Optional.of(authorities));
    assertThat(new TlsCertificate(config, time).end()).isAfter(Instant.EPOCH);
  }

  private static String name(RawClient client) throws Exception {
    X509Certificate certificate =
        (X509Certificate) ((SSLSocket) client.socket()).getSession().getPeerCertificates()[0];
    return certificate.getSubjectX500Principal().getName();
  }

  private static String own(PemFiles files) throws Exception {
    return Files.readString(files.certificate());
  }

  /** Has the server look whether the files have changed. */
  private void lookAgain(RunningServer server) {
    time.advance(Duration.ofSeconds(1));
    server.connect().close();
  }

  private static void await(LogLines log, int lines) throws InterruptedException {
    while (log.messages().size() < lines) {
      Thread.sleep(1);
    }
  }

  /** Some file systems tell seconds only. */
  private static void touch(Path file, int seconds) throws Exception {
    Files.setLastModifiedTime(
        file, FileTime.from(Files.getLastModifiedTime(file).toInstant().plusSeconds(seconds)));
  }

  private static void run(String... command) throws Exception {
    assertThat(new ProcessBuilder(command).start().waitFor()).isZero();
  }
}
