package io.firn.cli;

import io.firn.WorkerSet;
import io.firn.jdbc.JdbcStoreProvider;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.StoreThreads;
import io.firn.store.StoreUri;
import io.firn.time.DurationText;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** Reads where other systems keep their worker numbers; writes nothing. */
final class OldStores {

  private static final int REDIS_PORT = 6379;

  private OldStores() {}

  /**
   * Reads the numbers in the first column of a query, within the timeout of the address.
   *
   * @param parameter the value of its parameter if it has one
   */
  static WorkerSet query(String source, String sql, String parameter) {
    StoreUri uri = StoreUri.parse(source);
    uri.require(uri.scheme().equals("jdbc"), "jdbc:DATABASE://HOST/NAME");
    JdbcStoreProvider.requireOneAccount(uri);
    Properties login = new Properties();
    uri.user().ifPresent(user -> login.setProperty("user", user));
    uri.password().ifPresent(password -> login.setProperty("password", password));
    String url = uri.without("user", "password", "password-env", "password-file", "timeout");
    uri.require(
        hasDriver(url),
        "a database whose driver is on the class path; that of MariaDB reads MySQL: jdbc:mariadb:");
    StoreOptions.requireFile("source", source, source);
    Duration timeout = uri.timeout();
    try {
      return WorkerSet.of(
          new StoreThreads("firn-adopt")
              .run(() -> numbers(url, login, sql, parameter), timeout.toNanos(), late -> {}));
    } catch (TimeoutException e) {
      throw unreadable(
          uri,
          "no answer within the timeout of "
              + DurationText.write(timeout)
              + ", which the address sets (timeout=10s)",
          e);
    } catch (ExecutionException e) {
      throw unreadable(uri, StoreCall.reason(e), e);
    }
  }

  private static boolean hasDriver(String url) {
    try {
      DriverManager.getDriver(url);
      return true;
    } catch (SQLException e) {
      return false;
    }
  }

  private static LongStream numbers(String url, Properties login, String sql, String parameter)
      throws SQLException {
    try (Connection connection = DriverManager.getConnection(url, login);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      if (sql.contains("?")) {
        statement.setString(1, parameter);
      }
      LongStream.Builder workers = LongStream.builder();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          workers.add(rows.getLong(1));
        }
      }
      return workers.build();
    }
  }

  /** Reads a string of one Redis server. */
  static Optional<String> get(String source, String key) {
    StoreUri uri = StoreUri.parse(source);
    List<InetSocketAddress> servers = uri.servers(REDIS_PORT);
    boolean tls = uri.scheme().equals("rediss");
    uri.require(
        (uri.scheme().equals("redis") || tls)
            && servers.size() == 1
            && uri.path().matches("/?[0-9]{0,4}"),
        "redis://HOST:PORT or redis://HOST:PORT/DB");
    RedisURI.Builder builder =
        RedisURI.builder()
            .withHost(servers.get(0).getHostString().replaceAll("[\\[\\]]", ""))
            .withPort(servers.get(0).getPort())
            .withSsl(tls)
            .withDatabase(Integer.parseInt("0" + uri.path().replace("/", "")))
            .withTimeout(uri.timeout());
    uri.password()
        .ifPresent(
            password ->
                builder.withAuthentication(uri.user().orElse("default"), password.toCharArray()));
    RedisClient client = RedisClient.create(builder.build());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      return Optional.ofNullable(connection.sync().get(key));
    } catch (RedisException e) {
      throw unreadable(uri, e.getMessage(), e);
    } finally {
      client.shutdown();
    }
  }

  private static StoreException unreadable(StoreUri uri, @Nullable String reason, Exception cause) {
    return new StoreException(
        "Source " + uri + " could not be read: " + reason + "; check its address and rights",
        cause);
  }

  /** Reads a number of another system. */
  static long number(String source, String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException e) {
      throw new BadInput(
          "source: "
              + StoreUri.parse(source)
              + " (expected: a worker number, not "
              + text
              + "; is it of that system?)");
    }
  }
}
