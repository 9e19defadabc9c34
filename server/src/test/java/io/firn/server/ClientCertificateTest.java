package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.firn.server.redis.RedisProtocol;
import io.firn.testkit.TestThreads;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that present certificates. */
@Timeout(60)
final class ClientCertificateTest {

  @TempDir private Path directory;

  @Test
  void acceptsClientsWithACertificateOfTheAuthority() throws Exception {
    PemFiles files = new PemFiles(directory, "server");
    PemFiles known = new PemFiles(Files.createDirectory(directory.resolve("known")), "known");
    PemFiles other = new PemFiles(Files.createDirectory(directory.resolve("other")), "other");
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, files.yaml(known))) {
      try (RawClient client = files.connect(server.address(), known.keyManagers())) {
        client.send("PING\r\n").expect("+PONG\r\n");
      }
      for (KeyManager[] managers : List.of(other.keyManagers(), new KeyManager[0])) {
        try (RawClient client = files.connect(server.address(), managers)) {
          assertThatExceptionOfType(UncheckedIOException.class)
              .isThrownBy(() -> client.send("PING\r\n").line());
        }
      }
    }
  }

  @Test
  void answersClientsThatCloseTheirSendingSideRightAfterTheHandshake() throws Exception {
    PemFiles files = new PemFiles(directory, "server");
    PemFiles known = new PemFiles(Files.createDirectory(directory.resolve("known")), "known");
    KeyManager[] managers = known.keyManagers();
    try (RunningServer server =
        RunningServer.start("redis", RedisProtocol::new, files.yaml(known))) {
      TestThreads threads = new TestThreads();
      for (int i = 0; i < 40; i++) {
        threads.start(
            () -> {
              try (RawClient client = files.connect(server.address(), managers)) {
                client.send("PING\r\n");
                client.endSending();
                assertThat(client.rest()).isEqualTo("+PONG\r\n");
              }
            });
      }
      threads.join();
    }
  }

  /** A session that is resumed has no certificate of the client, so its end would not count. */
  @ParameterizedTest
  @ValueSource(strings = {"TLSv1.2", "TLSv1.3"})
  void checksTheCertificateOfAClientInEachHandshake(String version) throws Exception {
    PemFiles files = new PemFiles(directory, "server");
    PemFiles known = new PemFiles(Files.createDirectory(directory.resolve("known")), "known");
    for (boolean certificates : new boolean[] {false, true}) {
      CountingTrust trust = new CountingTrust();
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(known.keyManagers(), new TrustManager[] {trust}, null);
      try (RunningServer server =
          RunningServer.start(
              "redis", RedisProtocol::new, certificates ? files.yaml(known) : files.yaml())) {
        for (int i = 0; i < 3; i++) {
          InetSocketAddress address = server.address();
          SSLSocket socket =
              (SSLSocket)
                  context.getSocketFactory().createSocket(address.getAddress(), address.getPort());
          socket.setEnabledProtocols(new String[] {version});
          try (RawClient client = new RawClient(socket)) {
            client.send("PING\r\n").expect("+PONG\r\n");
          }
        }
      }
      assertThat(trust.handshakes).as("full handshakes").isEqualTo(certificates ? 3 : 1);
    }
  }

  /** Trusts every server, and counts handshakes that present a certificate. */
  private static final class CountingTrust extends X509ExtendedTrustManager {
    private int handshakes;

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) {
      handshakes++;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) {
      handshakes++;
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) {
      handshakes++;
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }
}
