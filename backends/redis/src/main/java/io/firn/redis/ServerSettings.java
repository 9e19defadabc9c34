package io.firn.redis;

import io.firn.store.StoreException;
import io.lettuce.core.api.StatefulRedisConnection;
import java.lang.System.Logger.Level;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Reads at each connect the settings of the server that decide whether it keeps what it
 * acknowledged. Needs the right to {@code INFO}; without it nothing is checked.
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
        .handle(
            (info, failure) -> {
              if (failure == null) {
                check(settings(info));
              } else {
                LOG.log(Level.DEBUG, "store: " + address.uri() + ": INFO is not answered", failure);
              }
              return connection;
            });
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
          "maxmemory-policy: "
              + policy
              + " (expected: one that evicts no key without an expiry, such as noeviction, or"
              + " allow-eviction=true in the address: an evicted key is all registers)");
    }
    boolean keeps = !address.mayForget() && address.replicas() == 0;
    boolean loads = "1".equals(settings.get("loading")); // then Redis shows the file as disabled
    if (keeps && !loads && "0".equals(settings.get("aof_enabled")) && !warned.getAndSet(true)) {
      LOG.log(
          Level.WARNING,
          "store: "
              + address.uri()
              + " may lose acknowledged writes in a crash: appendonly: no (expected: yes, with"
              + " appendfsync always); change the setting, or drop may-forget=false");
    }
  }
}
