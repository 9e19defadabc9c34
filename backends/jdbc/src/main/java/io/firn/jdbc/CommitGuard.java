package io.firn.jdbc;

import io.firn.store.LockedRead;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/**
 * The check of a scope inside the transaction of its rows. It needs the rows and the register store
 * in one database, PostgreSQL, MariaDB or MySQL.
 *
 * <pre>{@code
 * scope.beforeCommit(guard.on(connection));
 * scope.commit(connection::commit);
 * }</pre>
 *
 * <p>It locks the row of the worker's guard in the table of registers, shared, until the
 * transaction ends. As long as that is locked, no process declares the holder dead, so that readers
 * of the watermark wait for a commit that is under way, also that of a process which is stopped.
 * Once the holder was declared dead, the row says so. Transactions do not wait for each other.
 *
 * <p>The user of the connection needs SELECT on the table of registers, in PostgreSQL also UPDATE,
 * which that demands of who locks. Thread-safe.
 */
public final class CommitGuard {

  private final String table;

  /** Set once the database is known to have such locks. */
  private volatile boolean admitted;

  private CommitGuard(String table) {
    this.table = table;
  }

  /** Returns a guard with the registers in table {@value JdbcRegisterStore#TABLE}. */
  public static CommitGuard create() {
    return ofTable(JdbcRegisterStore.TABLE);
  }

  /**
   * Returns a guard with the registers in a table.
   *
   * @param table {@code NAME} or {@code SCHEMA.NAME}, of ASCII letters, digits and underscores
   */
  public static CommitGuard ofTable(String table) {
    return new CommitGuard(RegisterTable.requireName("table", table));
  }

  /**
   * Returns what checks the commit of a transaction; for {@code IdScope.beforeCommit}.
   *
   * @param connection that of the transaction
   * @throws SQLException if the database refuses: roll back
   * @throws IllegalStateException if there is no transaction
   * @throws UnsupportedOperationException if the database has no such locks
   */
  public LockedRead<SQLException> on(Connection connection) throws SQLException {
    requireTransaction(connection);
    String lock = lock(connection);
    return register -> {
      requireTransaction(connection); // it may have ended since
      return lockedValue(connection, lock, register);
    };
  }

  private static void requireTransaction(Connection connection) throws SQLException {
    if (connection.getAutoCommit()) {
      throw new IllegalStateException(
          "The connection commits each statement; call setAutoCommit(false) before the first row");
    }
  }

  private String lock(Connection connection) throws SQLException {
    String product = connection.getMetaData().getDatabaseProductName();
    boolean postgres = product.equals("PostgreSQL");
    boolean known = postgres || product.equals("MariaDB") || product.equals("MySQL");
    if (!known || (postgres && !isAdmitted(connection))) {
      throw new UnsupportedOperationException(
          "database: "
              + (known ? "CockroachDB" : product)
              + " (expected: PostgreSQL, MariaDB or MySQL, whose locks last until the commit)");
    }
    return (postgres ? Dialect.POSTGRESQL : Dialect.MARIADB).lock();
  }

  /** CockroachDB says PostgreSQL of itself, and may not keep a shared lock. */
  private boolean isAdmitted(Connection connection) throws SQLException {
    if (!admitted) {
      try (Statement statement = connection.createStatement();
          ResultSet rows = statement.executeQuery("SELECT version()")) {
        admitted = rows.next() && !rows.getString(1).startsWith("CockroachDB");
      }
    }
    return admitted;
  }

  private @Nullable String lockedValue(Connection connection, String lock, String register)
      throws SQLException {
    String query = "SELECT value FROM " + table + " WHERE name = ?" + lock;
    try (PreparedStatement select = connection.prepareStatement(query)) {
      select.setString(1, register);
      try (ResultSet rows = select.executeQuery()) {
        return rows.next() ? rows.getString(1) : null;
      }
    }
  }

  @Override
  public String toString() {
    return "guard of commits in " + table;
  }
}
