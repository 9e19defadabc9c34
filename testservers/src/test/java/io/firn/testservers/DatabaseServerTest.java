package io.firn.testservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

@Execution(ExecutionMode.CONCURRENT)
class DatabaseServerTest {

  private static String query(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url)) {
      return query(connection, sql);
    }
  }

  private static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  @Test
  void postgresForcesCommitsAndTakesOptions() throws Exception {
    try (PostgresServer server = PostgresServer.start("-c", "max_connections=33")) {
      assertThat(query(server.jdbcUrl(), "show fsync")).isEqualTo("on");
      assertThat(query(server.jdbcUrl(), "show synchronous_commit")).isEqualTo("on");
      assertThat(query(server.jdbcUrl(), "show max_connections")).isEqualTo("33");
      assertThat(query(server.jdbcUrl(), "select version()")).startsWith("PostgreSQL 18.");
      staysThroughAKill(server, server.jdbcUrl());
      answersAfterAPause(server, server.jdbcUrl());
      leavesNothing(server);
    }
  }

  @Test
  void mariaDbForcesCommitsAndTakesOptions() throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--max-connections=33")) {
      assertThat(query(server.jdbcUrl(), "select @@innodb_flush_log_at_trx_commit")).isEqualTo("1");
      assertThat(query(server.jdbcUrl(), "select @@max_connections")).isEqualTo("33");
      assertThat(query(server.jdbcUrl(), "select version()")).startsWith("11.4.");
      staysThroughAKill(server, server.jdbcUrl());
      answersAfterAPause(server, server.jdbcUrl());
      leavesNothing(server);
    }
  }

  /** With a client that is connected all the time, whose connection ends with the server. */
  private static void staysThroughAKill(LocalServer server, String url) throws SQLException {
    execute(url, "create table t (a int)");
    try (Connection connected = DriverManager.getConnection(url)) {
      execute(url, "insert into t values (1)");
      server.kill();
      assertThatThrownBy(() -> query(connected, "select 1")).isInstanceOf(SQLException.class);
    }
    server.restart();
    assertThat(query(url, "select count(*) from t")).isEqualTo("1");
  }

  private static void answersAfterAPause(LocalServer server, String url) throws Exception {
    try (Connection connection = DriverManager.getConnection(url)) {
      server.pause();
      CompletableFuture<String> answer =
          CompletableFuture.supplyAsync(
              () -> {
                try {
                  return query(connection, "select 1");
                } catch (SQLException e) {
                  throw new IllegalStateException(e);
                }
              });
      assertThatThrownBy(() -> answer.get(200, TimeUnit.MILLISECONDS))
          .isInstanceOf(TimeoutException.class);
      server.resume();
      assertThat(answer.get(60, TimeUnit.SECONDS)).isEqualTo("1");
    }
  }

  private static void leavesNothing(ServerProcess server) {
    Traces traces = Traces.of(server);
    server.close();
    traces.assertGone();
  }

  @Test
  void postgresSaysWhatItWroteIfItDoesNotStart() {
    assertThatThrownBy(() -> PostgresServer.start("-c", "no_such_setting=1"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no_such_setting");
  }

  @Test
  void mariaDbSaysWhatItWroteIfItDoesNotStart() {
    assertThatThrownBy(() -> MariaDbServer.start("--no-such-setting"))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("no-such-setting");
  }
}
