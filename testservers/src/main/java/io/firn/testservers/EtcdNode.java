package io.firn.testservers;

import io.firn.testkit.FreePort;
import java.util.List;

/** One server of {@link EtcdServers}. */
final class EtcdNode extends ServerProcess {

  private final int peerPort = FreePort.next();
  private final String name;
  private final List<EtcdNode> cluster;

  /** A node of a cluster that is complete when the first node is started. */
  EtcdNode(int number, List<EtcdNode> cluster) {
    super("etcd", "ready to serve client requests", "KILL");
    name = "node-" + number;
    this.cluster = cluster;
  }

  @Override
  List<String> command() {
    return List.of(
        "etcd",
        "--name",
        name,
        "--data-dir",
        directory().resolve("data").toString(),
        "--listen-client-urls",
        clientUrl(),
        "--advertise-client-urls",
        clientUrl(),
        "--listen-peer-urls",
        peerUrl(),
        "--initial-advertise-peer-urls",
        peerUrl(),
        "--initial-cluster",
        String.join(",", cluster.stream().map(node -> node.name + "=" + node.peerUrl()).toList()));
  }

  String clientUrl() {
    return "http://127.0.0.1:" + port();
  }

  private String peerUrl() {
    return "http://127.0.0.1:" + peerPort;
  }
}
