package io.firn.testservers;

import io.firn.testkit.FreePort;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;

/**
 * A ZooKeeper ensemble of one or three servers, which run in this JVM: a server is killed as well
 * as that can be done to threads, by closing its sockets without a word. Not thread-safe.
 */
public final class ZooKeeperServers implements AutoCloseable {

  /** ZooKeeper's unit of time: a session lasts at least two of them. */
  private static final int TICK_MILLIS = 500;

  private static final Duration MAX_ELECTION = Duration.ofMinutes(2);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int MAX_ANSWER_MILLIS = 5_000;
  private static final Pattern LEADS = Pattern.compile("(?m)^Mode: (leader|standalone)$");

  private final ScratchDirectory directory = ScratchDirectory.create("zookeeper");
  private final List<InstanceSpec> nodes = new ArrayList<>();
  private final TestingCluster cluster;

  private ZooKeeperServers(int count) {
    for (int i = 0; i < count; i++) {
      nodes.add(
          new InstanceSpec(
              directory.newDirectory("node-" + i).toFile(),
              FreePort.next(),
              FreePort.next(),
              FreePort.next(),
              false,
              i + 1,
              TICK_MILLIS,
              -1));
    }
    cluster = new TestingCluster(nodes);
  }

  /**
   * Starts an ensemble and waits until it has a leader.
   *
   * @param count 1 or 3
   */
  public static ZooKeeperServers start(int count) {
    if (count != 1 && count != 3) {
      throw new IllegalArgumentException("count: " + count + " (expected: 1 or 3)");
    }
    ZooKeeperServers servers = new ZooKeeperServers(count);
    try {
      servers.cluster.start();
      servers.leader();
      return servers;
    } catch (Exception e) {
      servers.close();
      throw new IllegalStateException("ZooKeeper did not start; the cause says why", e);
    }
  }

  /** Returns what a client is given: {@code 127.0.0.1:2181,…}. */
  public String connectString() {
    return String.join(",", nodes.stream().map(node -> "127.0.0.1:" + node.getPort()).toList());
  }

  /** Returns where that server listens for clients. */
  public InetSocketAddress address(int node) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), nodes.get(node).getPort());
  }

  /** Returns the number of the server that leads, as soon as one says so of itself. */
  public int leader() {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (time.nanoTime() - begin < MAX_ELECTION.toNanos()) {
      for (int i = 0; i < nodes.size(); i++) {
        if (LEADS.matcher(status(i)).find()) {
          return i;
        }
      }
      time.parkNanos(POLL_NANOS);
    }
    throw new IllegalStateException(
        "ZooKeeper "
            + connectString()
            + " has had no leader for "
            + MAX_ELECTION
            + "; look at the log of its servers");
  }

  /** Returns what the server says of itself; nothing if it does not answer. */
  private String status(int node) {
    try (Socket socket = new Socket()) {
      socket.connect(address(node), MAX_ANSWER_MILLIS);
      socket.setSoTimeout(MAX_ANSWER_MILLIS);
      socket.getOutputStream().write("srvr".getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return "";
    }
  }

  /** Kills the leading server, and returns it. */
  public int killLeader() {
    int leader = leader();
    kill(leader);
    return leader;
  }

  /** Kills a server. What it wrote stays. */
  public void kill(int node) {
    try {
      cluster.killServer(nodes.get(node));
    } catch (Exception e) {
      throw new IllegalStateException("ZooKeeper " + address(node) + " did not end", e);
    }
  }

  /** Starts a killed server again, with its port and data, and waits for a leader. */
  public void restart(int node) {
    try {
      cluster.restartServer(nodes.get(node));
    } catch (Exception e) {
      throw new IllegalStateException("ZooKeeper " + address(node) + " did not start", e);
    }
    leader();
  }

  Path directory() {
    return directory.path();
  }

  boolean answers(int node) {
    return !status(node).isEmpty();
  }

  /** Ends every server and deletes the data. */
  @Override
  public void close() {
    try (directory) {
      cluster.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public String toString() {
    return "zookeeper " + connectString();
  }
}
