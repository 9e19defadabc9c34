package io.firn.redis;

import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.TlsFiles;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.ClientOptions.DisconnectedBehavior;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SocketOptions;
import io.lettuce.core.SslOptions;
import io.lettuce.core.TimeoutOptions;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.async.RedisAsyncCommands;
import io.lettuce.core.cluster.ClusterClientOptions;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.resource.ClientResources;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One connection through Lettuce for all threads, to the server that has the key. The first call
 * makes it, and a failure gives it up, unless Redis answered what it answers on any connection: the
 * next call makes another and, with Sentinel or a cluster, asks again where to.
 *
 * <p>Lettuce's own reconnecting is off, and its sending again of what was not answered with it: a
 * script runs at most once. Thread-safe.
 */
final class LettuceConnection {

  private static final String CLIENT_NAME = "firn";
  private static final String DEFAULT_USER = "default";

  /** The fewest that Lettuce has. */
  private static final int THREADS = 2;

  private static final long MAX_CLOSE_MILLIS = 1_000;

  /** Refusals that a new connection would get too. */
  private static final String ANYWHERE =
      "NOPERM|OOM|MISCONF|NOSCRIPT|BUSY|WRONGTYPE|ERR The user executing the script can't";

  /** Refusals of a server, or of a connection, that the next one may not give. */
  private static final String HERE =
      "READONLY|LOADING|MASTERDOWN|CLUSTERDOWN|MOVED|ASK|TRYAGAIN|CROSSSLOT|NOAUTH|WRONGPASS"
          + "|NOREPLICAS|ERR unknown command|ERR Error (compiling|running) script";

  private static final Pattern REFUSAL_ANYWHERE =
      Pattern.compile("(" + ANYWHERE + ") .*", Pattern.DOTALL);

  private static final Pattern REFUSAL =
      Pattern.compile("(" + ANYWHERE + "|" + HERE + ") .*", Pattern.DOTALL);

  /** The error of Redis 7.0 for a command that a script has no right to; it names the line. */
  private static final Pattern NO_RIGHT =
      Pattern.compile("ERR The user executing the script can't run .* on @user_script:(\\d+)\\.");

  private static final Pattern COMMAND = Pattern.compile("redis\\.call\\('(\\w+)'");

  private final RedisAddress address;
  private final ServerSettings settings;

  /** Of a cluster all seeds, else one: of the server, or of all Sentinels. */
  private final List<RedisURI> uris;

  private final ClientResources resources;
  private final RedisClient client;
  private final @Nullable RedisClusterClient cluster;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<StatefulRedisConnection<String, String>> current;

  private LettuceConnection(RedisAddress address) {
    this.address = address;
    settings = new ServerSettings(address);
    uris = address.primary().isPresent() ? List.of(sentinels()) : servers();
    resources =
        ClientResources.builder()
            .ioThreadPoolSize(THREADS)
            .computationThreadPoolSize(THREADS)
            .build();
    client = RedisClient.create(resources, uris.get(0));
    client.setOptions(options(ClientOptions.builder()).build());
    cluster = address.cluster() ? RedisClusterClient.create(resources, uris) : null;
    if (cluster != null) {
      cluster.setOptions(options(ClusterClientOptions.builder()).build());
    }
  }

  static RegisterStore open(RedisAddress address) {
    LettuceConnection connection = new LettuceConnection(address);
    return new RedisRegisterStore(
        address.uri().timeout(),
        connection::eval,
        connection::evalReplicated,
        address.key(),
        address.uri().toString(),
        address.mayForget(),
        address.allowCounters(),
        connection::close);
  }

  private List<RedisURI> servers() {
    return address.servers().stream()
        .map(
            server ->
                complete(RedisURI.builder().withHost(host(server)).withPort(server.getPort())))
        .toList();
  }

  private RedisURI sentinels() {
    RedisURI.Builder sentinels =
        RedisURI.builder().withSentinelMasterId(address.primary().orElseThrow());
    for (InetSocketAddress server : address.servers()) {
      RedisURI.Builder sentinel =
          RedisURI.builder()
              .withHost(host(server))
              .withPort(server.getPort())
              .withSsl(address.tls());
      String user = address.uri().parameter("sentinel-user").orElse(DEFAULT_USER);
      sentinels.withSentinel(account(sentinel, user, address::sentinelPassword).build());
    }
    return complete(sentinels);
  }

