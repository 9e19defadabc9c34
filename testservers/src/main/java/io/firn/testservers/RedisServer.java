package io.firn.testservers;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;

/** A Redis 7.0 server. */
public final class RedisServer extends ServerProcess {

  private static final List<String> FORGETFUL = List.of("--save", "", "--appendonly", "no");
  private static final List<String> DURABLE =
      List.of("--save", "", "--appendonly", "yes", "--appendfsync", "always");
  private static final String IN_SYNC = "REPLICA sync: Finished with success";

  private final List<String> arguments;

  private RedisServer(List<String> arguments) {
    super("redis", "Ready to accept connections", "KILL");
    this.arguments = arguments;
  }

  /**
   * Starts one that writes nothing to the disk, so that it forgets all when it is killed.
   *
   * @param arguments more of its options, such as {@code "--maxmemory", "10mb"}
   */
  public static RedisServer start(String... arguments) {
    return start(FORGETFUL, arguments);
  }

  /** Starts one that forces every write to the disk before it answers. */
  public static RedisServer startDurable(String... arguments) {
    return start(DURABLE, arguments);
  }

  /** Starts a replica, which forgets as {@link #start} does, and waits until it has all data. */
  public static RedisServer startReplicaOf(RedisServer primary, String... arguments) {
    return startReplicaOf(primary.address(), arguments);
  }

  /** Starts a replica as {@link #startReplicaOf(RedisServer, String...)} does, behind a proxy. */
  public static RedisServer startReplicaOf(InetSocketAddress primary, String... arguments) {
    List<String> options = new ArrayList<>(FORGETFUL);
    options.addAll(List.of("--replicaof", "127.0.0.1 " + primary.getPort()));
    RedisServer replica = start(options, arguments);
    replica.orClosed(() -> replica.awaitOutput(IN_SYNC));
    return replica;
  }

  private static RedisServer start(List<String> options, String... arguments) {
    List<String> all = new ArrayList<>(options);
    all.addAll(List.of(arguments));
    RedisServer server = new RedisServer(all);
    server.orClosed(server::restart);
    return server;
  }

  @Override
  List<String> command() {
    List<String> command =
        new ArrayList<>(
            List.of(
                Binaries.redis().toString(),
                "--bind",
                "127.0.0.1",
                "--port",
                "" + port(),
                "--dir",
                directory().path().toString(),
                "--repl-diskless-sync-delay",
                "0"));
    command.addAll(arguments);
    return command;
  }
}
