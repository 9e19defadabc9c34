package io.firn.jdbc;

import io.firn.store.StoreCall;
import io.firn.store.StoreThreads;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * One connection, made when it is first needed and again after a failure. Threads take turns. After
 * a pause it is tried before it is used, so that a write rarely uses a connection that has died.
 */
final class OneConnection implements ConnectionSource {

  private static final Duration MAX_UNTRIED = Duration.ofSeconds(1);

  private final StoreThreads threads = new StoreThreads("firn-jdbc-connect");
  private final ReentrantLock turn = new ReentrantLock();
  private final String url;
  private final LongFunction<Properties> login;
  private @Nullable Connection connection;

  /** Begins with each use; until it is over, the connection is not tried. */
  private StoreCall untried;

  private volatile boolean closed;

  /**
   * Does not connect yet.
   *
   * @param login the driver's properties beside the URL for a limit in milliseconds
   */
  OneConnection(String url, LongFunction<Properties> login) {
    this.url = url;
    this.login = login;
    untried = new StoreCall(url, MAX_UNTRIED);
  }

  @Override
  public Connection take(StoreCall call) throws SQLException {
    awaitTurn(call);
    try {
      if (closed) {
        throw new SQLException("the store was closed");
      }
      if (connection != null && !isAlive(connection, call)) {
        drop();
      }
      if (connection == null) {
        Properties login = login(call);
        connection =
            ConnectionSource.open(threads, () -> DriverManager.getConnection(url, login), call);
      }
      return connection;
    } catch (Throwable e) { // an OutOfMemoryError too: other threads continue
      turn.unlock();
      throw e;
    }
  }

  private Properties login(StoreCall call) throws SQLException {
    try {
      return login.apply(call.leftMillis());
    } catch (IllegalArgumentException e) { // a secret that was there when the store was opened
      throw new SQLException(e.getMessage(), e);
    }
  }

  private void awaitTurn(StoreCall call) throws SQLException {
    try {
      if (!turn.tryLock(call.leftMillis(), TimeUnit.MILLISECONDS)) {
        throw new SQLTimeoutException("other threads had the connection all the time");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while another thread had the connection", e);
    }
  }

  /** In whole seconds: 0 means no limit in MariaDB's driver, and connecting needs some. */
  private boolean isAlive(Connection used, StoreCall call) throws SQLException {
    int seconds = (int) TimeUnit.MILLISECONDS.toSeconds(call.leftMillis());
    return !untried.isOver() || seconds == 0 || used.isValid(seconds);
  }

  @Override
  public void giveBack(Connection taken, boolean healthy) {
    try {
      untried = new StoreCall(url, MAX_UNTRIED);
      if (!healthy) {
        drop();
      }
    } finally {
      turn.unlock();
    }
  }

  private void drop() {
    Connection dropped = connection;
    connection = null;
    try {
      if (dropped != null) {
        dropped.close();
      }
    } catch (SQLException e) {
      // regardless of the error, the driver has let go of it
    }
  }

  @Override
  public void close() {
    closed = true;
    turn.lock();
    try {
      drop();
    } finally {
      turn.unlock();
    }
  }
}
