package io.firn.testservers;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.HttpURLConnection;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An etcd cluster of one or three nodes, of the {@code etcd} that is on the PATH: no registry of
 * Java has one. Not thread-safe.
 */
public final class EtcdServers implements AutoCloseable {

  /** The environment variable or system property that makes a missing etcd an error, if it is 1. */
  public static final String REQUIRE = "FIRN_REQUIRE_ETCD";

  static final InstalledProgram PROGRAM = new InstalledProgram("etcd", "etcd-server", REQUIRE);

  private static final Duration MAX_ELECTION = Duration.ofMinutes(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int MAX_ANSWER_MILLIS = 5_000;
  private static final Pattern MEMBER = Pattern.compile("\"member_id\":\"([0-9]+)\"");
  private static final Pattern LEADER = Pattern.compile("\"leader\":\"([0-9]+)\"");

  private final List<EtcdNode> nodes = new ArrayList<>();

  private EtcdServers(int count, List<String> arguments) {
    for (int i = 0; i < count; i++) {
      nodes.add(new EtcdNode(i, nodes, arguments));
    }
  }

  /**
   * Returns whether there is an etcd to run. A test that needs one is disabled where this is false.
   *
   * @throws IllegalStateException if there is none and {@link #REQUIRE} is 1
   */
  public static boolean isInstalled() {
    return PROGRAM.isInstalled();
  }

  /**
   * Starts a cluster and waits until every node answers.
   *
   * @param count 1 or 3
   * @param arguments more options of each node, such as {@code "--max-txn-ops", "16"}
   */
  public static EtcdServers start(int count, String... arguments) {
    if (count != 1 && count != 3) {
      throw new IllegalArgumentException("count: " + count + " (expected: 1 or 3)");
    }
    if (!isInstalled()) {
      throw PROGRAM.missing();
    }
    EtcdServers servers = new EtcdServers(count, List.of(arguments));
    try {
      servers.nodes.forEach(ServerProcess::launch);
      servers.nodes.forEach(ServerProcess::awaitReady);
      return servers;
    } catch (RuntimeException e) {
      servers.close();
      throw e;
    }
  }

  /** Returns the URLs of all nodes, such as {@code http://127.0.0.1:2379}. */
  public List<String> endpoints() {
    return nodes.stream().map(EtcdNode::clientUrl).toList();
  }

  /** Returns where that node listens for clients. */
  public InetSocketAddress address(int node) {
    return nodes.get(node).address();
  }

  /** Returns the number of the node that leads, as soon as a node says so of itself. */
  public int leader() {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (time.nanoTime() - begin < MAX_ELECTION.toNanos()) {
      for (int i = 0; i < nodes.size(); i++) {
        if (leads(nodes.get(i))) {
          return i;
        }
      }
      time.parkNanos(POLL_NANOS);
    }
    throw new IllegalStateException(
        "The etcd servers "
            + endpoints()
            + " have had no leader for "
            + MAX_ELECTION
            + "; look at their output");
  }

  /** A node that does not answer does not lead. */
  private static boolean leads(EtcdNode node) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection)
              URI.create(node.clientUrl() + "/v3/maintenance/status").toURL().openConnection();
      connection.setConnectTimeout(MAX_ANSWER_MILLIS);
      connection.setReadTimeout(MAX_ANSWER_MILLIS);
      connection.setDoOutput(true);
      try (OutputStream out = connection.getOutputStream()) {
        out.write("{}".getBytes(StandardCharsets.UTF_8));
      }
      try (InputStream in = connection.getInputStream()) {
        String status = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        Matcher member = MEMBER.matcher(status);
        Matcher leader = LEADER.matcher(status);
        return member.find() && leader.find() && member.group(1).equals(leader.group(1));
      }
    } catch (IOException e) {
      return false;
    }
  }

  /** Kills the leading node with SIGKILL, and returns it. */
  public int killLeader() {
    int leader = leader();
    kill(leader);
    return leader;
  }

  /** Kills a node with SIGKILL. */
  public void kill(int node) {
    nodes.get(node).kill();
  }

  /** Starts a killed node again, with its port and data, and waits until it answers. */
  public void restart(int node) {
    nodes.get(node).restart();
  }

  /** Stops a node in the middle of what it does, with SIGSTOP. */
  public void pause(int node) {
    nodes.get(node).pause();
  }

  /** Lets it continue, with SIGCONT. */
  public void resume(int node) {
    nodes.get(node).resume();
  }

  List<EtcdNode> nodes() {
    return nodes;
  }

  /** Ends every node and deletes the data. */
  @Override
  public void close() {
    nodes.forEach(ServerProcess::close);
  }

  @Override
  public String toString() {
    return "etcd " + endpoints();
  }
}
