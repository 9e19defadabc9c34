package io.firn.jdbc;

import io.firn.store.StoreCall;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
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

  /** Bounds each wait for the network. */
  static void limit(Connection connection, long millis) throws SQLException {
    try {
      connection.setNetworkTimeout(Runnable::run, (int) millis);
    } catch (SQLFeatureNotSupportedException e) {
      // a database in this process, which has no network to wait for
    }
  }
}
