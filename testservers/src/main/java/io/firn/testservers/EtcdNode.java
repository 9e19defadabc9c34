package io.firn.testservers;

import io.firn.testkit.FreePort;
import java.util.ArrayList;
import java.util.List;

/** One server of {@link EtcdServers}. */
final class EtcdNode extends ServerProcess {

  private final int peerPort = FreePort.next();
  private final String name;
  private final List<EtcdNode> cluster;
  private final List<String> arguments;

  /** A node of a cluster that is complete when the first node is started. */
  EtcdNode(int number, List<EtcdNode> cluster, List<String> arguments) {
    super("etcd", "ready to serve client requests", "KILL");
    name = "node-" + number;
    this.cluster = cluster;
    this.arguments = arguments;
  }

  @Override
  List<String> command() {
    List<String> command =
        new ArrayList<>(
            List.of(
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
                String.join(
                    ",", cluster.stream().map(node -> node.name + "=" + node.peerUrl()).toList())));
    command.addAll(arguments);
    return command;
  }

  String clientUrl() {
    return "http://127.0.0.1:" + port();
  }

  private String peerUrl() {
    return "http://127.0.0.1:" + peerPort;
  }
}
