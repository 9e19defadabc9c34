package io.firn.redis;

import io.firn.store.StoreUri;
import io.firn.store.TlsFiles;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address, taken apart and checked.
 *
 * @param primary Sentinel's name of the primary; empty if the servers are no Sentinels
 * @param allowCounters whether counters are allowed although the store may forget
 * @param allowEviction whether a server that evicts any key is accepted
 * @param replicas how many replicas acknowledge a write before it counts as applied
 */
record RedisAddress(
    StoreUri uri,
    List<InetSocketAddress> servers,
    boolean tls,
    TlsFiles files,
    Optional<String> primary,
    boolean cluster,
    int database,
    String key,
    boolean mayForget,
    boolean allowCounters,
    boolean allowEviction,
    int replicas) {

  private static final String SENTINEL_PASSWORD = "sentinel-password";
  private static final int PORT = 6379;
  private static final int SENTINEL_PORT = 26379;

  private static final Pattern SERVER_PATH = Pattern.compile("/?(\\d{0,4})");
  private static final Pattern SENTINEL_PATH = Pattern.compile("/([^/]+)/?(\\d{0,4})");
  private static final int MAX_REPLICAS = 99;

  static RedisAddress of(StoreUri uri) {
    uri.allowForServers(
        "key",
        "may-forget",
        "allow-counters",
        "allow-eviction",
        "replicas",
        "cluster",
        "sentinel-user",
        SENTINEL_PASSWORD,
        SENTINEL_PASSWORD + "-env",
        SENTINEL_PASSWORD + "-file",
        "ca-file",
        "cert-file",
        "key-file");
    boolean sentinel = uri.scheme().endsWith("-sentinel");
    Matcher path = (sentinel ? SENTINEL_PATH : SERVER_PATH).matcher(uri.path());
    uri.require(
        path.matches(),
        sentinel ? "//HOST,HOST/PRIMARY or //HOST,HOST/PRIMARY/DB" : "//HOST or //HOST/DB");
    String database = path.group(path.groupCount());
    List<InetSocketAddress> servers = uri.servers(sentinel ? SENTINEL_PORT : PORT);
    boolean cluster = uri.flag("cluster", !sentinel && servers.size() > 1);
    uri.require(!(cluster && sentinel), "Sentinel or a cluster, not both");
    uri.require(!cluster || database.isEmpty(), "no database, a cluster has only one");
    uri.require(cluster || sentinel || servers.size() == 1, "one server if it is no cluster");
    String key = uri.parameter("key").orElse(RedisRegisterStore.KEY);
    uri.require(!key.isEmpty(), "a key that is not empty");
    uri.require(uri.user().isEmpty() || uri.password().isPresent(), "a password for the user");
    boolean sentinelPassword = uri.secret(SENTINEL_PASSWORD).isPresent();
    uri.require(
        sentinelPassword || uri.parameter("sentinel-user").isEmpty(),
        "sentinel-password for sentinel-user");
    uri.require(sentinel || !sentinelPassword, "sentinel-password with Sentinel only");
    boolean tls = uri.scheme().startsWith("rediss");
    return new RedisAddress(
        uri,
        servers,
        tls,
        TlsFiles.of(uri, tls).requireKey(uri),
        sentinel ? Optional.of(path.group(1)) : Optional.empty(),
        cluster,
        database.isEmpty() ? 0 : Integer.parseInt(database),
        key,
        uri.flag("may-forget", true),
        uri.flag("allow-counters", false),
        uri.flag("allow-eviction", false),
        uri.number("replicas", 0, MAX_REPLICAS, 0));
  }

  /** Returns the password of the Sentinels, which know nothing of the users of the server. */
  Optional<String> sentinelPassword() {
    return uri.secret(SENTINEL_PASSWORD);
  }
}
