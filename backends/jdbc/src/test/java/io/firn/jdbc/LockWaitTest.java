package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.TestThreads;
import io.firn.time.TimeSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Tests of calls that wait for the locks of others. Each has a table of its own, and waits most of
 * the time.
 */
@Timeout(300)
@Execution(ExecutionMode.CONCURRENT)
class LockWaitTest {

  private final String table = TestDatabase.newTable();

  @BeforeAll
  static void warmUp() {
    TimedCalls.warmUp();
  }

  private RegisterStore open(String url) {
    return TimedCalls.open(url, TimedCalls.TIMEOUT, table);
  }

  /** As a migration does it, or an operator who has forgotten to commit. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void writeThatWaitsForAnothersLockIsRefusedForCertainInTime(TestDatabase database)
      throws Exception {
    try (RegisterStore store = open(database.url())) {
      long version = store.compareAndSet("a", 0, "one").version();
      try (Connection other = DriverManager.getConnection(database.url());
          Statement statement = other.createStatement()) {
        other.setAutoCommit(false);
        statement.executeUpdate("UPDATE " + table + " SET value = 'theirs'");
        assertThatThrownBy(() -> TimedCalls.inTime(() -> store.compareAndSet("a", version, "two")))
            .isInstanceOf(StoreException.class)
            .hasMessageMatching("Store .* failed after .*[Ll]ock .*timeout.*");
        assertThat(TimedCalls.inTime(() -> store.read("a")))
            .get()
            .extracting(Register::value)
            .isEqualTo("one");
        other.rollback();
      }
      assertThat(store.read("a")).contains(new Register("a", version, "one"));
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  /** Or each attempt would use up one more of the server's connections. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void noStatementWaitsForALockAfterItsCall(TestDatabase database) throws Exception {
    try (RegisterStore store = open(database.url());
        RegisterStore bound = open(database.url());
        Connection other = DriverManager.getConnection(database.url());
        Statement statement = other.createStatement()) {
      long version = store.compareAndSet("a", 0, "one").version();
      Binding binding = new Binding(identity(store), "a", version);
      other.setAutoCommit(false);
      statement.executeQuery(
          "SELECT * FROM "
              + table
              + (database == TestDatabase.POSTGRES ? " FOR UPDATE" : " LOCK IN SHARE MODE"));
      for (int i = 0; i < 2; i++) {
        assertNotApplied(() -> store.compareAndSet("a", version, "two"));
        assertNotApplied(() -> store.compareAndSet("a", version, "two", binding));
      }
      assertNotApplied(() -> bound.compareAndSet("a", version, "two", binding));
      assertThat(database.waitsForLocks(table)).isEqualTo("0");
      other.rollback();
    }
  }

  /** As a migration takes it. The server would keep each call that waits on, as a connection. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void noCallWaitsForTheLockOfATableAfterItsEnd(TestDatabase database) throws Exception {
    try (RegisterStore store = open(database.url());
        RegisterStore pooled =
            JdbcRegisterStore.builder(database.source())
                .table(table)
                .timeout(TimedCalls.TIMEOUT)
                .build();
        RegisterStore late = open(database.url());
        Connection other = DriverManager.getConnection(database.url());
        Statement statement = other.createStatement()) {
      long version = store.compareAndSet("a", 0, "one").version();
      Binding binding = new Binding(identity(store), "a", version);
      pooled.read("a");
      other.setAutoCommit(false);
      statement.execute(
          database == TestDatabase.POSTGRES
              ? "LOCK TABLE " + table + " IN ACCESS EXCLUSIVE MODE"
              : "LOCK TABLES " + table + " WRITE");
      TestThreads callers = new TestThreads(); // each waits most of the time
      for (RegisterStore each : List.of(store, pooled)) {
        callers.start(
            () -> {
              assertLocked(() -> each.read("a"));
              assertLocked(() -> each.scan("a"));
              assertLocked(() -> each.snapshot(List.of("a")));
              assertLocked(() -> each.compareAndSet("a", version, "two"));
              assertLocked(() -> each.compareAndSet("b", 0, "one"));
              assertLocked(() -> each.compareAndSet("b", 0, "one", binding));
            });
      }
      callers.start(() -> assertLocked(() -> late.read("a")));
      callers.join();
      assertThat(database.waitsForTable(table)).isEqualTo("0");
      other.rollback();
      statement.execute(database == TestDatabase.POSTGRES ? "SELECT 1" : "UNLOCK TABLES");
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  /** Of which one is not committed. */
  @Test
  void noCreationOfTheTableWaitsForAnotherAfterItsCall() throws Exception {
    TestDatabase database = TestDatabase.POSTGRES;
    try (RegisterStore store = open(database.url());
        Connection other = DriverManager.getConnection(database.url());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.execute(Dialect.POSTGRESQL.ddl(table));
      assertLocked(() -> store.read("a"));
      assertThat(database.waitsForTable(table)).isEqualTo("0");
      other.rollback();
      assertThat(store.read("a")).isEmpty();
    }
  }

