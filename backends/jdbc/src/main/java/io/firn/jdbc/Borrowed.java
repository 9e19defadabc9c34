package io.firn.jdbc;

import io.firn.store.StoreCall;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.function.Supplier;

/**
 * A connection for statements that are transactions of their own, unless said otherwise; given back
 * as it was found.
 *
 * <p>Each wait for the network is bounded by {@link Connection#setNetworkTimeout}, and by that
 * alone. {@link java.sql.Statement#setQueryTimeout} asks the server to cancel: while it hangs,
 * PostgreSQL's and MySQL's drivers wait for seconds more to be heard, and if PostgreSQL waits for a
 * synchronous replica, it gives up that wait and reports success.
 */
final class Borrowed implements AutoCloseable {

  private final ConnectionSource owner;
  private final StoreCall call;
  private final Connection connection;
  private boolean autoCommit = true;
  private int networkMillis;
  private boolean healthy;
  private Dialect dialect = Dialect.STANDARD;
  private long lockMillis;

  /**
   * Takes a connection; sends nothing.
   *
   * @param borrowing how long that may take
   * @param statements begins when the connection is there, so that a wait for a pool takes nothing
   *     from the time for the statements
   */
  Borrowed(ConnectionSource owner, StoreCall borrowing, Supplier<StoreCall> statements)
      throws SQLException {
    this.owner = owner;
    connection = owner.take(borrowing);
    call = statements.get();
  }

  /** Returns the time that the statements have. */
  StoreCall call() {
    return call;
  }

  Connection connection() {
    return connection;
  }

  /** Sees to it that each statement is a transaction, and that none takes too long. */
  void arrange() throws SQLException {
    networkMillis = networkTimeout();
    ConnectionSource.limit(connection, call.leftMillis());
    autoCommit = connection.getAutoCommit();
    if (!autoCommit) {
      connection.setAutoCommit(true);
    }
  }

  private int networkTimeout() throws SQLException {
    try {
      return connection.getNetworkTimeout();
    } catch (SQLFeatureNotSupportedException e) {
      return 0;
    }
  }

  /**
   * Limits how long later statements wait in the database for the locks of others. Without a limit,
   * a wait continues after its client has left, and occupies a connection of the server.
   *
   * @param dialect that of the database
   */
  void limitLocks(Dialect dialect, long lockMillis) {
    this.dialect = dialect;
    this.lockMillis = lockMillis;
  }

  /** Returns the dialect of the database; {@link Dialect#STANDARD} until it is known. */
  Dialect dialect() {
    return dialect;
  }

  /** Sends a statement, and returns its reply even if something fails afterwards. */
  <T> T ask(Query<T> query) throws SQLException {
    healthy = false;
    PreparedStatement statement =
        query.prepare(connection, dialect.limited(query.sql(), lockMillis));
    try {
      ConnectionSource.limit(connection, call.leftMillis());
      statement.execute();
      dialect.skipReplyToLimits(statement);
      T answer = query.reader().read(statement);
      if (connection.getAutoCommit()) { // else it has not been committed yet
        dialect.requireKept(statement.getWarnings());
      }
      healthy = true;
      return answer;
    } finally {
      close(statement);
    }
  }

  /** Statements that are applied together or not at all. */
  interface Transaction<T> {
    T run() throws SQLException;
  }

  /**
   * Commits the statements, or rolls them back if anything fails. If the commit fails, the outcome
   * is unknown.
   */
  <T> T inTransaction(Transaction<T> transaction) throws SQLException {
    healthy = false;
    connection.setAutoCommit(false);
    boolean committed = false;
    try {
      T answer = transaction.run();
      healthy = false;
      connection.clearWarnings();
      ConnectionSource.limit(connection, call.leftMillis());
      connection.commit();
      committed = true;
      dialect.requireKept(connection.getWarnings());
      healthy = true;
      return answer;
    } finally {
      end(committed);
    }
  }

  /** Undoes first what is not committed, for switching over would commit it. */
  private void end(boolean committed) {
    try {
      if (!committed) {
        ConnectionSource.limit(connection, call.leftMillis());
        connection.rollback();
      }
      connection.setAutoCommit(true);
    } catch (SQLException e) {
      healthy = false;
    }
  }

  private void close(PreparedStatement statement) {
    try {
      statement.close();
    } catch (SQLException e) {
      healthy = false;
    }
  }

  @Override
  public void close() {
    try {
      ConnectionSource.limit(connection, networkMillis);
      if (!autoCommit) {
        connection.setAutoCommit(false);
      }
    } catch (SQLException e) {
      healthy = false;
    } finally {
      giveBack();
    }
  }

  private void giveBack() {
    try {
      owner.giveBack(connection, healthy);
    } catch (SQLException e) {
      // it came to its end, and the reply had come before
    }
  }
}
