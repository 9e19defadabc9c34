package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import io.firn.IdGenerator;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testservers.PostgresServer;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.jdbc.AutoSave;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Scopes that are checked in the application's own database. */
final class GuardedCommitsTest {

  private static final String GUARD = "firn.namespaces.orders.commit-guard=true";
  private static final String SCOPES = "firn.namespaces.orders.transaction-scopes=true";

  private static PostgresServer server;

  @BeforeAll
  static void start() {
    server = PostgresServer.start();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static DataSource postgres() {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(server.jdbcUrl());
    return source;
  }

  private static ApplicationContextRunner with(DataSource source, String... properties) {
    return Applications.bare()
        .withBean(DataSource.class, () -> source)
        .withBean(PlatformTransactionManager.class, () -> new DataSourceTransactionManager(source))
        .withPropertyValues(properties);
  }

  /** As {@code firn.store} names the table of registers. */
  private static void assertGuarded(String store) {
    DataSource source = postgres();
    with(source, GUARD, SCOPES, "firn.store=" + store)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              JdbcTemplate jdbc = new JdbcTemplate(source);
              jdbc.execute("CREATE TABLE IF NOT EXISTS outbox (id BIGINT PRIMARY KEY)");
              Namespace orders = Namespace.of(context.getBean(RegisterStore.class), "orders");
              long worker =
                  orders.workers().stream()
                      .filter(WorkerEntry::held)
                      .findFirst()
                      .orElseThrow()
                      .worker();
              new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                  .executeWithoutResult(
                      unused -> {
                        long id = context.getBean(IdGenerator.class).nextId();
                        jdbc.update("INSERT INTO outbox VALUES (?)", id);
                        TransactionSynchronizationManager.registerSynchronization(
                            new TransactionSynchronization() {
                              @Override
                              public void beforeCommit(boolean readOnly) {
                                assertThatThrownBy(() -> orders.release(worker))
                                    .isInstanceOf(StoreException.class)
                                    .hasMessageContaining("a transaction that is about to commit");
                              }
                            });
                      });
              assertThat(jdbc.queryForList("SELECT id FROM outbox", Long.class)).hasSize(1);
              jdbc.execute("DROP TABLE outbox");
              orders.release(worker);
            });
  }

  @Test
  void nobodyIsDeclaredDeadWhileATransactionCommits() {
    assertGuarded("datasource:?timeout=3s");
  }

  @Test
  void guardIsInTheTableOfTheStore() {
    assertGuarded("datasource:?timeout=3s&table=other_register");
  }

  /** The first guard is written by the store, which takes a connection of the same pool. */
  @Test
  void guardOpensInAPoolOfOneConnection() {
    HikariDataSource pool = new HikariDataSource();
    pool.setJdbcUrl(server.jdbcUrl());
    pool.setMaximumPoolSize(1);
    pool.setConnectionTimeout(2_000);
    try (pool) {
      with(pool, GUARD, SCOPES, "firn.acquire-timeout=3s")
          .run(
              context -> {
                assertThat(context).hasNotFailed();
                new TransactionTemplate(context.getBean(PlatformTransactionManager.class))
                    .executeWithoutResult(
                        unused ->
                            assertThat(context.getBean(IdGenerator.class).nextId()).isPositive());
              });
    }
  }

  /**
   * Where an error leaves the transaction open, as in MariaDB, and here with savepoints of the
   * driver: the pool's connection must not commit it when it commits each statement again.
   */
  @Test
  void transactionWhoseGuardCannotBeLockedIsRolledBack() {
    PGSimpleDataSource source = (PGSimpleDataSource) postgres();
    source.setAutosave(AutoSave.ALWAYS);
    with(source, GUARD, SCOPES)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              JdbcTemplate jdbc = new JdbcTemplate(source);
              jdbc.execute("CREATE TABLE refused (id BIGINT PRIMARY KEY)");
              TransactionTemplate transaction =
                  new TransactionTemplate(context.getBean(PlatformTransactionManager.class));
              try (Connection other = source.getConnection();
                  Statement locking = other.createStatement()) {
                other.setAutoCommit(false);
                locking.execute("SELECT FROM firn_register WHERE name LIKE '%/guard/%' FOR UPDATE");
                assertThatThrownBy(
                        () ->
                            transaction.executeWithoutResult(
                                unused -> {
                                  long id = context.getBean(IdGenerator.class).nextId();
                                  jdbc.update("INSERT INTO refused VALUES (?)", id);
                                  jdbc.execute("SET LOCAL lock_timeout = '50ms'");
                                }))
                    .hasMessageStartingWith("The database refused the guard of commits: ");
                other.rollback();
              }
              assertThat(jdbc.queryForList("SELECT id FROM refused", Long.class)).isEmpty();
            });
  }

  @Test
  void transactionOfAnotherDatabaseIsRefused() {
    DataSource other = new JdbcDataSource();
    ((JdbcDataSource) other).setURL("jdbc:h2:mem:other");
    TransactionTemplate transaction =
        new TransactionTemplate(new DataSourceTransactionManager(other));
    with(postgres(), GUARD, SCOPES)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              assertThatThrownBy(
                      () ->
                          transaction.executeWithoutResult(
                              status -> {
                                long unused = context.getBean(IdGenerator.class).nextId();
                              }))
                  .isInstanceOf(IllegalStateException.class)
                  .hasMessage(
                      "The transaction has no connection of the application's DataSource, which"
                          + " commit-guard needs; run it with a transaction manager of that"
                          + " DataSource, or switch commit-guard off");
            });
  }

  /** Of a second transaction manager, for another database. */
  @Test
  void transactionWithinOneOfTheDatabaseIsGuardedByThatOne() {
    JdbcDataSource other = new JdbcDataSource();
    other.setURL("jdbc:h2:mem:within;DB_CLOSE_DELAY=-1");
    JdbcTemplate rows = new JdbcTemplate(other);
    rows.execute("CREATE TABLE within (id BIGINT PRIMARY KEY)");
    with(postgres(), GUARD, SCOPES)
        .withBean("second", DataSourceTransactionManager.class, other)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              IdGenerator ids = context.getBean(IdGenerator.class);
              TransactionTemplate first = new TransactionTemplate(firstManager(context));
              TransactionTemplate second =
                  new TransactionTemplate(
                      context.getBean("second", PlatformTransactionManager.class));
              first.executeWithoutResult(
                  unused -> {
                    long before = ids.nextId();
                    second.executeWithoutResult(
                        inner -> rows.update("INSERT INTO within VALUES (?)", ids.nextId()));
                    assertGuardIsLocked("orders");
                    assertThat(ids.nextId()).isGreaterThan(before);
                  });
              assertThatThrownBy(
                      () ->
                          second.executeWithoutResult(
                              unused -> {
                                rows.update("INSERT INTO within VALUES (?)", ids.nextId());
                                first.executeWithoutResult(
                                    inner -> assertThat(ids.nextId()).isPositive());
                              }))
                  .hasMessageStartingWith("The transaction has no connection of the application's");
              assertThat(TransactionSynchronizationManager.getResourceMap()).isEmpty();
              assertThat(rows.queryForList("SELECT id FROM within", Long.class)).hasSize(1);
            });
  }

  /** PostgreSQL frees the locks that were taken since the savepoint. */
  @Test
  void rollingBackToASavepointAfterTheCheckDoesNotEndTheGuard() {
    String items = "firn.namespaces.items.";
    with(postgres(), GUARD, SCOPES, items + "commit-guard=true", items + "transaction-scopes=true")
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              IdGenerator first = context.getBean("ordersIds", IdGenerator.class);
              IdGenerator second = context.getBean("itemsIds", IdGenerator.class);
              PlatformTransactionManager manager =
                  context.getBean(PlatformTransactionManager.class);
              TransactionTemplate nested = new TransactionTemplate(manager);
              nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
              new TransactionTemplate(manager)
                  .executeWithoutResult(
                      unused -> {
                        assertThat(first.nextId()).isPositive();
                        TransactionSynchronizationManager.registerSynchronization(
                            new TransactionSynchronization() {
                              @Override
                              public void beforeCommit(boolean readOnly) {
                                nested.executeWithoutResult(
                                    status -> {
                                      assertThat(second.nextId()).isPositive();
                                      status.setRollbackOnly();
                                    });
                                assertThat(second.nextId()).isPositive();
                                assertGuardIsLocked("items");
                              }
                            });
                      });
            });
  }

  private static void assertGuardIsLocked(String namespace) {
    JdbcTemplate other = new JdbcTemplate(postgres());
    String guards = "SELECT FROM firn_register WHERE name LIKE '" + namespace + "/guard/%'";
    assertThatThrownBy(() -> other.execute(guards + " FOR UPDATE NOWAIT"))
        .hasMessageContaining("could not obtain lock");
  }

  private static PlatformTransactionManager firstManager(ApplicationContext context) {
    return context.getBeansOfType(PlatformTransactionManager.class).entrySet().stream()
        .filter(manager -> !manager.getKey().equals("second"))
        .findFirst()
        .orElseThrow()
        .getValue();
  }

  @Test
  void databaseWithoutSuchLocksIsRefusedAtTheStart() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:guarded;DB_CLOSE_DELAY=-1");
    with(source, GUARD, SCOPES)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .cause()
                    .hasMessageStartingWith(
                        "namespace orders: database: H2 (expected: PostgreSQL, MariaDB or MySQL"));
  }

  @Test
  void rollbackThatFailsDoesNotHideWhyTheGuardIsRefused() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:unrolled;DB_CLOSE_DELAY=-1");
    with(withoutRollback(source), GUARD, SCOPES)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("database: H2 (expected: PostgreSQL, MariaDB or MySQL")
                    .satisfies(
                        e ->
                            assertThat(e.getSuppressed())
                                .singleElement()
                                .extracting(Throwable::getMessage)
                                .isEqualTo("connection lost")));
  }

  private static DataSource withoutRollback(DataSource source) {
    return new DelegatingDataSource(source) {
      @Override
      public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        InvocationHandler handler =
            (proxy, method, arguments) -> {
              if (method.getName().equals("rollback")) {
                throw new SQLException("connection lost");
              }
              try {
                return method.invoke(connection, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            };
        return (Connection)
            Proxy.newProxyInstance(
                GuardedCommitsTest.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                handler);
      }
    };
  }

  @Test
  void registersInAnotherDatabaseAreRefusedAtTheStart() {
    with(postgres(), GUARD, SCOPES, "firn.store=memory:")
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .cause()
                    .hasMessageContaining("namespace orders: ")
                    .hasMessageContaining("guard"));
  }

  @Test
  void guardWithoutScopesOrWithoutADatabaseIsRefused() {
    with(postgres(), GUARD)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessage("commit-guard: true (expected: transaction-scopes too)"));
    Applications.withStore(GUARD, SCOPES)
        .run(
            context ->
                assertThat(context)
                    .getFailure()
                    .rootCause()
                    .hasMessageStartingWith("commit-guard: true (expected: firn-jdbc, and one"));
  }
}