  /** MariaDB grants no shared lock while another session waits for the exclusive one. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void boundWriteGoesOnAfterAWriteOfItsBindingThatHadToWait(TestDatabase database)
      throws Exception {
    try (RegisterStore changer = open(database.url());
        RegisterStore renewer = TimedCalls.open(database.url(), Duration.ofSeconds(8), table);
        Connection other = DriverManager.getConnection(database.url());
        Statement statement = other.createStatement()) {
      long mark = renewer.compareAndSet("mark", 0, "one").version();
      Binding binding = new Binding(identity(renewer), "mark", mark);
      other.setAutoCommit(false);
      statement.executeQuery(
          "SELECT * FROM "
              + table
              + " WHERE name = 'mark'"
              + (database == TestDatabase.POSTGRES ? " FOR SHARE" : " LOCK IN SHARE MODE"));
      FutureTask<?> change =
          new FutureTask<>(
              () -> {
                assertNotApplied(() -> changer.compareAndSet("mark", mark, "two"));
                return null;
              });
      new Thread(change).start();
      while (database.waitsForLocks(table).equals("0") && !change.isDone()) {
        Thread.sleep(200); // MariaDB shows a change only to who has not asked for 100 ms
      }
      assertThat(renewer.compareAndSet("worker", 0, "x", binding).outcome())
          .isEqualTo(Outcome.APPLIED);
      change.get();
      other.rollback();
    }
  }

  /** A process that is stopped between two statements. */
  @Test
  void lockOfATransactionThatDoesNotGoOnEnds() throws Exception {
    TestDatabase database = TestDatabase.POSTGRES;
    try (RegisterStore store = open(database.url())) {
      long mark = store.compareAndSet("mark", 0, "one").version();
      Binding binding = new Binding(identity(store), "mark", mark);
      RegisterTable registers = new RegisterTable(Dialect.POSTGRESQL, table);
      StoreCall call = new StoreCall("stopped", Duration.ofSeconds(30));
      try (Borrowed stopped =
          new Borrowed(ConnectionSource.of(database.source()), call, () -> call)) {
        stopped.arrange();
        stopped.limitLocks(Dialect.POSTGRESQL, 1_000);
        assertThatThrownBy(
                () ->
                    stopped.inTransaction(
                        () -> {
                          assertThat(stopped.ask(registers.holds(binding))).isTrue();
                          TimeSource.system().parkNanos(Duration.ofSeconds(2).toNanos());
                          assertThat(store.compareAndSet("mark", mark, "two").outcome())
                              .isEqualTo(Outcome.APPLIED);
                          return stopped.ask(registers.compareAndSet("worker", 0, "x"));
                        }))
            .isInstanceOf(SQLException.class);
      }
      assertThat(store.read("worker")).isEmpty();
    }
  }

  private static void assertLocked(Callable<?> call) {
    assertThatThrownBy(() -> TimedCalls.inTime(call))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching("Store .* failed after .*[Ll]ock .*timeout.*");
  }

  private static void assertNotApplied(Callable<WriteResult> write) throws Exception {
    try {
      assertThat(TimedCalls.inTime(write)).isEqualTo(WriteResult.UNKNOWN);
    } catch (StoreException e) {
      assertThat(e).hasMessageContaining(" failed after ");
    }
  }

  private static String identity(RegisterStore store) {
    return store.snapshot(List.of()).orElseThrow().identity();
  }
}
