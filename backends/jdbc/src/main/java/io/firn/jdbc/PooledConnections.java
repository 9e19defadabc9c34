package io.firn.jdbc;

import io.firn.store.StoreCall;
import io.firn.store.StoreThreads;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Connections of an application's pool. A connection that comes too late goes back unused. */
final class PooledConnections implements ConnectionSource {

  private final DataSource source;
  private final StoreThreads threads = new StoreThreads("firn-jdbc-borrow");

  PooledConnections(DataSource source) {
    this.source = source;
  }

  @Override
  public Connection take(StoreCall call) throws SQLException {
    return ConnectionSource.open(threads, source::getConnection, call);
  }

  @Override
  public void giveBack(Connection connection, boolean healthy) throws SQLException {
    connection.close();
  }

  @Override
  public void close() {}
}
