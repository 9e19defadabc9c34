package io.firn.redis;

import io.firn.store.StoreException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger.Level;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads at each connect the settings of the server that decide whether it keeps what it
 * acknowledged, and checks the right to {@code WAIT} where replicas must acknowledge. Needs the
 * right to {@code INFO}, without which no setting is checked, and to {@code CONFIG GET}, without
 * which {@code appendfsync} is not.
 */
final class ServerSettings {

  private static final System.Logger LOG = System.getLogger(RedisRegisterStore.class.getName());
  private static final Pattern LINE = Pattern.compile("(?m)^(\\w+):([^\\r\\n]*)");

  private final RedisAddress address;
  private final AtomicBoolean warned = new AtomicBoolean();

  ServerSettings(RedisAddress address) {
    this.address = address;
  }

  /** Returns the connection when its server is checked. */
  CompletionStage<StatefulRedisConnection<String, String>> check(
      StatefulRedisConnection<String, String> connection) {
    return connection
        .async()
        .info("memory")
        .thenCombine(connection.async().info("persistence"), String::concat)
        .thenApply(ServerSettings::settings)
        .thenCombine(appendFsync(connection), ServerSettings::joined)
        .handle(
            (settings, failure) -> {
              if (failure == null) {
                check(settings);
              } else {
                LOG.log(Level.DEBUG, "store: " + address.uri() + ": INFO is not answered", failure);
              }
              return connection;
            })
        .thenCompose(this::checkWait);
  }

  /**
   * Refuses a user who may not wait for replicas: each write would be applied before that shows.
   */
  private CompletionStage<StatefulRedisConnection<String, String>> checkWait(
      StatefulRedisConnection<String, String> connection) {
    if (address.replicas() == 0) {
      return CompletableFuture.completedStage(connection);
    }
    return connection
        .async()
        .waitForReplication(0, 1)
        .handle(
            (count, failure) -> {
              if (failure != null && ("" + failure.getMessage()).startsWith("NOPERM ")) {
                throw LettuceConnection.noRight("WAIT");
              }
              return connection;
            });
  }

  /** Reads when the append-only file is forced; empty without the right to {@code CONFIG GET}. */
  private static CompletionStage<Map<String, String>> appendFsync(
      StatefulRedisConnection<String, String> connection) {
    return connection.async().configGet("appendfsync").exceptionally(failure -> Map.of());
  }

  private static Map<String, String> joined(Map<String, String> some, Map<String, String> more) {
    Map<String, String> all = new HashMap<>(some);
    all.putAll(more);
    return all;
  }

  private static Map<String, String> settings(String info) {
    return LINE.matcher(info)
        .results()
        .collect(Collectors.toMap(line -> line.group(1), line -> line.group(2), (a, b) -> b));
  }

  private void check(Map<String, String> settings) {
    String policy = settings.getOrDefault("maxmemory_policy", "");
    if (policy.startsWith("allkeys-") && !address.allowEviction()) {
      throw new StoreException(
          "maxmemory-policy "
              + policy
              + " may evict the key of all registers; set noeviction, or accept the risk with"
              + " allow-eviction=true in the address");
    }
    boolean keeps = !address.mayForget() && address.replicas() == 0;
    boolean loads = "1".equals(settings.get("loading")); // then Redis shows the file as disabled
    String fsync = settings.getOrDefault("appendfsync", "always");
    String unsafe =
        "0".equals(settings.get("aof_enabled"))
            ? "appendonly: no (expected: yes, with appendfsync always)"
            : fsync.equals("always") ? "" : "appendfsync: " + fsync + " (expected: always)";
    if (keeps && !loads && !unsafe.isEmpty() && !warned.getAndSet(true)) {
      LOG.log(
          Level.WARNING,
          "store: "
              + address.uri()
              + " may lose acknowledged writes in a crash: "
              + unsafe
              + "; change the setting, or drop may-forget=false");
    }
  }
}
