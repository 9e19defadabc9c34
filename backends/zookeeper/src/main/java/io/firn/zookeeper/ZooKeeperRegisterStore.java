package io.firn.zookeeper;

import io.firn.store.Register;
import io.firn.store.RemoteRegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.jspecify.annotations.Nullable;

/**
 * Registers as nodes of ZooKeeper 3.5 or later. Thread-safe.
 *
 * <h2>What is stored</h2>
 *
 * A register is a persistent node whose data is the register's value, as UTF-8; {@code zkCli.sh get
 * /firn/orders%2Fworker/17} shows it ({@link RegisterTree} says how names become paths). Its
 * version is ZooKeeper's own count of the writes of the node, plus one. Nothing is ephemeral and
 * nothing is watched, so a session that expires takes nothing with it; the next call begins a new
 * one.
 *
 * <p>A node must not be deleted: the fence goes with it, and the versions of a new one begin again.
 * ZooKeeper counts up to 2,147,483,647 writes of a node; the next is refused.
 *
 * <h2>Why it is linearizable</h2>
 *
 * A write names the version that it replaces, and the leader puts all writes into one order, which
 * a majority has on disk before it is acknowledged. A server may answer a read from an older state,
 * so a read goes behind a transaction that changes nothing, sent together with it. Scans do
 * without.
 *
 * <h2>When it does not answer</h2>
 *
 * A call ends with the timeout. Without a connection until then nothing was sent: the call fails. A
 * read fails too whose reply does not come; such a write is unknown, for ZooKeeper's client does
 * not repeat it, and no one else can observe it. Without a majority, all of them are in doubt. The
 * client finds the ensemble again by itself, within about two seconds of its return. An ensemble
 * that lost its data shows no registers: let it start only after every window is over.
 */
final class ZooKeeperRegisterStore extends RemoteRegisterStore {

  /** The version of a node that ZooKeeper has counted as far as it can. */
  private static final long MAX_VERSION = Integer.MAX_VALUE + 1L;

  private static final System.Logger LOG = System.getLogger(ZooKeeperRegisterStore.class.getName());

  private final ZooKeeperAddress address;
  private final RegisterTree tree;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable ZooKeeperSession session;

  ZooKeeperRegisterStore(ZooKeeperAddress address) {
    super(address.timeout());
    this.address = address;
    tree = new RegisterTree(address.root());
  }

  @Override
  protected List<Register> readAll(List<String> names, StoreCall budget) {
    Call call = new Call(budget);
    CompletableFuture<Boolean> upToDate = call.session.catchUp();
    CompletableFuture<List<Register>> registers = call.readAll(names);
    call.await(upToDate);
    return call.await(registers);
  }

  @Override
  protected List<Register> scan(String prefix, StoreCall budget) {
    Call call = new Call(budget);
    List<CompletableFuture<List<String>>> names = new ArrayList<>();
    for (String parent : call.await(call.session.children(tree.root()))) {
      String beginning = RegisterTree.beginning(parent);
      if (beginning.startsWith(prefix) || prefix.startsWith(beginning)) {
        names.add(call.names(parent, beginning, prefix));
      }
    }
    return call.await(call.readAll(call.await(all(names)).stream().flatMap(List::stream).toList()));
  }

  @Override
  protected WriteResult compareAndSet(
      String name, long expectedVersion, String value, StoreCall budget) {
    String path = tree.path(name);
    byte[] data = value.getBytes(StandardCharsets.UTF_8);
    if (expectedVersion == MAX_VERSION) {
      throw new StoreException(
          "Store "
              + this
              + " has written "
              + name
              + " "
              + expectedVersion
              + " times, after which ZooKeeper's versions end; make the node anew with the same data"
              + " while no process uses it");
    }
    if (expectedVersion < 0 || expectedVersion > MAX_VERSION) {
      return WriteResult.CONFLICT;
    }
    Call call = new Call(budget);
    return expectedVersion == 0 ? call.create(path, data) : call.write(path, data, expectedVersion);
  }

  /** Answers when all have, and fails when one does. */
  private static <T> CompletableFuture<List<T>> all(List<CompletableFuture<T>> replies) {
    return CompletableFuture.allOf(replies.toArray(new CompletableFuture<?>[0]))
        .thenApply(done -> replies.stream().map(CompletableFuture::join).toList());
  }

  /** One call of this store in one session. */
  private final class Call {

