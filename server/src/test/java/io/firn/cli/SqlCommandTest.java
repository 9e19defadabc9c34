package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.lease.WorkerEntry;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** IDs made in SQL, each test in a namespace of its own. */
@Timeout(600)
final class SqlCommandTest {

  private static final IdLayout LAYOUT = IdLayout.CLASSIC;

  private static SqlServer postgres;
  private static SqlServer mariaDb;

  @BeforeAll
  static void start() {
    postgres = SqlServer.postgres();
    mariaDb = SqlServer.mariaDb();
  }

  @AfterAll
  static void stop() {
    postgres.stop();
    mariaDb.stop();
  }

  static Stream<SqlServer> databases() {
    return Stream.of(postgres, mariaDb);
  }

  private static Instant instant(long id) {
    return LAYOUT.parse(id).instant();
  }

  private static Instant clock(SqlServer database) {
    try (RegisterStore store = database.open()) {
      return Instant.ofEpochMilli(store.currentTimeMillis().orElseThrow());
    }
  }

  // What it makes.

  @ParameterizedTest
  @MethodSource("databases")
  void drawsIdsOfTheReservedWorker(SqlServer database) throws Exception {
    database.install("shop.eu:1", LAYOUT);
    long first = database.draw("shop.eu:1");
    long second = database.draw("shop.eu:1");

    assertThat(second).isGreaterThan(first);
    IdParts parts = LAYOUT.parse(second);
    assertThat(parts.worker()).isEqualTo(SqlServer.WORKER);
    assertThat(instant(second)).isBefore(clock(database).plusSeconds(40));
    database.run(database.script("shop.eu:1")); // again
    assertThat(database.draw("shop.eu:1")).isGreaterThan(second);
    assertThatThrownBy(() -> database.draw("shop"))
        .hasMessageContaining("namespace: shop (expected: one that firn sql has installed)");
  }

