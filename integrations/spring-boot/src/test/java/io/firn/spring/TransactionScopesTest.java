package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdGenerator;
import io.firn.ScopeExpiredException;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.testkit.SwitchedStore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** A scope per transaction, without code. */
final class TransactionScopesTest {

  private static final AtomicInteger DATABASES = new AtomicInteger();

  private final SwitchedStore store = new SwitchedStore();
  private final JdbcDataSource source = new JdbcDataSource();
  private final JdbcTemplate jdbc;
  private final TransactionTemplate transaction;

  TransactionScopesTest() {
    source.setURL("jdbc:h2:mem:scopes" + DATABASES.incrementAndGet() + ";DB_CLOSE_DELAY=-1");
    jdbc = new JdbcTemplate(source);
    jdbc.execute("CREATE TABLE outbox (id BIGINT PRIMARY KEY)");
    transaction = new TransactionTemplate(new DataSourceTransactionManager(source));
  }

  private void run(BiConsumer<IdGenerator, Watermark> test) {
    Applications.withStore(store)
        .withPropertyValues("firn.namespaces.orders.transaction-scopes=true", "firn.window=2s")
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
          long end = System.nanoTime() + 60_000_000_000L;
          while (watermark.current().id() < ids[1] && System.nanoTime() < end) {
            Thread.onSpinWait();
          }
          assertThat(watermark.current().id()).isGreaterThanOrEqualTo(ids[1]);
          assertThat(rows()).isEqualTo(2);
        });
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
                  TransactionTemplate inner =
                      new TransactionTemplate(new DataSourceTransactionManager(source));
                  inner.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
                  inner.executeWithoutResult(unused -> insert(orders.nextId()));
                  insert(orders.nextId());
                  assertThat(watermark.current().id()).isLessThan(first);
                }));
    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void idOutsideOfTransactionsIsRefused() {
    run(
        (orders, watermark) ->
            assertThatThrownBy(orders::nextId)
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                    "transaction: none (expected: an active one, for an ID of namespace orders with"
                        + " transaction-scopes: readers of its watermark would miss the row)"));
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
