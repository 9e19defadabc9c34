package io.firn.examples;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Watermark;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;

/** An outbox whose reader pages by ID and misses no row. */
public final class Outbox {

  private static final int PAGE = 1_000;

  private Outbox() {}

  /** Writes two events and reads them: the directory of the store, the address of a database. */
  public static void main(String[] args) throws SQLException, InterruptedException {
    RegisterStore store = FileRegisterStore.open(Path.of(args[0]));
    LeaseConfig lease = LeaseConfig.builder(store, "orders").window(Duration.ofSeconds(2)).build();
    try (Snowflake orders = Snowflake.builder().lease(lease).build();
        Connection connection = DriverManager.getConnection(args[1])) {
      try (Statement statement = connection.createStatement()) {
        statement.execute("CREATE TABLE outbox (id BIGINT PRIMARY KEY, event VARCHAR(100))");
      }
      connection.setAutoCommit(false);
      write(orders, connection);
      Watermark watermark =
          Watermark.builder(store, "orders").heartbeat(Duration.ofMillis(500)).build();
      long end = orders.nextId();
      for (long last = 0; last < end; Thread.sleep(100)) {
        last = read(watermark, connection, last);
      }
    }
  }

  private static void write(Snowflake orders, Connection connection) throws SQLException {
    // begin write
    try (IdScope scope = orders.scope()) { // before the first ID
      insert(connection, scope.nextId(), "order 7 was paid");
      insert(connection, scope.nextId(), "order 7 was shipped");
      scope.commit(connection::commit);
    } catch (ScopeExpiredException e) { // open for too long, or the lease was lost
      connection.rollback();
      throw e;
    }
    // end
  }

  private static void insert(Connection connection, long id, String event) throws SQLException {
    try (PreparedStatement insert =
        connection.prepareStatement("INSERT INTO outbox (id, event) VALUES (?, ?)")) {
      insert.setLong(1, id);
      insert.setString(2, event);
      insert.executeUpdate();
    }
  }

  private static long read(Watermark watermark, Connection connection, long last)
      throws SQLException {
    // begin read
    long safe = watermark.current().id(); // first the watermark, then the rows
    long read = 0;
    String query = "SELECT id, event FROM outbox WHERE id > ? AND id <= ? ORDER BY id LIMIT 1000";
    try (PreparedStatement select = connection.prepareStatement(query)) {
      select.setLong(1, last); // where this reader stopped
      select.setLong(2, safe);
      for (ResultSet rows = select.executeQuery(); rows.next(); read++) {
        last = rows.getLong("id");
        System.out.println(rows.getString("event"));
      }
    }
    connection.commit(); // ends the snapshot, so that the next page sees what is committed by then
    // end
    return read == 0 || read == PAGE ? last : Math.max(last, safe);
  }
}
