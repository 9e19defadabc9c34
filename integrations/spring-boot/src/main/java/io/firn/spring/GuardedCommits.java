package io.firn.spring;

import io.firn.IdScope;
import io.firn.Snowflake;
import io.firn.jdbc.CommitGuard;
import io.firn.store.StoreException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
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

  /** Opens the guard, so that no transaction waits for that with a connection in its hands. */
  @Override
  public void prepare(Snowflake generator) {
    try (Connection connection = dataSource.getConnection();
        IdScope scope = generator.scope()) {
      boolean before = connection.getAutoCommit();
      connection.setAutoCommit(false);
      try {
        scope.beforeCommit(guard.on(connection));
      } finally {
        connection.rollback();
        connection.setAutoCommit(before);
      }
    } catch (SQLException e) {
      throw refused(e);
    }
  }

  /** Returns no TransactionException: for Spring that is a failed commit, and not rolled back. */
  private static StoreException refused(SQLException e) {
    return new StoreException("The database refused the guard of commits: " + e.getMessage(), e);
  }
}