  @ParameterizedTest
  @MethodSource("databases")
  void idsFollowTheClock(SqlServer database) throws Exception {
    database.install("clock", LAYOUT);
    database.setBack("clock", LAYOUT);
    for (int i = 0; i < 3; i++) {
      Instant before = clock(database);
      long id = database.draw("clock");
      Instant after = clock(database);
      // MariaDB jumps 128 ms at once; a session of PostgreSQL alone is never behind.
      assertThat(instant(id))
          .isBetween(before.minusMillis(64), after.plusMillis(database.isPostgres() ? 10 : 128));
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void idsOfSessionsThatDrawInTurnGrowAndFollowTheClock(SqlServer database) throws Exception {
    database.install("turns", LAYOUT);
    database.setBack("turns", LAYOUT);
    try (Connection first = database.connect();
        Connection second = database.connect()) {
      long last = 0;
      for (int i = 0; i < 8; i++) {
        Instant before = clock(database);
        Connection drawing = i % 3 == 0 ? first : second;
        for (int j = 0; j < 2; j++) { // in MariaDB the second one keeps what it has read
          long id = Long.parseLong(SqlServer.query(drawing, SqlServer.drawing("turns")));
          assertThat(id).isGreaterThan(last);
          assertThat(instant(id)).isAfterOrEqualTo(before.minusMillis(64));
          last = id;
        }
        String unused =
            database.query(database.isPostgres() ? "SELECT pg_sleep(0.15)" : "SELECT SLEEP(0.15)");
      }
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void returnsTimesAndBounds(SqlServer database) throws Exception {
    IdLayout layout = IdLayout.of("38t+7w+8s@2020-01-01T00:00:00Z/10ms");
    database.install("bounds", layout);
    long id = database.draw("bounds");
    String millis =
        database.isPostgres()
            ? "SELECT round(extract(epoch FROM firn_time_in('bounds', %s)) * 1000)::bigint"
            : "SELECT TIMESTAMPDIFF(MICROSECOND, '1970-01-01', firn_time_in('bounds', %s)) DIV"
                + " 1000";
    assertThat(database.query(millis.formatted(id)))
        .isEqualTo("" + layout.parse(id).instant().toEpochMilli());
    Instant time = Instant.parse("2026-11-23T14:05:12.345Z");
    String at = database.isPostgres() ? "'" + time + "'" : "'2026-11-23 14:05:12.345'";
    assertThat(database.query("SELECT firn_min_in('bounds', " + at + ")"))
        .isEqualTo("" + layout.minId(time));
    String early = database.isPostgres() ? "'2019-12-31T23:59:59Z'" : "'2019-12-31 23:59:59'";
    assertThatThrownBy(() -> database.query("SELECT firn_min_in('bounds', " + early + ")"))
        .hasMessageContaining("firn_min: 2019-12-31 23:59:59");
  }

  @ParameterizedTest
  @MethodSource("databases")
  void oneStatementDrawsManyIdsInOrder(SqlServer database) throws Exception {
    int count = Sizes.deep(20_000, 1_000_000);
    database.install("bulk", LAYOUT);
    database.setBack("bulk", LAYOUT);
    database.createTable("bulk", "bulk");
    database.execute(
        database.isPostgres()
            ? "INSERT INTO bulk (n) SELECT generate_series(1, " + count + ")"
            : "INSERT INTO bulk (n) SELECT seq FROM seq_1_to_" + count);
    try (Connection connection = database.connect();
        Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery("SELECT id FROM bulk ORDER BY n")) {
      long last = 0;
      int seen = 0;
      while (rows.next()) {
        assertThat(rows.getLong(1)).isGreaterThan(last);
        last = rows.getLong(1);
        seen++;
      }
      assertThat(seen).isEqualTo(count);
    }
  }

  @Test
  void aRowOfMariaDbGetsAnIdWhereItsColumnHasNoDefaultOrIsNull() throws Exception {
    mariaDb.install("given", LAYOUT);
    mariaDb.createTable("given", "given");
    mariaDb.execute("ALTER TABLE given ALTER COLUMN id DROP DEFAULT");
    mariaDb.execute(
        "INSERT INTO given (n) VALUES (1)",
        "INSERT INTO given VALUES (NULL, 2)",
        "INSERT INTO given VALUES (0, 3)",
        "INSERT INTO given VALUES (4, 4)");
    assertThat(mariaDb.query("SELECT COUNT(*) FROM given WHERE id > 4")).isEqualTo("3");
    assertThatThrownBy(() -> mariaDb.execute("INSERT INTO given (n) SELECT 5"))
        .hasMessageContaining("Field 'id' doesn't have a default value");
  }

  /** 200 IDs a second, which are used up: first the lead, then the clock decides. */
  @ParameterizedTest
  @MethodSource("databases")
  void waitsForTheClockWhereTheSequenceIsUsedUp(SqlServer database) throws Exception {
    IdLayout layout = IdLayout.of("39t+8w+1s@2026-01-01T00:00:00Z/10ms");
    database.install("slow", layout);
    database.setBack("slow", layout);
    removeBase(database, "slow");
    database.createTable("slow", "slow");
    Instant before = clock(database);
    database.execute(
        database.isPostgres()
            ? "INSERT INTO slow (n) SELECT generate_series(1, 500)"
            : "INSERT INTO slow (n) SELECT seq FROM seq_1_to_500");
    Instant after = clock(database);
    long newest = Long.parseLong(database.query("SELECT MAX(id) FROM slow"));
    assertThat(database.query("SELECT COUNT(DISTINCT id) FROM slow")).isEqualTo("500");
    assertThat(layout.parse(newest).instant())
        .isBetween(before.plusMillis(2_400), after.plusMillis(1_010));
  }

  /** Takes away what the first reopening allowed beyond the lead; nothing was drawn yet. */
  private static void removeBase(SqlServer database, String namespace) throws SQLException {
    if (database.isPostgres()) {
      database.execute(
          "UPDATE firn_sql SET base_tick = 0 WHERE namespace = '" + namespace + "'",
          "SELECT firn_write()");
    } else {
      database.execute(
          "UPDATE firn_sql_open SET base_tick = 0 WHERE namespace = '" + namespace + "'");
    }
  }

  // Clocks.

  @ParameterizedTest
  @MethodSource("databases")
  void refusesToRunAheadOfAClockThatMovedBack(SqlServer database) throws Exception {
    database.install("back", LAYOUT);
    removeBase(database, "back");
    long now = clock(database).toEpochMilli() - LAYOUT.epoch().toEpochMilli();
    database.setWord("back", (now + 3_600_000) << 12);
    assertThatThrownBy(() -> database.draw("back"))
        .hasMessageContaining("firn_next: the clock of the database is ")
        .hasMessageContaining("ms behind the newest ID of back (expected: 1000 at most)");
    database.setWord("back", (now + 4_000) << 12); // it waits for less
    long id = database.draw("back");
    assertThat(instant(id)).isBefore(clock(database).plusMillis(1_010));
  }

  @Test
  void theClockOfMariaDbIsRightInAnHourThatComesTwice() throws Exception {
    mariaDb.install("twice", LAYOUT);
    long turned = clock(mariaDb).getEpochSecond() - 1_800;
    mariaDb.execute(
        "INSERT INTO mysql.time_zone VALUES (900, 'N')",
        "INSERT INTO mysql.time_zone_name VALUES ('Test/Twice', 900)",
        "INSERT INTO mysql.time_zone_transition_type VALUES (900, 0, 3600, 0, 'A'), (900, 1, 7200, 1, 'B')",
        "INSERT INTO mysql.time_zone_transition VALUES (900, 1000000, 1), (900, "
            + turned
            + ", 0)");
    try (Connection connection = mariaDb.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET time_zone = 'Test/Twice'");
      long before = clock(mariaDb).toEpochMilli();
      statement.execute("SET timestamp = 1000000");
      assertThat(Long.parseLong(SqlServer.query(connection, "SELECT firn_clock()")))
          .isBetween(before, before + 600_000);
      assertThat(SqlServer.query(connection, SqlServer.drawing("twice"))).isNotBlank();
    }
  }

  @Test
  void idsOfMariaDbEndWithTheTimeOfTheLayout() throws Exception {
    IdLayout probe = IdLayout.of("10w+20t+12s@2026-01-01T00:00:00Z/1ms");
    long ends = clock(mariaDb).getEpochSecond() + 20; // the first reopening lifts the word to 16 s
    IdLayout layout =
        IdLayout.of(
            probe
                .toString()
                .replace(
                    "2026-01-01T00:00:00Z",
                    Instant.ofEpochSecond(ends - (1 << 20) / 1_000).toString()));
    mariaDb.install("ends", layout);
    try (Connection connection = mariaDb.connect()) {
      assertThatThrownBy(
              () -> {
                while (true) {
                  String id = SqlServer.query(connection, SqlServer.drawing("ends"));
                  assertThat(layout.parse(Long.parseLong(id)).worker()).isEqualTo(17);
                }
              })
          .hasMessageContaining("firn_next: the time of the layout of ends is over");
    }
  }

  // Transactions, locks, cancellations.

  @ParameterizedTest
  @MethodSource("databases")
  void noDrawWaitsForTheCommitOfAnother(SqlServer database) throws Exception {
    database.install("open", LAYOUT);
    database.setBack("open", LAYOUT);
    database.createTable("opened", "open");
    try (Connection first = database.connect();
        Connection second = database.connect()) {
      first.setAutoCommit(false);
      limit(database, second);
      List<Long> ids = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        ids.add(insert(first, "opened"));
        ids.add(insert(second, "opened"));
      }
      first.rollback();
      ids.add(insert(second, "opened"));
      assertThat(ids).doesNotHaveDuplicates().isSorted();
    }
  }

  private static long insert(Connection connection, String table) throws SQLException {
    return Long.parseLong(
        SqlServer.query(connection, "INSERT INTO " + table + " (n) VALUES (1) RETURNING id"));
  }

  /** Ends a session's statements that wait for a lock. */
  private static void limit(SqlServer database, Connection connection) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute(
          database.isPostgres()
              ? "SET statement_timeout = '20s'"
              : "SET SESSION max_statement_time = 20, lock_wait_timeout = 20,"
                  + " innodb_lock_wait_timeout = 20");
    }
  }

  @Test
  void drawsAndLiftsInPostgresExcludeEachOther() throws Exception {
    postgres.install("locks", LAYOUT);
    String key = "(1181315694, '\"firn_word_locks\"'::regclass::oid::int)";
    try (Connection lifting = postgres.connect();
        Connection drawing = postgres.connect()) {
      SqlServer.query(drawing, SqlServer.drawing("locks"));
      SqlServer.query(lifting, "SELECT pg_advisory_lock" + key);
      assertIsStopped(drawing, "locks"); // as long as another lifts the word
      SqlServer.query(lifting, "SELECT pg_advisory_unlock" + key);
      SqlServer.query(lifting, "SELECT pg_advisory_lock_shared" + key);
      SqlServer.query(drawing, SqlServer.drawing("locks")); // beside another that draws
      postgres.setBack("locks", LAYOUT);
      assertIsStopped(drawing, "locks"); // it may not lift the word
    }
  }

  private static void assertIsStopped(Connection connection, String namespace) throws SQLException {
    try (Statement statement = connection.createStatement()) {
      statement.execute("SET statement_timeout = '300ms'");
      assertThatThrownBy(() -> SqlServer.query(connection, SqlServer.drawing(namespace)))
          .hasMessageContaining("statement timeout");
      statement.execute("SET statement_timeout = 0");
    }
    assertThat(locks()).isEqualTo("1");
  }

  /** Returns how many locks of words are held. */
  private static String locks() throws SQLException {
    return postgres.query(
        "SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND classid = 1181315694"
            + " AND granted");
  }

  @Test
  void noLockStaysInPostgresAfterAnErrorInADraw() throws Exception {
    postgres.install("freed", LAYOUT);
    try (Connection drawing = postgres.connect()) {
      for (boolean lifts : List.of(false, true)) {
        if (lifts) {
          postgres.setBack("freed", LAYOUT);
        }
        String last = postgres.query("SELECT last_value FROM \"firn_word_freed\"");
        postgres.execute("ALTER SEQUENCE \"firn_word_freed\" MAXVALUE " + last);
        assertThatThrownBy(() -> SqlServer.query(drawing, SqlServer.drawing("freed")))
            .hasMessageContaining(lifts ? "out of bounds" : "reached maximum value");
        assertThat(locks()).isEqualTo("0");
        postgres.execute("ALTER SEQUENCE \"firn_word_freed\" NO MAXVALUE");
      }
      assertThat(SqlServer.query(drawing, SqlServer.drawing("freed"))).isNotBlank();
    }
  }

  @Test
  void noLockStaysInPostgresAfterACancelInTheMomentInWhichItIsGiven() throws Exception {
    postgres.install("given", LAYOUT);
    String key = "(1181315694, '\"firn_word_given\"'::regclass::oid::int)";
    try (Connection holding = postgres.connect();
        Connection drawing = postgres.connect()) {
      String process = SqlServer.query(drawing, "SELECT pg_backend_pid()");
      String waits =
          "SELECT count(*) FROM pg_locks WHERE NOT granted AND locktype = 'advisory' AND pid = "
              + process;
      for (int i = 0; i < 6; i++) {
        if (i == 3) {
          postgres.setBack("given", LAYOUT); // from now on draws lift the word
        }
        SqlServer.query(holding, "SELECT pg_advisory_lock" + key);
        TestThreads.together(
            List.<Callable<Void>>of(
                () -> {
                  try {
                    SqlServer.query(drawing, SqlServer.drawing("given"));
                  } catch (SQLException e) {
                    assertThat(e.getMessage()).contains("canceling statement");
                  }
                  return null;
                },
                () -> {
                  SqlServer.await(
                      () -> {
                        if (postgres.query(waits).equals("0")) {
                          throw new SQLException("no draw waits for the lock");
                        }
                      });
                  SqlServer.query(
                      holding,
                      "SELECT pg_advisory_unlock" + key + ", pg_cancel_backend(" + process + ")");
                  return null;
                }));
        assertThat(locks()).isEqualTo("0");
      }
    }
  }

  @Test
  void aDrawThatIsCancelledWhileItLiftsTheWordInMariaDbHoldsUpNobodyForLong() throws Exception {
    mariaDb.install("cut", IdLayout.of("41t+10w+12s@2022-01-01T00:00:00Z/1ms"));
    String held = "SELECT IS_USED_LOCK('firn_word_cut')";
    try (Connection drawing = mariaDb.connect()) {
      String self = SqlServer.query(drawing, "SELECT CONNECTION_ID()");
      // Not before each: a session that has read the sequences would not look at them again.
      assertThat(SqlServer.query(drawing, SqlServer.drawing("cut"))).isNotBlank();
      for (boolean ends : List.of(false, true)) {
        mariaDb.setWord("cut", 1); // it takes a second or more to lift it to the clock
        assertThatThrownBy(
                () ->
                    SqlServer.query(
                        drawing,
                        "SET STATEMENT max_statement_time = 0.2 FOR " + SqlServer.drawing("cut")))
            .isInstanceOf(SQLException.class);
        assertThat(mariaDb.query(held)).as("the test needs one that holds it").isEqualTo(self);
        if (!ends) { // its next draw frees it
          assertThat(SqlServer.query(drawing, SqlServer.drawing("cut"))).isNotBlank();
          assertThat(mariaDb.query(held)).isNull();
        }
      }
    }
    long last = mariaDb.draw("cut"); // the end of the session frees it
    assertThat(mariaDb.query(held)).isNull();
    assertThat(mariaDb.draw("cut")).isGreaterThan(last);
  }

  /** The numbers that a session reserves at once must not be taken for drawn. */
  @Test
  void numbersOfMariaDbHaveNoGapsWithoutAReason() throws Exception {
    mariaDb.install("dense", LAYOUT);
    try (Connection connection = mariaDb.connect()) {
      long last = Long.parseLong(SqlServer.query(connection, SqlServer.drawing("dense")));
      for (int i = 0; i < 100; i++) { // the word leads the clock, so nothing lifts it
        long next = Long.parseLong(SqlServer.query(connection, SqlServer.drawing("dense")));
        assertThat(next).isEqualTo(last + 1);
        last = next;
      }
    }
  }

  // Restarts, promotions, crashes.

  @ParameterizedTest
  @MethodSource("databases")
  void refusesDrawsAfterARestartUntilItIsReopened(SqlServer database) throws Exception {
    database.install("restart", LAYOUT);
    long before = database.draw("restart");
    database.server().kill();
    database.server().restart();
    assertThatThrownBy(() -> database.draw("restart"))
        .hasMessageContaining("firn_next: the database was restarted, promoted or restored")
        .hasMessageContaining("firn_reopen('restart')");
    database.setWord("restart", 1); // more than a crash takes back
    database.reopen("restart");
    assertThat(database.draw("restart")).isGreaterThan(before + (1_000L << 22));
    long second = database.draw("restart");
    database.reopen("restart");
    assertThat(database.draw("restart")).isGreaterThan(second + (1_000L << 22));
  }

  @Test
  void refusesDrawsAfterTheCrashOfASessionUntilItIsReopened() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      SqlServer database = new SqlServer("postgres", server, server.jdbcUrl());
      database.install("orders", LAYOUT); // the word leads the clock, so nothing lifts it
      long lost = 0;
      try (Connection other = database.connect();
          Connection session = database.connect()) {
        session.setAutoCommit(false);
        for (int i = 0; i < 50; i++) {
          lost = Long.parseLong(SqlServer.query(session, SqlServer.drawing("orders")));
        }
        long process = Long.parseLong(SqlServer.query(session, "SELECT pg_backend_pid()"));
        assertThat(ProcessHandle.of(process).orElseThrow().destroyForcibly()).isTrue();
        SqlServer.await(
            () -> {
              if (other.isValid(1)) { // a crash ends all sessions
                throw new SQLException("not yet noticed");
              }
            });
      }
      SqlServer.await(() -> database.query("SELECT 1"));
      assertThatThrownBy(() -> database.draw("orders"))
          .hasMessageContaining("firn_next: the database was restarted, promoted or restored");
      database.reopen("orders");
      assertThat(database.draw("orders")).isGreaterThan(lost);
    }
  }

  @Test
  void refusesDrawsOfAPromotedStandbyUntilItIsReopened() throws Exception {
    try (PostgresServer primary = PostgresServer.start();
        PostgresServer standby = PostgresServer.startStandbyOf(primary, "s1")) {
      SqlServer old = new SqlServer("postgres", primary, primary.jdbcUrl());
      SqlServer promoted = new SqlServer("postgres", standby, standby.jdbcUrl());
      old.install("orders", LAYOUT);
      SqlServer.await(
          () -> {
            if (!promoted.query("SELECT opened <> '' FROM firn_sql").equals("t")) {
              throw new SQLException("not yet replicated");
            }
          });
      standby.pause();
      long lost = 0;
      for (int i = 0; i < 50; i++) {
        lost = old.draw("orders"); // the clock is behind, so only the word tells them apart
      }
      primary.kill();
      standby.resume();
      try (Connection session = promoted.connect()) {
        standby.promote();
        assertThatThrownBy(() -> SqlServer.query(session, SqlServer.drawing("orders")))
            .hasMessageContaining("restarted, promoted or restored");
        promoted.reopen("orders");
        assertThat(Long.parseLong(SqlServer.query(session, SqlServer.drawing("orders"))))
            .isGreaterThan(lost);
      }
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void reopeningWhileSessionsDrawFailsNoDraw(SqlServer database) throws Exception {
    database.install("reopened", LAYOUT);
    removeBase(database, "reopened"); // as it is some time after the first reopening
    database.setBack("reopened", LAYOUT);
    AtomicBoolean ends = new AtomicBoolean();
    List<Callable<List<Long>>> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tasks.add(() -> drawUntil(ends, database, "reopened"));
    }
    tasks.add(
        () -> {
          try {
            for (int i = 0; i < 5; i++) {
              database.reopen("reopened");
            }
          } finally {
            ends.set(true);
          }
          return List.of();
        });
    List<Long> ids = TestThreads.together(tasks).stream().flatMap(List::stream).toList();
    assertThat(ids).isNotEmpty().doesNotHaveDuplicates();
  }

  /** Returns IDs of one session, with more of them after the end. */
  private static List<Long> drawUntil(AtomicBoolean ends, SqlServer database, String namespace)
      throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = database.connect()) {
      do {
        ids.add(Long.parseLong(SqlServer.query(connection, SqlServer.drawing(namespace))));
      } while (!ends.get());
    }
    return ids;
  }

  @Test
  void refusesAMariaDbWhoseClockStandsStillInAStatement() throws Exception {
    try (MariaDbServer server = MariaDbServer.start("--sysdate-is-now")) {
      SqlServer database = new SqlServer("mariadb", server, server.jdbcUrl());
      database.reserve("orders", LAYOUT);
      String script = database.script("orders");
      assertThatThrownBy(() -> database.run(script))
          .hasMessageContaining("sysdate-is-now: ON (expected: OFF, for a draw that waits");
    }
  }

  // The reservation.

  @ParameterizedTest
  @MethodSource("databases")
  void keepsTheWorkerReservedUntilItIsRemoved(SqlServer database) throws Exception {
    database.install("kept", LAYOUT);
    try (RegisterStore store = database.open();
        Connection old = database.connect()) {
      Namespace namespace = Namespace.of(store, "kept");
      database.reserve("kept", LAYOUT); // again, which changes nothing
      long id = database.draw("kept");
      Instant end = instant(id).plusMillis(1);
      assertThatThrownBy(() -> namespace.release(SqlServer.WORKER, end))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(
              database.isPostgres()
                  ? "worker 17 of kept makes IDs in SQL (expected: SELECT firn_remove('kept') "
                  : "`firn_remove_kept` failed for `firn`.`firn_register`");

      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      SqlServer.query(old, "SELECT COUNT(*) FROM firn_sql"); // sees what was then
      String newest = database.query(database.call("firn_remove", "kept"));
      assertThat(Long.parseLong(newest)).isGreaterThanOrEqualTo(id);
      assertThat(namespace.release(SqlServer.WORKER, instant(Long.parseLong(newest))).reserved())
          .isTrue();
      assertThatThrownBy(() -> SqlServer.query(old, SqlServer.drawing("kept")))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> database.draw("kept")).hasMessageContaining("namespace: kept ");
      assertThat(database.refusal("kept"))
          .startsWith("firn: worker: 17 of kept is reserved until 2")
          .contains("(expected: reserved for sql without an end. A free one: firn workers reserve");
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void removalReturnsAnIdThatNoDrawBesideItIsPast(SqlServer database) throws Exception {
    database.install("ended", LAYOUT);
    List<Callable<Long>> tasks = new ArrayList<>();
    CountDownLatch drawing = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      tasks.add(() -> newestUntilRefused(drawing, database, "ended"));
    }
    AtomicLong told = new AtomicLong();
    tasks.add(
        () -> {
          drawing.await();
          told.set(Long.parseLong(database.query(database.call("firn_remove", "ended"))));
          return 0L;
        });
    List<Long> newest = TestThreads.together(tasks);
    assertThat(newest).allMatch(id -> id <= told.get());
  }

  private static long newestUntilRefused(
      CountDownLatch drawing, SqlServer database, String namespace) throws SQLException {
    long newest = 0;
    try (Connection connection = database.connect()) {
      newest = Long.parseLong(SqlServer.query(connection, SqlServer.drawing(namespace)));
      drawing.countDown();
      while (true) {
        newest = Long.parseLong(SqlServer.query(connection, SqlServer.drawing(namespace)));
      }
    } catch (SQLException e) {
      if (newest == 0) {
        throw e;
      }
      return newest;
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void continuesPastTheOldIdsWhereItIsInstalledAgain(SqlServer database) throws Exception {
    database.install("again", LAYOUT);
    long before = database.draw("again");
    String unused = database.query(database.call("firn_remove", "again"));
    database.run(database.script("again"));
    assertThat(database.draw("again")).isGreaterThan(before);
  }

  @ParameterizedTest
  @MethodSource("databases")
  void refusesDrawsIfTheRegisterIsGone(SqlServer database) throws Exception {
    database.install("gone", LAYOUT);
    database.setBack("gone", LAYOUT);
    String delete = "DELETE FROM firn_register WHERE name = 'gone/worker/17'";
    if (database.isPostgres()) {
      assertThatThrownBy(() -> database.execute(delete)).hasMessageContaining("makes IDs in SQL");
      assertThatThrownBy(() -> database.execute("TRUNCATE firn_register"))
          .hasMessageContaining("makes IDs in SQL");
      database.execute("ALTER TABLE firn_register DISABLE TRIGGER firn_keep");
    }
    database.execute(delete);
    assertThatThrownBy(() -> database.draw("gone"))
        .hasMessageContaining("reserved")
        .hasMessageContaining("gone/worker/17, it has: nothing");
    assertThatThrownBy(() -> database.reopen("gone")).hasMessageContaining("it has: nothing");
    if (database.isPostgres()) {
      database.execute("ALTER TABLE firn_register ENABLE TRIGGER firn_keep");
    }
  }

  // Refusals of the command.

  @ParameterizedTest
  @MethodSource("databases")
  void refusesAWorkerThatIsNotReservedForSql(SqlServer database) throws Exception {
    assertThat(database.refusal("none"))
        .startsWith("firn: namespace: none (expected: one with a layout; it is new. First: ")
        .contains("firn workers reserve 17 --namespace none --for sql --store jdbc:");
    try (RegisterStore store = database.open();
        Snowflake held =
            Snowflake.builder()
                .lease(LeaseConfig.builder(store, "held").instance("pod-7").worker(17).build())
                .build()) {
      assertThat(held.nextId()).isPositive();
      assertThat(database.refusal("held"))
          .startsWith("firn: worker: 17 of held is held, last of pod-7 (expected: reserved for");
      Namespace free = Namespace.of(store, "leaf");
      var unused = free.reserve(WorkerSet.of("17"), LAYOUT, "old Leaf", WorkerEntry.NEVER, false);
      assertThat(database.refusal("leaf"))
          .contains("17 of leaf is reserved for old Leaf (expected");
      assertThat(database.refusal("leaf", "--worker", "16"))
          .contains("worker: given twice (expected: once)");
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void refusesANamespaceWithAWatermark(SqlServer database) throws Exception {
    database.reserve("outbox", LAYOUT);
    String script = database.script("outbox");
    try (RegisterStore store = database.open()) {
      Watermark watermark = Watermark.of(store, "outbox");
      assertThatThrownBy(watermark::current).hasMessageContaining("is reserved for sql");
      // One that was begun before the worker was reserved.
      String begun = "firn-watermark/1 floor=2026-11-01T00:00:00Z before=2026-10-31T23:59:45Z";
      assertThat(store.compareAndSet("outbox/watermark", 0, begun + " everyMillis=500").outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
    }
    assertThat(database.refusal("outbox"))
        .startsWith(
            "firn: namespace: outbox (expected: one without a watermark, or --outside-watermark: ");
    assertThatThrownBy(() -> database.run(script)).hasMessageContaining("without a watermark");
    database.run(database.script("outbox", "--outside-watermark"));
    assertThat(database.draw("outbox")).isPositive();
  }

  @ParameterizedTest
  @MethodSource("databases")
  void refusesANamespaceWhoseLayoutWasChanged(SqlServer database) {
    database.reserve("changed", LAYOUT);
    String change = " next=" + IdLayout.LEAF + " from=2026-11-01T00:00:00Z state=fixed change=1";
    try (RegisterStore store = database.open()) {
      Register before = store.read("changed/layout").orElseThrow();
      String text = before.value().replaceFirst("/\\d ", "/4 ");
      String layout = " layout=" + LAYOUT;
      String changed = text.replace(layout, layout + change);
      assertThat(store.compareAndSet(before.name(), before.version(), changed).outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
    }
    assertThat(database.refusal("changed"))
        .startsWith(
            "firn: namespace: changed (expected: one whose layout was not changed; it has layout"
                + " leaf since 2026-11-01T00:00:00Z)");
  }

  @ParameterizedTest
  @MethodSource("databases")
  void scriptRefusesAnotherDatabase(SqlServer database) throws Exception {
    database.reserve("elsewhere", LAYOUT);
    String script = database.script("elsewhere");
    assertThatThrownBy(() -> database.run(script.replace("elsewhere", "nowhere")))
        .hasMessageContaining("worker: 17 (expected: reserved in this database");
    assertThatThrownBy(() -> database.run(script.replace("41t+10w+12s@", "41t+11w+11s@")))
        .hasMessageContaining("layout: 41t+11w+11s@");
  }

  @Test
  void refusesStoresThatAreNoSuchDatabase() {
    assertThat(run("sql", "postgres", "--namespace", "a", "--worker", "17"))
        .startsWith("firn: store: not set (expected: the database that makes the IDs, with the");
    assertThat(run("sql", "mariadb", "--namespace", "a", "--worker", "17", "--store", "redis://h"))
        .startsWith("firn: store: redis://h (expected: the database")
        .contains("jdbc:mariadb://HOST/NAME");
    assertThat(run("sql", "oracle", "--namespace", "a", "--worker", "17"))
        .contains("database: oracle (expected: postgres or mariadb)");
    String forgets = postgres.store() + "&may-forget=true";
    assertThat(run("sql", "postgres", "--namespace", "a", "--worker", "17", "--store", forgets))
        .contains("(expected: one that keeps what it acknowledged;")
        .contains("--allow-may-forget");
  }

  private static String run(String... args) {
    Session session = new Session();
    assertThat(session.run(args)).isEqualTo(2);
    return session.err();
  }

  @Test
  void helpsInUnderThirtyLines() {
    Session session = new Session();
    assertThat(session.run("help", "sql")).isZero();
    assertThat(session.out().lines().count()).isLessThan(30);
    assertThat(session.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void installsIntoTheSchemaOfTheRegisters() throws Exception {
    postgres.execute("CREATE SCHEMA ids");
    mariaDb.execute("CREATE DATABASE ids");
    for (SqlServer database : List.of(postgres, mariaDb)) {
      SqlServer other =
          new SqlServer(
              database.name(), database.server(), database.url() + "&table=ids.registers");
      String script;
      try (RegisterStore store = RegisterStore.open(other.store())) {
        var unused =
            Namespace.of(store, "far")
                .reserve(WorkerSet.of("17"), LAYOUT, "sql", WorkerEntry.NEVER, false);
        script = other.script("far");
      }
      database.run(script);
      assertThat(Long.parseLong(database.query("SELECT ids.firn_next('far')"))).isPositive();
    }
  }
}