  /** As Lettuce wants it: an IPv6 address without its brackets. */
  private static String host(InetSocketAddress server) {
    return server.getHostString().replaceAll("[\\[\\]]", "");
  }

  private RedisURI complete(RedisURI.Builder builder) {
    return account(builder, address.uri().user().orElse(DEFAULT_USER), address.uri()::password)
        .withSsl(address.tls())
        .withDatabase(address.database())
        .withClientName(CLIENT_NAME)
        .withTimeout(hop())
        .build();
  }

  /** Reads the password at each connect, so that a new one needs no restart. */
  private static RedisURI.Builder account(
      RedisURI.Builder builder, String user, Supplier<Optional<String>> password) {
    return password.get().isEmpty()
        ? builder
        : builder.withAuthentication(
            RedisCredentialsProvider.from(
                () -> RedisCredentials.just(user, password.get().orElseThrow())));
  }

  /**
   * Returns how long one step on the way to the server may take, so that a Sentinel or a node that
   * is silent leaves time to ask the next.
   */
  private Duration hop() {
    Duration timeout = address.uri().timeout();
    if (address.cluster()) {
      return timeout.dividedBy(2);
    }
    return address.primary().isEmpty() ? timeout : timeout.dividedBy(address.servers().size() + 1L);
  }

  private <B extends ClientOptions.Builder> B options(B builder) {
    SslOptions.Builder ssl = SslOptions.builder().jdkSslProvider().handshakeTimeout(hop());
    TlsFiles files = address.files();
    files.authorities().ifPresent(file -> ssl.trustManager(file.toFile()));
    files
        .certificate()
        .ifPresent(
            certificate ->
                ssl.keyManager(
                    certificate.toFile(), files.key().orElseThrow().toFile(), new char[0]));
    builder
        .autoReconnect(false)
        .disconnectedBehavior(DisconnectedBehavior.REJECT_COMMANDS)
        .socketOptions(SocketOptions.builder().connectTimeout(hop()).build())
        .sslOptions(ssl.build())
        .timeoutOptions(TimeoutOptions.builder().timeoutCommands(false).build());
    return builder;
  }

  private CompletionStage<StatefulRedisConnection<String, String>> connect() {
    return cluster == null
        ? client.connectAsync(StringCodec.UTF8, uris.get(0))
        : cluster
            .refreshPartitionsAsync()
            .thenCompose(refreshed -> client.connectAsync(StringCodec.UTF8, node(cluster)));
  }

  /** Of the node that has the key. */
  private RedisURI node(RedisClusterClient cluster) {
    int slot = SlotHash.getSlot(address.key());
    RedisClusterNode node = cluster.getPartitions().getPartitionBySlot(slot);
    if (node == null) {
      throw new RedisException("slot: " + slot + " (expected: a node that has it)");
    }
    return RedisURI.builder(uris.get(0))
        .withHost(node.getUri().getHost())
        .withPort(node.getUri().getPort())
        .build();
  }

  private Object eval(String script, List<String> keys, List<String> args, StoreCall call) {
    return eval(script, keys, args, 0, call);
  }

  private Object evalReplicated(
      String script, List<String> keys, List<String> args, StoreCall call) {
    return eval(script, keys, args, address.replicas(), call);
  }

  private Object eval(
      String script, List<String> keys, List<String> args, int replicas, StoreCall call) {
    if (call.isOver()) { // by the pages of a scan; the connection is well
      throw new StoreException("no answer in time");
    }
    CompletableFuture<StatefulRedisConnection<String, String>> mine = connection();
    try {
      RedisAsyncCommands<String, String> commands = connected(mine, call).async();
      CompletionStage<List<String>> reply =
          commands.eval(
              script,
              ScriptOutputType.MULTI,
              keys.toArray(String[]::new),
              args.toArray(String[]::new));
      if (replicas == 0) {
        return await(reply, call);
      }
      CompletionStage<Long> acknowledged =
          commands.waitForReplication(replicas, Math.max(1, call.leftMillis() / 2));
      Object answer = await(reply, call);
      requireReplicas(acknowledged, replicas, call);
      return answer;
    } catch (RedisCommandExecutionException e) {
      if (!REFUSAL_ANYWHERE.matcher("" + e.getMessage()).matches()) {
        giveUp(mine);
      }
      throw isRefusal(e) ? refusal(e, script, call) : e;
    } catch (RuntimeException e) {
      giveUp(mine);
      throw e;
    }
  }

