package io.firn.zookeeper;

import io.firn.store.StoreException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;

/**
 * A request to ZooKeeper in one session. Requests are sent at once, run in the order in which they
 * were asked, and answered by futures, on ZooKeeper's thread. Its client never repeats a request.
 * Thread-safe.
 */
final class ZooKeeperSession {

  /** A node as it was read. */
  record Node(int version, String text) {}

  private static final int ANY_VERSION = -1;

  private final ZooKeeper client;
  private final List<ACL> permissions;
  private final String root;
  private final CompletableFuture<Boolean> connected = new CompletableFuture<>();
  private volatile boolean over;

  /** Begins to connect. */
  ZooKeeperSession(ZooKeeperAddress address) {
    permissions = address.permissions();
    root = address.root();
    Optional<byte[]> identity = identity(address);
    try {
      client =
          new ZooKeeper(
              address.servers(), address.sessionMillis(), this::observe, address.clientConfig());
    } catch (IOException e) {
      throw new StoreException(
          "Store " + address + " has no client: " + e.getMessage() + "; correct its address", e);
    }
    identity.ifPresent(who -> client.addAuthInfo("digest", who));
  }

  private static Optional<byte[]> identity(ZooKeeperAddress address) {
    try {
      return address.identity();
    } catch (IllegalArgumentException e) { // the secret was there when the store was opened
      throw new StoreException(
          "Store " + address + " could not read its password: " + e.getMessage(), e);
    }
  }

  private void observe(WatchedEvent event) {
    switch (event.getState()) {
      case SyncConnected -> connected.complete(true);
      case Disconnected -> over = connected.isDone();
      case Expired, Closed -> {
        over = true;
        connected.complete(false);
      }
      default -> {} // events about identities
    }
  }

  /**
   * Returns whether there is a connection, as soon as that is known; false if there never will be
   * one.
   */
  CompletableFuture<Boolean> connected() {
    return connected.copy();
  }

  /**
   * Returns whether there was a connection and it is lost. ZooKeeper's client would connect to
   * another server after a pause; a new session does it at once, and nothing is lost with the old
   * one.
   */
  boolean isOver() {
    return over || !client.getState().isAlive();
  }

  /** Ends the session, and does not wait for it. */
  void close() {
    Thread thread =
        new Thread(
            () -> {
              try {
                client.close();
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              }
            },
            "firn-zookeeper-close");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Makes what is read afterwards no older than this moment. A transaction that changes nothing: a
   * majority agrees to it, and this session's server has run everything before it. ZooKeeper's own
   * {@code sync} reaches the leader alone, which may have been replaced without knowing it yet.
   *
   * <p>It checks the store's own root, because the node above may be closed to this user. A
   * transaction that fails for lack of that node is one too.
   */
  CompletableFuture<Boolean> catchUp() {
    CompletableFuture<Boolean> reply = new CompletableFuture<>();
    client.multi(
        List.of(Op.check(root, ANY_VERSION)),
        (rc, path, context, results) -> complete(reply, rc, root, false, () -> true),
        null);
    return reply;
  }

  /** Reads a node; empty if there is none. */
  CompletableFuture<Optional<Node>> read(String path) {
    CompletableFuture<Optional<Node>> reply = new CompletableFuture<>();
    client.getData(
        path,
        false,
        (rc, sent, context, data, stat) ->
            complete(
                reply,
                rc,
                path,
                Optional.empty(),
                () -> Optional.of(new Node(stat.getVersion(), text(data)))),
        null);
    return reply;
  }

  private static String text(byte[] data) {
    return data == null ? "" : new String(data, StandardCharsets.UTF_8);
  }

  /** The names of a node's children; none if there is no such node. */
  CompletableFuture<List<String>> children(String path) {
    CompletableFuture<List<String>> reply = new CompletableFuture<>();
    client.getChildren(
        path,
        false,
        (rc, sent, context, children) -> complete(reply, rc, path, List.of(), () -> children),
        null);
    return reply;
  }

  /** Makes a node that lasts, and says how that ended. */
  CompletableFuture<Code> create(String path, byte[] data) {
    CompletableFuture<Code> reply = new CompletableFuture<>();
    client.create(
        path,
        data,
        permissions,
        CreateMode.PERSISTENT,
        (rc, sent, context, name) -> reply.complete(code(rc)),
        null);
    return reply;
  }

  /** Writes a node that has that version, and says how that ended. */
  CompletableFuture<Code> write(String path, byte[] data, int version) {
    CompletableFuture<Code> reply = new CompletableFuture<>();
    client.setData(
        path, data, version, (rc, sent, context, stat) -> reply.complete(code(rc)), null);
    return reply;
  }

  private static <T> void complete(
      CompletableFuture<T> reply, int rc, String path, T absent, Supplier<T> present) {
    switch (code(rc)) {
      case OK -> reply.complete(present.get());
      case NONODE -> reply.complete(absent);
      default -> reply.completeExceptionally(KeeperException.create(code(rc), path));
    }
  }

  private static Code code(int rc) {
    return Objects.requireNonNullElse(Code.get(rc), Code.SYSTEMERROR);
  }
}