    private final StoreCall budget;
    private final ZooKeeperSession session;

    /** Waits for a connection. */
    Call(StoreCall budget) {
      this.budget = budget;
      ZooKeeperSession next = session();
      while (!await(next.connected(), "no connection")) {
        next = session();
      }
      session = next;
    }

    <T> T await(CompletableFuture<T> reply) {
      return await(reply, "no reply");
    }

    private <T> T await(CompletableFuture<T> reply, String missing) {
      try {
        return reply.orTimeout(budget.leftNanos(), TimeUnit.NANOSECONDS).join();
      } catch (CompletionException e) {
        throw e.getCause() instanceof KeeperException refusal
            ? budget.failed(refusal)
            : budget.failed(missing, e);
      }
    }

    /** Those of these registers that are there. */
    CompletableFuture<List<Register>> readAll(List<String> names) {
      return all(names.stream().map(this::read).toList())
          .thenApply(registers -> registers.stream().flatMap(Optional::stream).toList());
    }

    private CompletableFuture<Optional<Register>> read(String name) {
      return session
          .read(tree.path(name))
          .thenApply(
              node -> node.map(read -> new Register(name, read.version() + 1L, read.text())));
    }

    /** The names with that prefix of the registers that are children of a child of the root. */
    CompletableFuture<List<String>> names(String parent, String beginning, String prefix) {
      return session
          .children(tree.parent(parent))
          .thenApply(
              children ->
                  children.stream()
                      .map(child -> beginning + RegisterTree.rest(child))
                      .filter(name -> name.startsWith(prefix))
                      .toList());
    }

    WriteResult create(String path, byte[] data) {
      Code code =
          inTime(
              session
                  .create(path, data)
                  .thenCompose(
                      first ->
                          first == Code.NONODE
                              ? createAll(path, data)
                              : CompletableFuture.completedFuture(first)));
      return switch (code) {
        case OK -> WriteResult.applied(1);
        case NODEEXISTS -> WriteResult.CONFLICT;
        case NONODE -> throw refused(path, code);
        default -> otherwise(path, code);
      };
    }

    /** Makes a node, and those above it that are not there. */
    private CompletableFuture<Code> createAll(String path, byte[] data) {
      return all(RegisterTree.ancestors(path).stream().map(this::createEmpty).toList())
          .thenCombine(
              session.create(path, data),
              (ancestors, node) -> node == Code.NONODE ? reason(ancestors) : node);
    }

    /** Returns why an ancestor of a node, and so the node, could not be created. */
    private static Code reason(List<Code> ancestors) {
      return ancestors.stream()
          .filter(code -> code != Code.OK && code != Code.NODEEXISTS)
          .findFirst()
          .orElse(Code.NONODE);
    }

    private CompletableFuture<Code> createEmpty(String path) {
      return session.create(path, new byte[0]);
    }

    WriteResult write(String path, byte[] data, long expectedVersion) {
      Code code = inTime(session.write(path, data, (int) (expectedVersion - 1)));
      return switch (code) {
        case OK -> WriteResult.applied(expectedVersion + 1);
        case NONODE, BADVERSION -> WriteResult.CONFLICT;
        default -> otherwise(path, code);
      };
    }

    private Code inTime(CompletableFuture<Code> reply) {
      return reply
          .completeOnTimeout(Code.OPERATIONTIMEOUT, budget.leftNanos(), TimeUnit.NANOSECONDS)
          .join();
    }

    private WriteResult otherwise(String path, Code code) {
      if (code == Code.NOAUTH || code == Code.INVALIDACL || code == Code.QUOTAEXCEEDED) {
        throw refused(path, code);
      }
      LOG.log(
          Level.WARNING, budget.unknownWrite(StoreCall.reason(KeeperException.create(code, path))));
      return WriteResult.UNKNOWN;
    }

    private StoreException refused(String path, Code code) {
      return budget.failed(KeeperException.create(code, path));
    }
  }

  private ZooKeeperSession session() {
    lock.lock();
    try {
      requireOpen(); // or a session would stay open
      if (session != null && session.isOver()) {
        session.close();
        session = null;
      }
      if (session == null) {
        session = new ZooKeeperSession(address);
      }
      return session;
    } finally {
      lock.unlock();
    }
  }

  @Override
  protected void disconnect() {
    lock.lock();
    try {
      if (session != null) {
        session.close();
        session = null;
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public String toString() {
    return address.toString();
  }
}
