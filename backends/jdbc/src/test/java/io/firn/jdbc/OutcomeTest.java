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
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.TestThreads;
import io.firn.time.TimeSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests of the reported outcome of a write while the database or the network fails. */
@Timeout(300)
class OutcomeTest {

  private static final Duration TIMEOUT = Duration.ofSeconds(2);
  private static final Duration SLACK = Duration.ofSeconds(15);

  private final String table = TestDatabase.newTable();

  /** Starts the servers and loads the drivers, which takes longer than a call may. */
  @BeforeAll
  static void warmUp() {
    for (TestDatabase database : TestDatabase.values()) {
      try (RegisterStore store = database.open("timeout=20s")) {
        store.read("a");
      }
    }
  }

  private RegisterStore open(String url) {
    return open(url, TIMEOUT);
  }

  private RegisterStore open(String url, Duration timeout) {
    return RegisterStore.open(url + "&timeout=" + timeout.toSeconds() + "s&table=" + table);
  }

  /** Returns the result of a call, or throws its exception, within its time limit. */
  private static <T> T inTime(Callable<T> call) throws Exception {
    long begin = System.nanoTime();
    try {
      return call.call();
    } finally {
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(TIMEOUT.plus(SLACK));
    }
  }

  /** From the greeting of the server to the reply to the write. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void outcomeIsTrueWhereverTheFirstExchangeIsCut(TestDatabase database) throws Exception {
    try (RegisterStore witness = database.open("table=" + table);
        CuttingProxy proxy = CuttingProxy.to(database.server().address())) {
      long version = witness.compareAndSet("a", 0, "zero").version();
      List<Outcome> outcomes = new ArrayList<>();
      for (int replies = 0; proxy.cuts() == replies; replies++) {
        long expected = version;
        String value = "after " + replies;
        Outcome outcome = null;
        try (RegisterStore store = open(database.url(proxy.address()))) {
          proxy.cutReplyAfter(replies);
          outcome = inTime(() -> store.compareAndSet("a", expected, value)).outcome();
        } catch (StoreException e) {
          assertThat(e).hasMessageContaining(" failed after ");
        }
        Register now = witness.read("a").orElseThrow();
        assertThat(now.value().equals(value))
            .as("%s: %s", replies, outcome)
            .isEqualTo(outcome != null);
        version = now.version();
        outcomes.add(outcome);
      }
      int last = outcomes.size() - 1;
      assertThat(outcomes.get(last)).isEqualTo(Outcome.APPLIED); // nothing was left to be cut
      assertThat(outcomes.get(last - 1)).isEqualTo(Outcome.UNKNOWN);
      assertThat(outcomes.subList(0, last - 1))
          .contains((Outcome) null)
          .doesNotContain(Outcome.UNKNOWN);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void stoppedServerIsLeftAloneInTimeAndFoundAgain(TestDatabase database) throws Exception {
    try (RegisterStore store = open(database.url())) {
      long version = store.compareAndSet("a", 0, "one").version();
      database.server().pause();
      try {
        assertThat(inTime(() -> store.compareAndSet("a", version, "two")))
            .isEqualTo(WriteResult.UNKNOWN);
        assertThatThrownBy(() -> inTime(() -> store.compareAndSet("a", version, "three")))
            .isInstanceOf(StoreException.class);
      } finally {
        database.server().resume();
      }
      assertThat(store.read("a")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void unreachableDatabaseIsNamedWithoutSecretsAndComesBackByItself(TestDatabase database)
      throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address())) {
      String user = database.newUser("ALL");
      proxy.refuse();
      try (RegisterStore store = open(TestDatabase.as(user, database.url(proxy.address())))) {
        for (int i = 0; i < 2; i++) {
          assertThatThrownBy(() -> inTime(() -> store.compareAndSet("a", 0, "one")))
              .isInstanceOf(StoreException.class)
              .hasMessageStartingWith("Store " + store + " failed after ")
              .hasMessageMatching(".* ms: .*refused.*")
              .hasMessageNotContaining(TestDatabase.PASSWORD);
        }
        proxy.heal();
        assertThat(store.compareAndSet("a", 0, "one").outcome()).isEqualTo(Outcome.APPLIED);
      }
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void readOverADeadConnectionIsAskedAgain(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()))) {
      store.compareAndSet("a", 0, "one");
      proxy.refuse();
      proxy.heal();
      assertThat(store.read("a")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void writeAfterAPauseTriesTheConnectionBefore(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()), Duration.ofSeconds(5))) {
      long version = store.compareAndSet("a", 0, "one").version();
      proxy.refuse();
      proxy.heal();
      Thread.sleep(1_100);
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void writeIsOneRoundTrip(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()))) {
      long version = store.compareAndSet("a", 0, "one").version();
      long before = proxy.requests();
      version = store.compareAndSet("a", version, "two").version();
      assertThat(proxy.requests() - before).isEqualTo(1);
      store.compareAndSet("b", 0, "one");
      assertThat(proxy.requests() - before).isEqualTo(2);
      store.readAll(List.of("a", "b", "c"));
      assertThat(proxy.requests() - before).isEqualTo(3);
      store.scan("");
      assertThat(proxy.requests() - before).isEqualTo(4);
      store.currentTimeMillis();
      assertThat(proxy.requests() - before).isEqualTo(5);
      assertThat(store.read("a")).get().extracting(Register::version).isEqualTo(version);
    }
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
        assertThatThrownBy(() -> inTime(() -> store.compareAndSet("a", version, "two")))
            .isInstanceOf(StoreException.class)
            .hasMessageMatching("Store .* failed after .*[Ll]ock .*timeout.*");
        assertThat(inTime(() -> store.read("a")))
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
            JdbcRegisterStore.builder(database.source()).table(table).timeout(TIMEOUT).build();
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

  private static void assertLocked(Callable<?> call) {
    assertThatThrownBy(() -> inTime(call))
        .isInstanceOf(StoreException.class)
        .hasMessageMatching("Store .* failed after .*[Ll]ock .*timeout.*");
  }

  private static void assertNotApplied(Callable<WriteResult> write) throws Exception {
    try {
      assertThat(inTime(write)).isEqualTo(WriteResult.UNKNOWN);
    } catch (StoreException e) {
      assertThat(e).hasMessageContaining(" failed after ");
    }
  }

  private static String identity(RegisterStore store) {
    return store.snapshot(List.of()).orElseThrow().identity();
  }

  /** MariaDB grants no shared lock while another session waits for the exclusive one. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void boundWriteGoesOnAfterAWriteOfItsBindingThatHadToWait(TestDatabase database)
      throws Exception {
    try (RegisterStore changer = open(database.url());
        RegisterStore renewer = open(database.url(), Duration.ofSeconds(8));
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

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void threadsThatWaitForTheirTurnDoNotWaitLonger(TestDatabase database) throws Exception {
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address());
        RegisterStore store = open(database.url(proxy.address()))) {
      store.compareAndSet("a", 0, "one");
      proxy.stall();
      TestThreads callers = new TestThreads();
      for (int i = 0; i < 16; i++) { // one after another they would take 32 s
        callers.start(
            () ->
                assertThatThrownBy(() -> inTime(() -> store.read("a")))
                    .isInstanceOf(StoreException.class));
      }
      callers.join();
      proxy.heal();
      assertThat(store.read("a")).isPresent();
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void replicaRefusesAWriteForCertain(TestDatabase database) throws SQLException {
    String user = database.newUser("ALL");
    long version;
    try (RegisterStore store = open(database.url(user))) {
      version = store.compareAndSet("a", 0, "one").version();
    }
    database.setReadOnly(user, true);
    try (RegisterStore store = open(database.url(user))) {
      assertThat(store.read("a")).isPresent();
      assertThatThrownBy(() -> store.compareAndSet("a", version, "two"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("read-only");
      database.setReadOnly(user, false);
      assertThat(store.compareAndSet("a", version, "two").outcome()).isEqualTo(Outcome.APPLIED);
    } finally {
      database.setReadOnly(user, false);
    }
  }
}
