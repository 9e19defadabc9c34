package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

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
