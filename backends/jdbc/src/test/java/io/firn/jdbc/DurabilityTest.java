package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.WriteResult;
import io.firn.testkit.TestThreads;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests of the settings with which a database keeps acknowledged writes. */
class DurabilityTest {

  private final String table = TestDatabase.newTable();

  @ParameterizedTest
  @CsvSource({"off, on", "local, on", "remote_write, on", "on, on", "remote_apply, remote_apply"})
  void commitsOfPostgresWaitForTheDiskWhateverTheSessionSays(String session, String expected)
      throws SQLException {
    TestDatabase database = TestDatabase.POSTGRES;
    String url = database.url() + "&options=-c%20synchronous_commit=" + session;
    try (RegisterStore store = RegisterStore.open(url + "&timeout=20s&table=" + table)) {
      store.read("a");
      database.execute(
          "CREATE TABLE " + table + "_log (setting text)",
          "CREATE FUNCTION "
              + table
              + "_note() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO "
              + table
              + "_log VALUES (current_setting('synchronous_commit')); RETURN NEW; END $$",
          "CREATE TRIGGER note BEFORE INSERT OR UPDATE ON "
              + table
              + " FOR EACH ROW EXECUTE FUNCTION "
              + table
              + "_note()");

      long version = store.compareAndSet("a", 0, "one").version();
      assertThat(store.compareAndSet("a", version, "two").version()).isGreaterThan(version);

      assertThat(database.query("SELECT string_agg(setting, ',') FROM " + table + "_log"))
          .isEqualTo(expected + "," + expected);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void databaseThatKeepsItsCommitsLacksNothing(TestDatabase database) throws SQLException {
    assertThat(lacking(database.url())).isEmpty();
  }

  @Test
  void settingsOfPostgresThatLoseCommitsAreNamed() throws SQLException {
    try (PostgresServer server =
        PostgresServer.start("-c", "fsync=off", "-c", "full_page_writes=off")) {
      assertThat(lacking(server.jdbcUrl()))
          .containsExactly("fsync: off (expected: on)", "full_page_writes: off (expected: on)");
    }
  }

  @Test
  void settingsOfMariaDbThatLoseCommitsAreNamed() throws SQLException {
    try (MariaDbServer server = MariaDbServer.start("--innodb-flush-log-at-trx-commit=2")) {
      assertThat(lacking(server.jdbcUrl()))
          .containsExactly(
              "innodb_flush_log_at_trx_commit: 2 (expected: 1)",
              "log_bin: 0 (expected: 1)",
              "sync_binlog: 0 (expected: 1)");
    }
  }

  @Test
  void storeThatMustKeepWritesWarnsOnceAboutEachSettingThatLosesThem() throws SQLException {
    try (PostgresServer server = PostgresServer.start("-c", "fsync=off")) {
      String url = server.jdbcUrl() + "&timeout=20s&table=" + table;
      assertThat(warnings(url))
          .singleElement()
          .asString()
          .startsWith("store: jdbc:postgresql:")
          .contains("may lose acknowledged writes in a crash: fsync: off (expected: on)");
      assertThat(warnings(url + "&may-forget=true")).isEmpty();
    }
    assertThat(warnings(TestDatabase.POSTGRES.url() + "&timeout=20s&table=" + table)).isEmpty();
  }

  /** As an operator does it whose standby is away. The commit stays, and no standby has it. */
  @ParameterizedTest
  @ValueSource(strings = {"notice", "error"})
  void writeWhoseWaitForAStandbyIsCanceledIsUnknown(String messages) throws Exception {
    AtomicBoolean over = new AtomicBoolean();
    TestThreads canceling = new TestThreads();
    try (PostgresServer server = PostgresServer.start("-c", "synchronous_standby_names=absent");
        Connection operator = DriverManager.getConnection(server.jdbcUrl());
        RegisterStore store =
            RegisterStore.open(
                server.jdbcUrl()
                    + "&options=-c%20client_min_messages="
                    + messages
                    + "&timeout=20s&table="
                    + table)) {
      canceling.start(() -> cancelWaitsForStandbys(operator, over));
      try {
        assertThat(store.compareAndSet("a", 0, "one")).isEqualTo(WriteResult.UNKNOWN);
        Register one = store.read("a").orElseThrow();
        String identity = store.snapshot(List.of()).orElseThrow().identity();
        Binding binding = new Binding(identity, "a", one.version());

        assertThat(store.compareAndSet("a", one.version(), "two", binding))
            .isEqualTo(WriteResult.UNKNOWN);
        assertThat(store.read("a")).get().extracting(Register::value).isEqualTo("two");
      } finally {
        over.set(true);
        canceling.join();
      }
    }
  }

  /** Only the commit waits for standbys. */
  @Test
  void writeThatIsBoundCountsWhateverItsStatementWarnsOf() throws SQLException {
    TestDatabase database = TestDatabase.POSTGRES;
    try (RegisterStore store = RegisterStore.open(database.url() + "&timeout=20s&table=" + table)) {
      long version = store.compareAndSet("a", 0, "one").version();
      String identity = store.snapshot(List.of()).orElseThrow().identity();
      database.execute(
          "CREATE FUNCTION "
              + table
              + "_warn() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE WARNING 'of'; RETURN NEW;"
              + " END $$",
          "CREATE TRIGGER warn BEFORE UPDATE ON "
              + table
              + " FOR EACH ROW EXECUTE FUNCTION "
              + table
              + "_warn()");

      assertThat(store.compareAndSet("a", version, "two", new Binding(identity, "a", version)))
          .extracting(WriteResult::outcome)
          .isEqualTo(WriteResult.Outcome.APPLIED);
    }
  }

  /** As after an upgrade of the host's libraries, at each connect. */
  @Test
  void writesCountInADatabaseWhoseCollationsHaveAnotherVersion() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        Connection connection = DriverManager.getConnection(server.jdbcUrl());
        Statement statement = connection.createStatement()) {
      statement.execute("UPDATE pg_database SET datcollversion = '0'");
      try (Connection another = DriverManager.getConnection(server.jdbcUrl())) {
        assertThat(String.valueOf(another.getWarnings())).contains("collation version");
      }
      try (RegisterStore store = RegisterStore.open(server.jdbcUrl() + "&timeout=20s")) {
        long version = store.compareAndSet("a", 0, "one").version();
        String identity = store.snapshot(List.of()).orElseThrow().identity();
        Binding binding = new Binding(identity, "a", version);
        assertThat(store.compareAndSet("a", version, "two", binding).version())
            .isGreaterThan(version);
      }
    }
  }

  private static void cancelWaitsForStandbys(Connection operator, AtomicBoolean over)
      throws Exception {
    try (Statement statement = operator.createStatement()) {
      while (!over.get()) {
        statement.execute(
            "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE wait_event = 'SyncRep'");
        Thread.sleep(20);
      }
    }
  }

  private static List<String> warnings(String url) {
    List<String> messages = new CopyOnWriteArrayList<>();
    Handler handler =
        new Handler() {
          @Override
          public void publish(LogRecord record) {
            messages.add(record.getMessage());
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}
        };
    Logger logger = Logger.getLogger(JdbcRegisterStore.class.getName());
    logger.addHandler(handler);
    try (RegisterStore store = RegisterStore.open(url)) {
      store.read("a");
      store.compareAndSet("a", 0, "x");
      return messages;
    } finally {
      logger.removeHandler(handler);
    }
  }

  private static List<String> lacking(String url) throws SQLException {
    StoreCall call = new StoreCall(url, Duration.ofSeconds(20));
    try (Borrowed borrowed =
        new Borrowed(ConnectionSource.of(TestDatabase.source(url)), call, () -> call)) {
      borrowed.arrange();
      return Durability.lacking(Dialect.of(borrowed), borrowed);
    }
  }
}
