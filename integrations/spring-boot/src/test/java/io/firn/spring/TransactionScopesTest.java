package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdGenerator;
import io.firn.ScopeExpiredException;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.lease.WorkerEntry;
import io.firn.testkit.SwitchedStore;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A scope per transaction, without code. */
final class TransactionScopesTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final SwitchedStore store = new SwitchedStore();
  private final JdbcDataSource source = new JdbcDataSource();
  private final DataSource connections = failing(source);
  private final PlatformTransactionManager transactions =
      new DataSourceTransactionManager(connections);
  private boolean failCommits;
  private Exception commitFailure = new SQLException("timed out");
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transaction;

  TransactionScopesTest() {
    source.setURL("jdbc:h2:mem:scopes" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1");
    jdbc = new JdbcTemplate(connections);
    jdbc.execute("CREATE TABLE outbox (id BIGINT PRIMARY KEY)");
    transaction = new TransactionTemplate(transactions);
  }

  private void run(BiConsumer<IdGenerator, Watermark> test) {
    run("2s", test);
  }

  private void run(String window, BiConsumer<IdGenerator, Watermark> test) {
    Applications.withStore(store)
        .withBean(PlatformTransactionManager.class, () -> transactions)
        .withPropertyValues(
            "firn.namespaces.orders.transaction-scopes=true", "firn.window=" + window)
        .run(
            context -> {
              assertThat(context).hasNotFailed();
              test.accept(
                  context.getBean(IdGenerator.class), Watermark.builder(store, "orders").build());
            });
  }

  private void insert(long id) {
    jdbc.update("INSERT INTO outbox VALUES (?)", id);
  }

  private long rows() {
    return jdbc.queryForObject("SELECT COUNT(*) FROM outbox", Long.class);
  }

  @Test
  void watermarkStaysBelowTheIdsOfATransactionUntilItIsCommitted() {
    run(
        (orders, watermark) -> {
          long[] ids = new long[2];
          transaction.executeWithoutResult(
              unused -> {
                ids[0] = orders.nextId();
                insert(ids[0]);
                orders.nextIds(ids, 1, 2);
                insert(ids[1]);
                assertThat(watermark.current().id()).isLessThan(ids[0]);
              });
          awaitPast(ids[1], watermark);
          assertThat(rows()).isEqualTo(2);
        });
  }

  private static void awaitPast(long id, Watermark watermark) {
    long end = System.nanoTime() + 60_000_000_000L;
    while (watermark.current().id() < id && System.nanoTime() < end) {
      Thread.onSpinWait();
    }
    assertThat(watermark.current().id()).isGreaterThanOrEqualTo(id);
  }

  @Test
  void transactionWhoseScopeWasGivenUpIsRolledBack() {
    run(
        (orders, watermark) -> {
          assertThatThrownBy(
                  () ->
                      transaction.executeWithoutResult(
                          unused -> {
                            insert(orders.nextId());
                            Namespace namespace = Namespace.of(store, "orders");
                            namespace.release(namespace.workers().get(0).worker());
                            sleep(2_500); // past the limit, a window
                          }))
              .isInstanceOf(ScopeExpiredException.class);
          assertThat(rows()).isZero();
        });
  }

  @Test
  void innerTransactionHasAScopeOfItsOwn() {
    run(
        (orders, watermark) ->
            transaction.executeWithoutResult(
                outer -> {
                  long first = orders.nextId();
                  TransactionTemplate inner = new TransactionTemplate(transactions);
                  inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                  inner.executeWithoutResult(unused -> insert(orders.nextId()));
                  insert(orders.nextId());
                  assertThat(watermark.current().id()).isLessThan(first);
                }));
    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void firstIdThatIsDrawnByAListenerBeforeTheCommitIsChecked() {
    run(
        "6s",
        (orders, watermark) -> {
          assertThatThrownBy(
                  () ->
                      transaction.executeWithoutResult(
                          unused ->
                              TransactionSynchronizationManager.registerSynchronization(
                                  new TransactionSynchronization() {
                                    @Override
                                    public void beforeCommit(boolean readOnly) {
                                      insert(orders.nextId());
                                      loseLease();
                                    }
                                  })))
              .isInstanceOf(ScopeExpiredException.class);
          assertThat(rows()).isZero();
        });
  }

  /** The connection is still there, and whatever closes it may commit the row. */
  @Test
  void idAfterTheCommitIsRefused() {
    run(
        (orders, watermark) ->
            assertThatThrownBy(
                    () ->
                        transaction.executeWithoutResult(
                            unused ->
                                TransactionSynchronizationManager.registerSynchronization(
                                    new TransactionSynchronization() {
                                      @Override
                                      public void afterCommit() {
                                        insert(orders.nextId());
                                      }
                                    })))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining(" was requested in a transaction that is committed; "));
    assertThat(rows()).isZero();
  }

  @Test
  void transactionAfterTheCommitOfAnotherHasAScopeOfItsOwn() {
    TransactionTemplate inner = new TransactionTemplate(transactions);
    inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
    run(
        (orders, watermark) ->
            transaction.executeWithoutResult(
                unused -> {
                  insert(orders.nextId());
                  TransactionSynchronizationManager.registerSynchronization(
                      new TransactionSynchronization() {
                        @Override
                        public void afterCommit() {
                          inner.executeWithoutResult(own -> insert(orders.nextId()));
                        }
                      });
                }));
    assertThat(rows()).isEqualTo(2);
    transaction.executeWithoutResult(
        unused -> assertThat(TransactionSynchronizationManager.getResourceMap()).hasSize(1));
  }

  @Test
  void rollingBackToASavepointChecksNothing() {
    TransactionTemplate nested = new TransactionTemplate(transactions);
    nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
    run(
        (orders, watermark) ->
            transaction.executeWithoutResult(
                unused -> {
                  insert(orders.nextId());
                  nested.executeWithoutResult(own -> insert(orders.nextId()));
                  nested.executeWithoutResult(
                      own -> {
                        insert(orders.nextId());
                        own.setRollbackOnly();
                      });
                  assertThat(TransactionSynchronizationManager.getResourceMap().toString())
                      .contains(", OPEN]");
                }));
    assertThat(rows()).isEqualTo(2);
  }

  /**
   * The database may have received the commit, and apply it later. Spring says of an unchecked
   * failure that the transaction was rolled back.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void watermarkStaysBelowTheIdsOfACommitThatFailed(boolean unchecked) {
    if (unchecked) {
      commitFailure = new IllegalStateException("timed out");
    }
    long[] id = new long[1];
    run(
        (orders, watermark) -> {
          awaitPast(transaction.execute(unused -> orders.nextId()), watermark); // it moves on now
          TransactionTemplate failing = new TransactionTemplate(transactions);
          failCommits = true;
          assertThatThrownBy(
                  () ->
                      failing.executeWithoutResult(
                          unused -> {
                            id[0] = orders.nextId();
                            insert(id[0]);
                          }))
              .hasStackTraceContaining("timed out");
          failCommits = false;
          long end = System.nanoTime() + 3_000_000_000L; // renewals are a second apart
          while (System.nanoTime() < end) {
            assertThat(watermark.current().id()).isLessThan(id[0]);
            sleep(50);
          }
        });
  }

  /** Returns connections whose commits fail when this test says so. */
  private DataSource failing(DataSource source) {
    return new DelegatingDataSource(source) {
      @Override
      public Connection getConnection() throws SQLException {
        Connection connection = super.getConnection();
        return (Connection)
            Proxy.newProxyInstance(
                Connection.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                (proxy, method, arguments) -> {
                  if (failCommits && method.getName().equals("commit")) {
                    throw commitFailure;
                  }
                  return method.invoke(connection, arguments);
                });
      }
    };
  }

  private void loseLease() {
    Namespace namespace = Namespace.of(store, "orders");
    namespace.release(namespace.workers().get(0).worker());
    while (namespace.workers().stream().noneMatch(WorkerEntry::held)) {
      sleep(10);
    }
  }

  @Test
  void idOutsideOfTransactionsIsRefused() {
    run(
        (orders, watermark) ->
            assertThatThrownBy(orders::nextId)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                    "An ID of namespace orders, which has transaction-scopes, was requested outside of"
                        + " a transaction; request it in an active one, because readers of the"
                        + " watermark would miss the row"));
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void managerMayHaveAListOfListenersThatCannotBeChanged() {
    TransactionExecutionListener own = new TransactionExecutionListener() {};
    ((DataSourceTransactionManager) transactions).setTransactionExecutionListeners(List.of(own));

    run(
        (orders, watermark) ->
            assertThat(
                    ((DataSourceTransactionManager) transactions)
                        .getTransactionExecutionListeners())
                .hasSize(2)
                .contains(own));
  }

  /** As a listener after the commit that calls a service: its row is committed with the cleanup. */
  @Test
  void idOfAServiceThatIsCalledAfterTheEndIsRefusedUnlessItsTransactionIsNew() {
    for (boolean rollback : new boolean[] {false, true}) {
      run(
          (orders, watermark) -> {
            TransactionTemplate anew = new TransactionTemplate(transactions);
            anew.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            List<Boolean> refused = new ArrayList<>();
            transaction.executeWithoutResult(
                status -> {
                  insert(orders.nextId());
                  if (rollback) {
                    status.setRollbackOnly();
                  }
                  TransactionSynchronizationManager.registerSynchronization(
                      new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int unused) {
                          refused.add(isRefused(transaction, orders));
                          refused.add(isRefused(anew, orders));
                          refused.add(isRefused(transaction, orders));
                        }
                      });
                });
            refused.add(isRefused(transaction, orders));
            assertThat(refused).containsExactly(true, false, true, false);
          });
    }
  }

  private boolean isRefused(TransactionTemplate service, IdGenerator orders) {
    try {
      service.executeWithoutResult(unused -> insert(orders.nextId()));
      return false;
    } catch (IllegalStateException e) {
      assertThat(e).hasMessageContaining(" was requested in a transaction that has ended; ");
      return true;
    }
  }
}
