package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryNTimes;
import org.junit.jupiter.api.Test;

class ZooKeeperServersTest {

  private static CuratorFramework connect(String servers) {
    CuratorFramework client =
        CuratorFrameworkFactory.newClient(servers, 10_000, 10_000, new RetryNTimes(100, 100));
    client.start();
    return client;
  }

  private static void write(String servers, String path) throws Exception {
    try (CuratorFramework client = connect(servers)) {
      client.create().forPath(path, new byte[] {'1'});
    }
  }

  private static String read(String servers, String path) throws Exception {
    try (CuratorFramework client = connect(servers)) {
      return new String(client.getData().forPath(path), StandardCharsets.UTF_8);
    }
  }

  @Test
  void oneServerKeepsWhatItAcknowledged() throws Exception {
    ZooKeeperServers servers = ZooKeeperServers.start(1);
    try (servers) {
      write(servers.connectString(), "/a");
      assertThat(servers.killLeader()).isZero();
      servers.restart(0);
      assertThat(read(servers.connectString(), "/a")).isEqualTo("1");
    }
    assertThat(servers.directory()).doesNotExist();
    assertThat(servers.answers(0)).isFalse();
  }

  @Test
  void threeServersContinueWithoutOne() throws Exception {
    try (ZooKeeperServers servers = ZooKeeperServers.start(3)) {
      write(servers.connectString(), "/a");
      int killed = servers.killLeader();
      assertThat(servers.leader()).isNotEqualTo(killed);
      assertThat(read(servers.connectString(), "/a")).isEqualTo("1");
      write(servers.connectString(), "/b");
      servers.restart(killed);
      assertThat(read("127.0.0.1:" + servers.address(killed).getPort(), "/b")).isEqualTo("1");
    }
  }

  @Test
  void countIsOneOrThree() {
    for (int wrong : new int[] {0, 2, 4}) {
      assertThatThrownBy(() -> ZooKeeperServers.start(wrong))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("count: " + wrong + " (expected: 1 or 3)");
    }
  }
}
