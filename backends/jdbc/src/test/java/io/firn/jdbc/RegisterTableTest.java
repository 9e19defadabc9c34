package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import io.firn.testkit.TestThreads;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The table, as an operator sees it. */
class RegisterTableTest {

  private static JdbcRegisterStore.Builder builder() {
    return JdbcRegisterStore.builder(new JdbcDataSource());
  }

  @TempDir static Path directory;

  private final String table = TestDatabase.newTable();

  /** Addresses to which parameters may be added. */
  static Stream<String> urls() {
    return Stream.of(
        TestDatabase.POSTGRES.url(),
        TestDatabase.MARIADB.url(),
        "jdbc:h2:" + directory.resolve("h2") + "?",
        "jdbc:sqlite:" + directory.resolve("sqlite.db") + "?journal_mode=WAL");
  }

  private RegisterStore open(String url) {
    return RegisterStore.open(url + "&timeout=20s&table=" + table);
  }

  private static Connection connect(String url) throws SQLException {
    return DriverManager.getConnection(url.replaceFirst("\\?$", ""));
  }

  private static void execute(String url, String sql) throws SQLException {
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  private static String value(String url) {
    return url.startsWith("jdbc:h2") ? "\"VALUE\"" : "value";
  }

  @ParameterizedTest
  @MethodSource("urls")
  void rowInsertedByHandIsARegister(String url) throws SQLException {
    try (RegisterStore store = open(url)) {
      assertThat(store.read("firn/orders/worker/3")).isEmpty();
      execute(
          url,
          "INSERT INTO "
              + table
              + " (name, version, "
              + value(url)
              + ") VALUES ('firn/orders/worker/3', 7, 'by hand')");

      Register register = new Register("firn/orders/worker/3", 7, "by hand");
      assertThat(store.read(register.name())).contains(register);
      assertThat(store.scan("firn/orders/")).containsExactly(register);
      assertThat(store.compareAndSet(register.name(), 6, "x")).isEqualTo(WriteResult.CONFLICT);
      assertThat(store.compareAndSet(register.name(), 7, "x").version()).isGreaterThan(7);
    }
  }

  @ParameterizedTest
  @MethodSource("urls")
  void tableCanBeReadWithoutFirn(String url) throws SQLException {
    try (RegisterStore store = open(url)) {
      Snowflake.builder()
          .layout(IdLayout.of("41t+3w+19s@2026-01-01T00:00:00Z/1ms"))
          .lease(
              LeaseConfig.builder(store, "orders")
                  .instance("till-3")
                  .worker(5)
                  .window(Duration.ofMinutes(2)) // long enough for the timeout
                  .build())
          .build()
          .close();
    }
    String dump = "";
    try (Connection connection = connect(url);
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT * FROM " + table + " ORDER BY name")) {
      while (rows.next()) {
        dump += rows.getString(1) + " | " + rows.getLong(2) + " | " + rows.getString(3) + "\n";
      }
    }
    assertThat(dump)
        .matches(
            """
            orders/layout \\| \\d+ \\| firn-namespace/[12] layout=41t\\+3w\\+19s@2026-01-01T00:00:00Z/1ms\
            ( settleMillis=135000 afterLoss=ahead store=\\S+ mark=\\S+ since=2\\S+Z)?
            orders/worker/5 \\| \\d+ \\| firn-worker/1 state=released fence=2\\S+Z since=2\\S+Z \
            windowMillis=120000 holder=till-3 pid=\\d+ token=\\S+ nonce=\\S+ layout=\\S+
            """);
  }

  @ParameterizedTest
  @MethodSource("urls")
  void namesThatLookAlikeAreDifferent(String url) {
    List<String> names = List.of("a", "A", "\u00e1", "a\u0301", "a ", "a  ", " a", "\u00df", "ss");
    try (RegisterStore store = open(url)) {
      for (String name : names) {
        assertThat(store.compareAndSet(name, 0, "of " + name).outcome())
            .as(name)
            .isEqualTo(Outcome.APPLIED);
      }
      for (String name : names) {
        assertThat(store.read(name)).get().extracting(Register::value).isEqualTo("of " + name);
      }
      assertThat(store.scan("a")).hasSize(4);
      assertThat(store.scan("A")).hasSize(1);
      assertThat(store.readAll(names)).hasSize(names.size());
    }
  }

  @ParameterizedTest
  @MethodSource("urls")
  void clientsThatStartAtOnceMakeTheTableOnce(String url) throws Exception {
    int clients = 8;
    List<Callable<Outcome>> writers = new ArrayList<>();
    for (int i = 0; i < clients; i++) {
      String name = "of client " + i;
      writers.add(
          () -> {
            try (RegisterStore store = open(url)) {
              return store.compareAndSet(name, 0, "x").outcome();
            }
          });
    }
    assertThat(TestThreads.together(writers)).containsOnly(Outcome.APPLIED);
    try (RegisterStore store = open(url)) {
      assertThat(store.scan("of client ")).hasSize(clients);
    }
  }

  @ParameterizedTest
  @MethodSource("urls")
  void tableThatWasSeenIsNeverCreatedAgain(String url) throws SQLException {
    try (RegisterStore store = open(url)) {
      assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
      execute(url, "DROP TABLE " + table);

      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store " + store + " failed after ")
          .hasMessageContainingAll(table);
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
            .isInstanceOf(StoreException.class)
            .hasMessageStartingWith("Store " + store + " has lost its table " + table + ": ")
            .hasMessageEndingWith(
                "stop the services, restore the table, wait for a lease window, start them");
      }
      execute(url, ((JdbcRegisterStore) store).ddl());
      assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @ParameterizedTest
  @MethodSource("urls")
  void storeThatMustNotCreateItsTableSaysHow(String url) throws SQLException {
    connect(url).close(); // the file of a database is not created either
    try (RegisterStore store = open(url + "&ddl=false")) {
      String ddl = ((JdbcRegisterStore) store).ddl();
      assertThat(((JdbcRegisterStore) store).hasTable()).isFalse();
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> store.read("a"))
            .isInstanceOf(StoreException.class)
            .hasMessageStartingWith("Store " + store + " has no table " + table + ": ")
            .hasMessageContaining(
                "; it is not created with ddl=false, nor by a command that only looks. If it")
            .hasMessageEndingWith(
                " was dropped, restore it, because an empty one shows every worker ID as free. If it"
                    + " was never there, create it with:\n"
                    + ddl);
      }
      execute(url, ddl);
      assertThat(((JdbcRegisterStore) store).hasTable()).isTrue();
      assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"jdbc:h2:%s?", "jdbc:sqlite:%s?"})
  void storeThatMustNotCreateItsTableCreatesNoFile(String url) throws IOException {
    Path folder = Files.createDirectory(directory.resolve(table));
    try (RegisterStore store = open(url.formatted(folder.resolve("none")) + "&ddl=false")) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store " + store + " failed after ");
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void userWithoutTheRightToMakeItGetsTheStatement() throws SQLException {
    String ddl =
        """
        CREATE TABLE %s (
          name varchar(200) COLLATE "C" PRIMARY KEY,
          version bigint NOT NULL,
          value text NOT NULL
        )\
        """
            .formatted(table);
    assertToldTheStatement(
        TestDatabase.POSTGRES, "USAGE", ddl, "permission denied for schema public");
  }

  @Test
  void userOfMariaDbWithoutTheRightToMakeItGetsTheStatement() throws SQLException {
    String ddl =
        """
        CREATE TABLE %s (
          name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin PRIMARY KEY,
          version bigint NOT NULL,
          value mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin NOT NULL
        ) ENGINE=InnoDB\
        """
            .formatted(table);
    assertToldTheStatement(TestDatabase.MARIADB, "SELECT", ddl, "CREATE command denied to user ");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void userWithoutTheRightToReadTheTableGetsNoStatement(TestDatabase database) throws SQLException {
    try (RegisterStore owner = open(database.url())) {
      assertThat(owner.read("a")).isEmpty();
    }
    String user = database.newUser(database == TestDatabase.POSTGRES ? "USAGE" : "SHOW VIEW");
    try (RegisterStore store = open(database.url(user));
        RegisterStore looking = open(database.url(user) + "&ddl=false")) {
      for (RegisterStore each : List.of(store, looking)) {
        assertCannotRead(each, "denied");
      }
      database.execute("GRANT SELECT ON " + table + " TO " + user);
      assertThat(store.read("a")).isEmpty();
      database.execute("REVOKE SELECT ON " + table + " FROM " + user);
      assertThatThrownBy(() -> store.read("a")).isInstanceOf(StoreException.class);
      assertCannotRead(store, "denied"); // it is not lost
    }
  }

  @ParameterizedTest
  @MethodSource("urls")
  void tableOfAnotherProgramIsNoMissingOne(String url) throws SQLException {
    execute(url, "CREATE TABLE " + table + " (a int)");
    try (RegisterStore store = open(url)) {
      assertCannotRead(store, "");
    }
  }

  private void assertCannotRead(RegisterStore store, String why) {
    assertThatThrownBy(() -> store.read("a"))
        .isInstanceOf(StoreException.class)
        .hasMessageStartingWith("Store " + store + " cannot read its table " + table + ": ")
        .hasMessageContaining(why)
        .hasMessageEndingWith(
            ". If the right is missing, grant SELECT, INSERT and UPDATE on it; if it is a table of"
                + " another program, name another one with table=NAME");
  }

  private void assertToldTheStatement(TestDatabase database, String rights, String ddl, String why)
      throws SQLException {
    String user = database.newUser(rights);
    try (RegisterStore store = open(database.url(user))) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store " + store + " has no table " + table + ": ")
          .hasMessageContaining(why)
          .hasMessageEndingWith("create it with:\n" + ddl)
          .hasMessageNotContaining(TestDatabase.PASSWORD);
      assertThat(((JdbcRegisterStore) store).ddl()).isEqualTo(ddl);

      database.execute(ddl);
      database.execute("GRANT SELECT ON " + table + " TO " + user);
      assertThat(store.read("a")).isEmpty();
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("denied");
      database.execute("GRANT INSERT, UPDATE ON " + table + " TO " + user);
      long version = store.compareAndSet("a", 0, "x").version();
      assertThat(store.compareAndSet("a", version, "y").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void tableMayStandInASchema(TestDatabase database) throws SQLException {
    database.execute("CREATE SCHEMA ids");
    try (RegisterStore store = database.open("table=ids.registers")) {
      store.compareAndSet("a", 0, "x");
      assertThat(database.query("SELECT value FROM ids.registers")).isEqualTo("x");
    } finally {
      database.execute("DROP TABLE ids.registers", "DROP SCHEMA ids");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", ".", "a.", ".a", "a.b.c", "1a", "a b", "a;b", "a\"b", "a`b", "a-b", "t\u00e4"})
  void nameOfATableIsAnIdentifier(String name) {
    assertThatThrownBy(() -> builder().table(name))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("table: " + name + " (expected: NAME or SCHEMA.NAME of letters, digits and _)");
  }

  @Test
  void nameOfATableIsAsLongAsPostgresTakesIt() {
    for (String name : List.of("a", "_", "a1_", "x".repeat(62), "x".repeat(63))) {
      builder().table(name);
      builder().table(name + "." + name);
    }
    assertThatThrownBy(() -> builder().table("x".repeat(64)))
        .isInstanceOf(IllegalArgumentException.class);
  }

  static Stream<String> urlsWithAClockAndAStrangeTimeZone() {
    return Stream.of(
        TestDatabase.POSTGRES.url() + "&options=-c%20TimeZone=Asia/Kathmandu",
        TestDatabase.MARIADB.url() + "&sessionVariables=time_zone='-09:30'",
        "jdbc:h2:" + directory.resolve("h2") + ";TIME ZONE=Asia/Kathmandu?");
  }

  @ParameterizedTest
  @MethodSource("urlsWithAClockAndAStrangeTimeZone")
  void versionsAreMicrosecondsOfTheDatabasesClock(String url) {
    try (RegisterStore store = open(url)) {
      Instant before = Instant.now();
      long first = store.compareAndSet("a", 0, "x").version();
      long second = store.compareAndSet("a", first, "x").version();
      long millis = store.currentTimeMillis().orElseThrow();
      Instant after = Instant.now();

      assertThat(second).isGreaterThan(first);
      for (Instant time : List.of(micros(first), micros(second), Instant.ofEpochMilli(millis))) {
        assertThat(time).isBetween(before.minusMillis(20), after.plusMillis(20));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("urlsWithAClockAndAStrangeTimeZone")
  void versionsGrowAlsoWhileTheClockIsBehindThem(String url) throws SQLException {
    try (RegisterStore store = open(url)) {
      store.compareAndSet("a", 0, "x");
      execute(url, "UPDATE " + table + " SET version = 4000000000000000000");
      long once = store.compareAndSet("a", 4_000_000_000_000_000_000L, "y").version();
      assertThat(once).isBetween(4_000_000_000_000_000_001L, 4_000_000_000_001_048_576L);
      execute(url, "UPDATE " + table + " SET version = 4000000000000000000");
      assertThat(store.compareAndSet("a", 4_000_000_000_000_000_000L, "z").version())
          .isNotEqualTo(once);
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void versionsAreNewAfterTheDatabaseFellBackToAnOlderState(TestDatabase database)
      throws SQLException {
    try (RegisterStore store = database.open("may-forget=true&table=" + table)) {
      assertThat(store.mayForget()).isTrue();
      long older = store.compareAndSet("a", 0, "older").version();
      long lost = store.compareAndSet("a", older, "lost").version();
      database.execute("UPDATE " + table + " SET version = " + older + ", value = 'older'");
      long next = store.compareAndSet("a", older, "next").version();
      database.execute("DELETE FROM " + table);
      long first = store.compareAndSet("a", 0, "first").version();

      assertThat(List.of(older, lost, next, first)).isSorted().doesNotHaveDuplicates();
    }
  }

  @Test
  void databaseWithoutAClockMustNotForget() {
    try (RegisterStore store =
        open("jdbc:sqlite:" + directory.resolve("sqlite.db") + "?may-forget=true")) {
      assertThatThrownBy(() -> store.read("a"))
          .isInstanceOf(StoreException.class)
          .hasMessage(
              "Store "
                  + store
                  + " has no clock for versions, without which it must not forget; drop"
                  + " may-forget=true");
    }
  }

  private static Instant micros(long version) {
    return Instant.EPOCH.plus(version, ChronoUnit.MICROS);
  }
}
