package io.firn.zookeeper;

import io.firn.store.StoreCall;
import io.firn.store.StoreUri;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;

/** Reads nodes that other systems keep in ZooKeeper, such as their worker numbers. */
public final class ZooKeeperNodes {

  private ZooKeeperNodes() {}

  /**
   * Returns the children of a node with their data, as text.
   *
   * @param address an address as {@link ZooKeeperStoreProvider} takes; a path in it is put before
   *     the node's
   * @param path the path of the node, such as {@code /snowflake/com.example.leaf/forever}
   * @return the data by the names of the children; none if there is no such node
   * @throws IllegalArgumentException if the address is not one of ZooKeeper
   * @throws io.firn.store.StoreException if ZooKeeper does not answer in time, or refuses
   */
  public static Map<String, String> children(String address, String path) {
    StoreUri uri = StoreUri.parse(address);
    uri.require(uri.scheme().startsWith("zookeeper"), "zookeeper://HOST:PORT");
    ZooKeeperStoreProvider.readClient();
    String above = uri.path().replaceFirst("/+$", "") + path;
    ZooKeeperSession session = new ZooKeeperSession(new ZooKeeperAddress(uri));
    try {
      return children(session, above, new StoreCall(uri, uri.timeout()));
    } finally {
      session.close();
    }
  }

  private static Map<String, String> children(
      ZooKeeperSession session, String path, StoreCall budget) {
    if (!await(session.connected(), budget)) {
      throw budget.failed("no connection", new IllegalStateException("the session has ended"));
    }
    Map<String, String> found = new TreeMap<>();
    for (String child : await(session.children(path), budget)) {
      String data =
          await(session.read(path + "/" + child), budget)
              .map(ZooKeeperSession.Node::text)
              .orElse("");
      found.put(child, data);
    }
    return found;
  }

  private static <T> T await(CompletableFuture<T> reply, StoreCall budget) {
    try {
      return reply.orTimeout(budget.leftNanos(), TimeUnit.NANOSECONDS).join();
    } catch (CompletionException e) {
      throw budget.failed(e);
    }
  }
}
