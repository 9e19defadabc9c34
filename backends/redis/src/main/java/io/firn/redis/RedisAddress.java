package io.firn.redis;

import io.firn.lease.StoreUri;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An address, taken apart and checked.
 *
 * @param primary Sentinel's name of the primary; empty if the servers are no Sentinels
 * @param replicas how many replicas acknowledge what is to last
 */
record RedisAddress(
    StoreUri uri,
    List<InetSocketAddress> servers,
    boolean tls,
    Optional<Path> caFile,
    Optional<Path> certFile,
    Optional<Path> keyFile,
    Optional<String> primary,
    boolean cluster,
    int database,
    String key,
    boolean mayForget,
    int replicas) {

  private static final int PORT = 6379;
  private static final int SENTINEL_PORT = 26379;

  private static final Pattern SERVER_PATH = Pattern.compile("/?(\\d{0,4})");
  private static final Pattern SENTINEL_PATH = Pattern.compile("/([^/]+)/?(\\d{0,4})");
  private static final Pattern REPLICAS = Pattern.compile("\\d{1,2}");

  static RedisAddress of(StoreUri uri) {
    uri.allow(
        "key",
        "may-forget",
        "replicas",
        "cluster",
        "ca-file",
        "cert-file",
        "key-file",
        "timeout",
        "user",
        "password",
        "password-env",
        "password-file");
    boolean sentinel = uri.scheme().endsWith("-sentinel");
    Matcher path = (sentinel ? SENTINEL_PATH : SERVER_PATH).matcher(uri.path());
    require(
        path.matches(),
        uri,
        sentinel ? "//HOST,HOST/PRIMARY or //HOST,HOST/PRIMARY/DB" : "//HOST or //HOST/DB");
    String database = path.group(path.groupCount());
    List<InetSocketAddress> servers = uri.servers(sentinel ? SENTINEL_PORT : PORT);
    boolean cluster = flag(uri, "cluster", !sentinel && servers.size() > 1);
    require(!(cluster && sentinel), uri, "Sentinel or a cluster, not both");
    require(!cluster || database.isEmpty(), uri, "no database, a cluster has only one");
    require(cluster || sentinel || servers.size() == 1, uri, "one server if it is no cluster");
    String key = uri.parameter("key").orElse(RedisRegisterStore.KEY);
    require(!key.isEmpty(), uri, "a key that is not empty");
    require(uri.user().isEmpty() || uri.password().isPresent(), uri, "a password for the user");
    boolean tls = uri.scheme().startsWith("rediss");
    Optional<Path> caFile = file(uri, "ca-file");
    Optional<Path> certFile = file(uri, "cert-file");
    Optional<Path> keyFile = file(uri, "key-file");
    require(certFile.isPresent() == keyFile.isPresent(), uri, "cert-file and key-file together");
    require(
        tls || (caFile.isEmpty() && certFile.isEmpty()), uri, "rediss where there are TLS's files");
    return new RedisAddress(
        uri,
        servers,
        tls,
        caFile,
        certFile,
        keyFile,
        sentinel ? Optional.of(path.group(1)) : Optional.empty(),
        cluster,
        database.isEmpty() ? 0 : Integer.parseInt(database),
        key,
        flag(uri, "may-forget", true),
        replicas(uri.parameter("replicas").orElse("0")));
  }

  private static boolean flag(StoreUri uri, String name, boolean otherwise) {
    String value = uri.parameter(name).orElse("" + otherwise);
    if (!value.equals("true") && !value.equals("false")) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: true or false)");
    }
    return value.equals("true");
  }

  private static int replicas(String value) {
    if (!REPLICAS.matcher(value).matches()) {
      throw new IllegalArgumentException("replicas: " + value + " (expected: 0..99)");
    }
    return Integer.parseInt(value);
  }

  private static Optional<Path> file(StoreUri uri, String name) {
    Optional<Path> file = uri.parameter(name).map(Path::of);
    file.filter(path -> !Files.isReadable(path))
        .ifPresent(
            path -> {
              throw new IllegalArgumentException(
                  name + ": " + path + " (expected: a file to read, PEM)");
            });
    return file;
  }

  private static void require(boolean held, StoreUri uri, String rule) {
    if (!held) {
      throw new IllegalArgumentException("store: " + uri + " (expected: " + rule + ")");
    }
  }
}
