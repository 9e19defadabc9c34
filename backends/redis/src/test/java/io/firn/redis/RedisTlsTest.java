package io.firn.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.FreePort;
import io.firn.testservers.RedisServer;
import io.firn.testservers.SelfSigned;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RedisTlsTest {

  @TempDir static Path directory;

  private static RedisServer server;
  private static int port;

  @BeforeAll
  static void start() throws Exception {
    SelfSigned own = SelfSigned.of("redis", "ip:127.0.0.1");
    Files.writeString(directory.resolve("key.pem"), own.keyPem());
    Files.writeString(directory.resolve("cert.pem"), own.certificatePem());
    port = FreePort.next();
    server =
        RedisServer.start(
            "--tls-port",
            "" + port,
            "--tls-cert-file",
            directory.resolve("cert.pem").toString(),
            "--tls-key-file",
            directory.resolve("key.pem").toString(),
            "--tls-ca-cert-file",
            directory.resolve("cert.pem").toString(),
            "--tls-auth-clients",
            "optional");
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static RegisterStore open(String host, String parameters) {
    return RegisterStore.open("rediss://" + host + ":" + port + "?timeout=30s" + parameters);
  }

  private static String caFile() {
    return "&ca-file=" + directory.resolve("cert.pem");
  }

  private static String ownFiles() {
    return "&cert-file="
        + directory.resolve("cert.pem")
        + "&key-file="
        + directory.resolve("key.pem");
  }

  @Test
  void serverWhoseCertificateIsInTheFileIsTrusted() {
    try (RegisterStore store = open("127.0.0.1", caFile())) {
      long version = store.compareAndSet("a", 0, "1").version();
      assertThat(store.read("a")).contains(new Register("a", version, "1"));
    }
  }

  @Test
  void clientShowsItsCertificate() {
    Admin.ask(server, "CONFIG", "SET", "tls-auth-clients", "yes");
    try (RegisterStore store = open("127.0.0.1", caFile() + ownFiles());
        RegisterStore without = open("127.0.0.1", caFile())) {
      assertThat(store.compareAndSet("c", 0, "1").version()).isPositive();
      assertThatThrownBy(() -> without.read("c")).isInstanceOf(StoreException.class);
    } finally {
      Admin.ask(server, "CONFIG", "SET", "tls-auth-clients", "optional");
    }
  }

  @Test
  void serverThatTheJdkDoesNotTrustIsNotAsked() {
    assertRefused(open("127.0.0.1", ""), "unable to find valid certification path");
  }

  @Test
  void certificateOfAnotherHostIsRefused() {
    assertRefused(open("localhost", caFile()), "No name matching localhost found");
  }

  private static void assertRefused(RegisterStore store, String words) {
    assertThatThrownBy(() -> store.compareAndSet("b", 0, "1"))
        .isInstanceOf(StoreException.class)
        .hasMessageContaining(words);
    store.close();
  }
}
