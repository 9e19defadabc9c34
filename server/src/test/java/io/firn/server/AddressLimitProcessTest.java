package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.FreePort;
import io.firn.testservers.FirnServer;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server in a process of its own, with the memory of the systemd unit. One address has as many
 * connections without a token as it may have.
 */
@Timeout(120)
final class AddressLimitProcessTest {

  private static final String TOKEN = "a-token-for-all-of-it";
  private static final int MOST = 10;

  @TempDir private Path directory;

  @ParameterizedTest(name = "listen.admin: {0}")
  @ValueSource(booleans = {false, true})
  void probesOfThatAddressAreAnswered(boolean separate) throws Exception {
    Path token = Files.writeString(directory.resolve("token"), TOKEN);
    int admin = FreePort.next();
    List<String> arguments =
        List.of(
            "--store=memory:",
            "--token-file=" + token,
            "--limits-connections-per-address=" + MOST,
            "--listen-admin=" + (separate ? "127.0.0.1:" + admin : "off"));
    List<RawClient> silent = new ArrayList<>();
    try (FirnServer server =
        FirnServer.start(UnderAttackProcessTest.jvmOptionsOfUnit(), arguments)) {
      InetSocketAddress http = server.httpAddress();
      for (int i = 0; i < MOST; i++) {
        silent.add(new RawClient(server.address()));
      }
      try (RawClient more = new RawClient(server.address())) {
        assertThat(more.rest()).startsWith("-TRYAGAIN Too many connections of your address ");
      }
      assertThat(status("/v1/ids/default", http)).isEqualTo("429");
      InetSocketAddress probed = separate ? new InetSocketAddress(http.getAddress(), admin) : http;
      for (String probe : List.of("/livez", "/readyz", "/metrics")) {
        assertThat(status(probe, probed)).as(probe).isEqualTo("200");
      }
      assertThat(server.stop()).isZero();
    } finally {
      silent.forEach(RawClient::close);
    }
  }

  private static String status(String path, InetSocketAddress server) {
    try (RawClient client = new RawClient(server)) {
      String request = "GET %s HTTP/1.0\r\nAuthorization: Bearer %s\r\n\r\n";
      return client.send(request.formatted(path, TOKEN)).rest().substring(9, 12);
    }
  }
}
