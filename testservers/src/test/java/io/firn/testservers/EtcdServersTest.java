package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

class EtcdServersTest {

  private static final String NO_ETCD = "etcd: not on the PATH (apt-get install etcd-server)";
  private static final String A = "\"YQ==\"";

  static boolean isInstalled() {
    return EtcdServers.isInstalled();
  }

  private static String ask(EtcdServers servers, int node, String verb, String body)
      throws Exception {
    URI uri = URI.create(servers.endpoints().get(node) + "/v3/kv/" + verb);
    HttpRequest request =
        HttpRequest.newBuilder(uri).POST(HttpRequest.BodyPublishers.ofString(body)).build();
    return HttpClient.newHttpClient().send(request, BodyHandlers.ofString()).body();
  }

  private static void write(EtcdServers servers, int node) throws Exception {
    assertThat(ask(servers, node, "put", "{\"key\":" + A + ",\"value\":" + A + "}"))
        .contains("revision");
  }

  private static String read(EtcdServers servers, int node) throws Exception {
    return ask(servers, node, "range", "{\"key\":" + A + "}");
  }

  @Test
  @EnabledIf(value = "isInstalled", disabledReason = NO_ETCD)
  void oneServerKeepsWhatItAcknowledged() throws Exception {
    EtcdServers servers = EtcdServers.start(1);
    List<Traces> traces = servers.nodes().stream().map(Traces::of).toList();
    try (servers) {
      write(servers, 0);
      assertThat(servers.killLeader()).isZero();
      servers.restart(0);
      assertThat(read(servers, 0)).contains("\"value\":" + A);
      servers.pause(0);
    }
    assertThat(traces).hasSize(1).allSatisfy(Traces::assertGone);
  }

  @Test
  @EnabledIf(value = "isInstalled", disabledReason = NO_ETCD)
  void threeServersContinueWithoutOne() throws Exception {
    EtcdServers servers = EtcdServers.start(3);
    List<Traces> traces = servers.nodes().stream().map(Traces::of).toList();
    try (servers) {
      write(servers, 0);
      int killed = servers.killLeader();
      int leader = servers.leader();
      assertThat(leader).isNotEqualTo(killed);
      assertThat(read(servers, leader)).contains("\"value\":" + A);
      servers.restart(killed);
      assertThat(read(servers, killed)).contains("\"value\":" + A);
    }
    assertThat(traces).hasSize(3).allSatisfy(Traces::assertGone);
  }

  @Test
  void countIsOneOrThree() {
    for (int wrong : new int[] {0, 2, 4}) {
      assertThatThrownBy(() -> EtcdServers.start(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("count: " + wrong + " (expected: 1 or 3)");
    }
  }
}
