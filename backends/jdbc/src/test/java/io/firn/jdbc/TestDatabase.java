package io.firn.jdbc;

import com.mysql.cj.jdbc.MysqlDataSource;
import io.firn.store.RegisterStore;
import io.firn.testservers.LocalServer;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.time.TimeSource;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.mariadb.jdbc.MariaDbDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** The servers of this module's tests, each started when it is first asked for. */
enum TestDatabase {
  POSTGRES,
  MARIADB;

  static final String PASSWORD = "hunter2";

  private static final class Postgres {
    static final PostgresServer SERVER = PostgresServer.start();
  }

  private static final class MariaDb {
    // Without a binary log, others see a commit before it is on the disk.
    static final MariaDbServer SERVER = MariaDbServer.start("--log-bin", "--sync-binlog=1");
  }

  LocalServer server() {
    return this == POSTGRES ? Postgres.SERVER : MariaDb.SERVER;
  }

  /** With the user, who may do everything. */
  String url() {
    return this == POSTGRES ? Postgres.SERVER.jdbcUrl() : MariaDb.SERVER.jdbcUrl();
  }

  /** The same, by way of a proxy. */
  String url(InetSocketAddress proxy) {
    return this == POSTGRES ? Postgres.SERVER.jdbcUrl(proxy) : MariaDb.SERVER.jdbcUrl(proxy);
  }

  /** As another user. */
  String url(String user) {
    return as(user, url());
  }

  /** The same address for another user. */
  static String as(String user, String url) {
    return url.replaceFirst("user=.*", "user=" + user + "&password=" + PASSWORD);
  }

  /**
   * Makes a user.
   *
   * @param rights in the whole database, but no others
   */
  String newUser(String rights) throws SQLException {
    String user = newTable();
    if (this == POSTGRES) {
      execute(
          "CREATE ROLE " + user + " LOGIN PASSWORD '" + PASSWORD + "'",
          "GRANT " + rights + " ON SCHEMA public TO " + user);
    } else {
      execute(
          "CREATE USER " + user + " IDENTIFIED BY '" + PASSWORD + "'",
          "GRANT " + rights + " ON firn.* TO " + user);
    }
    return user;
  }

  /** Makes the database a replica for a user's next connections. */
  void setReadOnly(String user, boolean readOnly) throws SQLException {
    execute(
        this == POSTGRES
            ? "ALTER ROLE " + user + " SET default_transaction_read_only = " + readOnly
            : "SET GLOBAL read_only = " + readOnly);
  }

  RegisterStore open(String parameters) {
    return RegisterStore.open(url() + "&" + parameters);
  }

  DataSource source() {
    return source(url());
  }

  /** One that connects again each time. */
  static DataSource source(String url) {
    try {
      if (url.startsWith("jdbc:mariadb:")) {
        return new MariaDbDataSource(url);
      }
      if (url.startsWith("jdbc:mysql:")) {
        MysqlDataSource source = new MysqlDataSource();
        source.setUrl(url);
        return source;
      }
    } catch (SQLException e) {
      throw new IllegalArgumentException(e);
    }
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(url);
    return source;
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  String query(String sql) throws SQLException {
    try (Connection connection = DriverManager.getConnection(url());
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      return rows.next() ? rows.getString(1) : "";
    }
  }

  String openTransactions() throws SQLException {
    return query(
        this == POSTGRES
            ? "SELECT count(*) FROM pg_stat_activity WHERE state LIKE 'idle in%'"
            : "SELECT count(*) FROM information_schema.innodb_trx");
  }

  /** How many statements on a table wait for the lock of another transaction. */
  String waitsForLocks(String table) throws SQLException {
    return query(
        this == POSTGRES
            ? "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
                + (" AND query LIKE '%" + table + "%'")
            : "SELECT count(*) FROM information_schema.innodb_trx WHERE trx_state = 'LOCK WAIT'"
                + (" AND trx_query LIKE '%" + table + "%'"));
  }

  /** How many statements on a table wait for the lock of a table. */
  String waitsForTable(String table) throws SQLException {
    return this == POSTGRES
        ? waitsForLocks(table)
        : query(
            "SELECT count(*) FROM information_schema.processlist WHERE state LIKE 'Waiting for%'"
                + (" AND info LIKE '%" + table + "%'"));
  }

  /** The name of a table that there is not. */
  static String newTable() {
    return "t" + Long.toHexString(TimeSource.system().random(1L << 60));
  }
}
