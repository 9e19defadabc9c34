package io.firn.jdbc;

import io.firn.store.StoreCall;
import io.firn.store.StoreThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/** A source of connections: a pool, or a single connection of the store's own. Thread-safe. */
interface ConnectionSource {

  /**
   * Takes one for this thread.
   *
   * @param call how long that may take
   * @throws SQLException if there is none; then nothing was sent
   */
  Connection take(StoreCall call) throws SQLException;

  /**
   * Gives back one that was taken.
   *
   * @param healthy false after a failure
   */
  void giveBack(Connection connection, boolean healthy) throws SQLException;

  /** Closes those that are its own. */
  void close();

  /** Returns those of a data source, which looks after them itself and is closed by its owner. */
  static ConnectionSource of(DataSource source) {
    return new PooledConnections(source);
  }

  /**
   * Opens a connection on another thread; one that comes too late is closed unused.
   *
   * @param opener takes as long as it likes: a pool waits, a driver resolves names and tries hosts
   */
  static Connection open(StoreThreads threads, Callable<Connection> opener, StoreCall call)
      throws SQLException {
    try {
      return threads.run(opener, call.leftNanos(), ConnectionSource::close);
    } catch (TimeoutException e) {
      throw new SQLTimeoutException("no connection came in time", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Error error) {
        throw error;
      }
      throw e.getCause() instanceof SQLException failure
          ? failure
          : new SQLException("opening a connection failed", e.getCause());
    }
  }

  private static void close(Connection late) {
    try {
      late.close();
    } catch (SQLException e) {
      // nothing was asked of it
    }
  }

  /** Bounds each wait for the network. */
  static void limit(Connection connection, long millis) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, (int) millis);
    } catch (SQLFeatureNotSupportedException e) {
      // a database in this process, which has no network to wait for
    }
  }
}
