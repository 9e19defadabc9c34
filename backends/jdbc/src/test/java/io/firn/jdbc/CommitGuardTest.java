package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.store.LockedRead;
import io.firn.store.RegisterStore;
import io.firn.testkit.SwitchedStore;
import io.firn.testkit.TestThreads;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A process that is stopped between the check of a scope and its commit. */
class CommitGuardTest {

  private static final Duration WINDOW = Duration.ofSeconds(4);

  @Test
  void commitOfAProcessThatWasStoppedAfterItsCheckIsNotMissed() throws Exception {
    stopAfterCheck(true);
  }

  /**
   * Without the guard, the rows of the transactions that were held are missed. In the large size
   * only: it waits for the end of a window and its grace, 7 s or more.
   */
  @Test
  @EnabledIf("io.firn.testkit.Sizes#isDeep")
  void commitWithoutAGuardIsMissed() throws Exception {
    stopAfterCheck(false);
  }

  /** In all databases together, because a test waits for the ends of leases most of the time. */
  private static void stopAfterCheck(boolean guarded) throws InterruptedException {
    TestThreads threads = new TestThreads();
    for (TestDatabase database : TestDatabase.values()) {
      threads.start(() -> stopAfterCheck(database, guarded));
    }
    threads.join();
  }

  private static void stopAfterCheck(TestDatabase database, boolean guarded) throws Exception {
    String url = database.url();
    OutboxProcess.Settings settings = new OutboxProcess.Settings(WINDOW, 0, 20, 4, 10, 10, guarded);
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        RegisterStore store = RegisterStore.open(OutboxProcess.withTimeout(url))) {
      OutboxProcess.createTable(database, statement);
      Watermark watermark =
          Watermark.builder(store, OutboxProcess.NAMESPACE).grace(OutboxProcess.GRACE).build();
      Namespace namespace = Namespace.of(store, OutboxProcess.NAMESPACE);
      try (OutboxProcess writer = new OutboxProcess(url, settings)) {
        var unused = watermark.current();
        OutboxProcess.await(() -> rows(statement, Long.MAX_VALUE) > 100);
        writer.ask("hold", "held");
        writer.signal("STOP");
        awaitDeath(writer, watermark, namespace, guarded);
        long safe = watermark.current().id();
        long read = rows(statement, safe);
        writer.signal("CONT");
        writer.say("resume");
        System.out.println(writer.end());
        long missed = rows(statement, safe) - read;
        System.out.println(
            database + ", stopped after the check, guarded " + guarded + ": missed " + missed);
        if (guarded) {
          assertThat(missed).isZero();
          assertThat(rows(statement, Long.MAX_VALUE)).isGreaterThan(read); // it was committed
        } else {
          assertThat(missed).isPositive();
        }
      }
      long newest = newest(statement);
      OutboxProcess.await(() -> watermark.current().id() >= newest);
      statement.execute("DROP TABLE outbox");
    }
  }

  /** Waits until readers take the process for dead, or would without its guard. */
  private static void awaitDeath(
      OutboxProcess writer, Watermark watermark, Namespace namespace, boolean guarded)
      throws InterruptedException {
    Instant end = Instant.now().plus(WINDOW.plus(OutboxProcess.GRACE).plusSeconds(2));
    OutboxProcess.await(
        () -> {
          var unused = watermark.current();
          return guarded ? Instant.now().isAfter(end) : !writer.isHeld(namespace);
        });
    assertThat(writer.isHeld(namespace)).isEqualTo(guarded);
  }

  @ParameterizedTest
  @EnumSource
  void commitOfAHolderThatWasReleasedIsRefused(TestDatabase database) throws Exception {
    String table = TestDatabase.newTable();
    CommitGuard guard = CommitGuard.ofTable(table);
    try (RegisterStore store = database.open("timeout=3s&table=" + table);
        Connection connection = DriverManager.getConnection(database.url());
        Snowflake orders = Snowflake.builder().lease(lease(store)).build()) {
      connection.setAutoCommit(false);
      Namespace namespace = Namespace.of(store, "orders");
      try (IdScope scope = orders.scope()) {
        long unused = scope.nextId();
        scope.beforeCommit(guard.on(connection));
        connection.commit();
      }
      try (IdScope scope = orders.scope()) {
        long unused = scope.nextId();
        namespace.release(namespace.workers().get(0).worker());
        assertThatThrownBy(() -> scope.beforeCommit(guard.on(connection)))
            .isInstanceOf(ScopeExpiredException.class);
        connection.rollback();
      }
      commitAnew(orders, guard, connection);
    } finally {
      database.execute("DROP TABLE " + table);
    }
  }

  /** The holder notices that it was released, and leases another worker ID. */
  private static void commitAnew(Snowflake orders, CommitGuard guard, Connection connection)
      throws Exception {
    OutboxProcess.await(
        () -> {
          try (IdScope scope = orders.scope()) {
            long unused = scope.nextId();
            scope.beforeCommit(guard.on(connection));
            connection.commit();
            return true;
          } catch (ScopeExpiredException e) {
            return false;
          } catch (SQLException e) {
            throw new IllegalStateException(e);
          }
        });
  }

  @Test
  void guardIsRefusedWhereItWouldNotHold() throws Exception {
    try (SwitchedStore store = new SwitchedStore();
        Snowflake orders = Snowflake.builder().lease(lease(store)).build();
        IdScope scope = orders.scope()) {
      CommitGuard guard = CommitGuard.create();
      try (Connection connection = DriverManager.getConnection("jdbc:h2:mem:guard")) {
        assertThatThrownBy(() -> scope.beforeCommit(guard.on(connection)))
            .isInstanceOf(IllegalStateException.class)
            .hasMessage(
                "The connection commits each statement; call setAutoCommit(false) before the first row");
        connection.setAutoCommit(false);
        assertThatThrownBy(() -> scope.beforeCommit(guard.on(connection)))
            .isInstanceOf(UnsupportedOperationException.class)
            .hasMessage(
                "database: H2 (expected: PostgreSQL, MariaDB or MySQL, whose locks last until the"
                    + " commit)");
      }
      TestDatabase.POSTGRES.execute(JdbcRegisterStore.ddl("postgresql", "another_register"));
      try (Connection connection = DriverManager.getConnection(TestDatabase.POSTGRES.url())) {
        connection.setAutoCommit(false);
        assertThatThrownBy(
                () -> scope.beforeCommit(CommitGuard.ofTable("another_register").on(connection)))
            .isInstanceOf(ScopeExpiredException.class)
            .hasMessageContaining("its guard is not in the database of its rows");
      } finally {
        TestDatabase.POSTGRES.execute("DROP TABLE another_register");
      }
    }
  }

  @Test
  void guardIsRefusedOnceTheConnectionCommitsEachStatement() throws Exception {
    try (SwitchedStore store = new SwitchedStore();
        Snowflake orders = Snowflake.builder().lease(lease(store)).build();
        IdScope scope = orders.scope();
        Connection connection = DriverManager.getConnection(TestDatabase.POSTGRES.url())) {
      connection.setAutoCommit(false);
      LockedRead<SQLException> guard = CommitGuard.create().on(connection);
      connection.setAutoCommit(true);
      assertThatThrownBy(() -> scope.beforeCommit(guard))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage(
              "The connection commits each statement; call setAutoCommit(false) before the first row");
    }
  }

  /** A check elsewhere fails; others go on meanwhile, also while a transaction holds the guard. */
  @ParameterizedTest
  @EnumSource
  void checkInAnotherTableDisturbsNoOtherTransaction(TestDatabase database) throws Exception {
    String table = TestDatabase.newTable();
    String other = TestDatabase.newTable();
    CommitGuard guard = CommitGuard.ofTable(table);
    try (RegisterStore store = database.open("timeout=3s&table=" + table);
        RegisterStore elsewhere = database.open("table=" + other);
        Connection held = DriverManager.getConnection(database.url());
        Connection connection = DriverManager.getConnection(database.url());
        Snowflake orders = Snowflake.builder().lease(lease(store)).build();
        IdScope first = orders.scope();
        IdScope second = orders.scope();
        IdScope third = orders.scope()) {
      assertThat(elsewhere.read("a")).isEmpty(); // makes its table
      held.setAutoCommit(false);
      connection.setAutoCommit(false);
      first.beforeCommit(guard.on(held));
      assertThatThrownBy(() -> second.beforeCommit(CommitGuard.ofTable(other).on(connection)))
          .isInstanceOf(ScopeExpiredException.class);
      connection.rollback();

      third.beforeCommit(guard.on(connection)); // does not wait for the first

      connection.commit();
      held.commit();
    } finally {
      database.execute("DROP TABLE " + table, "DROP TABLE " + other);
    }
  }

  private static LeaseConfig lease(RegisterStore store) {
    return LeaseConfig.builder(store, "orders").window(Duration.ofMinutes(2)).build();
  }

  private static long rows(Statement statement, long upTo) {
    return number(statement, "SELECT count(*) FROM outbox WHERE id <= " + upTo);
  }

  private static long newest(Statement statement) {
    return number(statement, "SELECT max(id) FROM outbox");
  }

  private static long number(Statement statement, String query) {
    try (ResultSet rows = statement.executeQuery(query)) {
      rows.next();
      return rows.getLong(1);
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }
}