  /**
   * Returns whether Redis did not run the script, or refused the one write of it. That is certain,
   * because a script is sent once.
   */
  static boolean isRefusal(RedisCommandExecutionException e) {
    return REFUSAL.matcher("" + e.getMessage()).matches();
  }

  private static StoreException refusal(
      RedisCommandExecutionException e, String script, StoreCall call) {
    Matcher right = NO_RIGHT.matcher("" + e.getMessage());
    if (right.matches()) {
      String line = script.split("\n", -1)[Integer.parseInt(right.group(1)) - 1];
      Matcher command = COMMAND.matcher(line);
      if (command.find()) {
        return noRight(command.group(1));
      }
    }
    return call.failed(e);
  }

  /** Returns the refusal of a user that has no right to a command. */
  static StoreException noRight(String command) {
    return new StoreException(
        "NOPERM "
            + command
            + " is refused; give the user the right +"
            + command.toLowerCase(Locale.ROOT));
  }

  /** A failure here means that Redis did run the script. */
  private static void requireReplicas(
      CompletionStage<Long> acknowledged, int replicas, StoreCall call) {
    long count;
    try {
      count = await(acknowledged, call);
    } catch (RuntimeException e) {
      throw new RedisException("WAIT " + replicas, e);
    }
    if (count < replicas) {
      throw new RedisException(
          "The write was acknowledged in time by "
              + count
              + " of "
              + replicas
              + " replicas; bring them back, or lower replicas");
    }
  }

  /** The connection that all calls share, or a new one. */
  private CompletableFuture<StatefulRedisConnection<String, String>> connection() {
    lock.lock();
    try {
      CompletableFuture<StatefulRedisConnection<String, String>> connection = current;
      if (connection == null || isClosed(connection)) {
        connection = connect().thenCompose(this::check).toCompletableFuture();
        current = connection;
      }
      return connection;
    } finally {
      lock.unlock();
    }
  }

  /** Closes a connection to a server that is refused. */
  private CompletionStage<StatefulRedisConnection<String, String>> check(
      StatefulRedisConnection<String, String> made) {
    return settings
        .check(made)
        .whenComplete(
            (checked, failure) -> {
              if (failure != null) {
                var unused = made.closeAsync();
              }
            });
  }

  private static boolean isClosed(
      CompletableFuture<StatefulRedisConnection<String, String>> connection) {
    return connection.isDone()
        && !connection.isCompletedExceptionally()
        && !connection.join().isOpen();
  }

  private static <T> T connected(CompletionStage<T> connection, StoreCall call) {
    try {
      return await(connection, call);
    } catch (RuntimeException e) {
      throw new StoreException("no connection", e);
    }
  }

  /** Also ends the calls that still wait for this connection. */
  private void giveUp(CompletableFuture<StatefulRedisConnection<String, String>> connection) {
    lock.lock();
    try {
      if (current != connection) {
        return;
      }
      current = null;
    } finally {
      lock.unlock();
    }
    var unused = connection.thenCompose(StatefulRedisConnection::closeAsync);
  }

  /** Waits to the end also where the thread is interrupted: the answer comes or the time is up. */
  private static <T> T await(CompletionStage<T> stage, StoreCall call) {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return stage.toCompletableFuture().get(call.leftNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (TimeoutException e) {
      throw new RedisException("no answer in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException failure ? failure : new RedisException(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Closes the connections; the threads, daemons all, end a little later. */
  private void close() {
    if (cluster != null) {
      cluster.shutdown(0, MAX_CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    }
    client.shutdown(0, MAX_CLOSE_MILLIS, TimeUnit.MILLISECONDS);
    var unused = resources.shutdown(0, MAX_CLOSE_MILLIS, TimeUnit.MILLISECONDS);
  }
}
