package io.firn.spring;

import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.jdbc.CommitGuard;
import io.firn.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** Checks scopes in the application's database, which has the table of registers. */
record GuardedCommits(DataSource dataSource, CommitGuard guard) implements ScopeCheck {

  @Override
  public void beforeCommit(IdScope scope) {
    if (!TransactionSynchronizationManager.hasResource(dataSource)) {
      throw new IllegalStateException(
          "The transaction has no connection of the application's DataSource, which commit-guard"
              + " needs; run it with a transaction manager of that DataSource, or switch"
              + " commit-guard off");
    }
    Connection connection = DataSourceUtils.getConnection(dataSource);
    try {
      scope.beforeCommit(guard.on(connection));
    } catch (SQLException e) {
      throw refused(e);
    } finally {
      DataSourceUtils.releaseConnection(connection, dataSource);
    }
  }

  /**
   * Opens the guard, so that no transaction waits for that with a connection in its hands. Holds
   * none while the store writes the guard: the pool may have no second one.
   */
  @Override
  public void prepare(Snowflake generator) {
    try (IdScope scope = generator.scope()) {
      scope.beforeCommit(this::valueNow);
    } catch (SQLException e) {
      throw refused(e);
    }
  }

  /** Reads a register in a transaction that ends with it. */
  private @Nullable String valueNow(String register) throws SQLException {
    try (Connection connection = dataSource.getConnection();
        RolledBack transaction = RolledBack.begin(connection)) {
      return guard.on(transaction.connection).value(register);
    }
  }

  /** A transaction that is rolled back when it is closed. */
  private record RolledBack(Connection connection, boolean autoCommit) implements AutoCloseable {

    static RolledBack begin(Connection connection) throws SQLException {
      boolean before = connection.getAutoCommit();
      connection.setAutoCommit(false);
      return new RolledBack(connection, before);
    }

    @Override
    public void close() throws SQLException {
      connection.rollback();
      connection.setAutoCommit(autoCommit);
    }
  }

  /** Returns no TransactionException: for Spring that is a failed commit, and not rolled back. */
  private static StoreException refused(SQLException e) {
    return new StoreException("The database refused the guard of commits: " + e.getMessage(), e);
  }
}
