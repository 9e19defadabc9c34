package io.firn.jdbc;

import io.firn.store.StoreCall;
import io.firn.store.StoreThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeoutException;
import javax.sql.DataSource;

/**
 * Connections of an application's pool. A pool waits for a connection as long as it likes, so it is
 * asked on a thread of its own; a connection that comes too late goes back unused.
 */
final class PooledConnections implements ConnectionSource {

  private final DataSource source;
  private final StoreThreads threads = new StoreThreads("firn-jdbc-borrow");

  PooledConnections(DataSource source) {
    this.source = source;
  }

  @Override
  public Connection take(StoreCall call) throws SQLException {
    try {
      return threads.run(source::getConnection, call.leftNanos(), PooledConnections::giveBack);
    } catch (TimeoutException e) {
      throw new SQLTimeoutException("the pool gave no connection in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof SQLException failure
          ? failure
          : new SQLException("the pool failed", e.getCause());
    }
  }

  private static void giveBack(Connection late) {
    try {
      late.close();
    } catch (SQLException e) {
      // nothing was asked of it
    }
  }

  @Override
  public void giveBack(Connection connection, boolean healthy) throws SQLException {
    connection.close();
  }

  @Override
  public void close() {}
}
