package io.firn.cli;

import static io.firn.cli.SqlServer.LAYOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdParts;
import io.firn.testkit.TestThreads;
import io.firn.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IDs made in SQL by PostgreSQL. */
@Timeout(600)
final class SqlOnPostgresTest
    implements SqlIdsContract, SqlReservationContract, SqlRefusalContract {

  private static SqlServer postgres;

  @BeforeAll
  static void start() {
    postgres = SqlServer.postgres();
  }

  @AfterAll
  static void stop() {
    postgres.stop();
  }

  @Override
  public SqlServer database() {
    return postgres;
  }

  @Test
  void registerOfANamespaceThatMakesIdsInSqlIsNotDeleted() throws Exception {
    postgres.install("kept_register", LAYOUT);
    String delete = "DELETE FROM firn_register WHERE name = 'kept_register/worker/17'";
    for (String statement : List.of(delete, "TRUNCATE firn_register")) {
      assertThatThrownBy(() -> postgres.execute(statement))
          .hasMessageContaining("makes IDs in SQL");
    }
  }

  @Test
  void idsEndWithTheTimeOfTheLayout() throws Exception {
    postgres.install("ends", LAYOUT);
    postgres.execute(
        "UPDATE firn_sql SET base_tick = max_tick WHERE namespace = 'ends'", "SELECT firn_write()");
    postgres.setWord("ends", ((LAYOUT.lastPositiveTick() + 1) << 12) - 3);
    for (int i = 0; i < 2; i++) {
      IdParts parts = LAYOUT.parse(postgres.draw("ends"));
      assertThat(parts.worker()).isEqualTo(SqlServer.WORKER);
      assertThat(parts.sequence()).isEqualTo(4_094 + i);
    }
    assertThatThrownBy(() -> postgres.draw("ends"))
        .hasMessageContaining("firn_next: the time of the layout of ends is over");
  }

  @Test
  void oneSessionLiftsTheWordAndOthersWaitForItIfTheyAreFarBehind() throws Exception {
    postgres.install("locks", LAYOUT);
    String key = "(1181315694, '\"firn_word_locks\"'::regclass::oid::int)";
    try (Connection lifting = postgres.connect();
        Connection drawing = postgres.connect()) {
      SqlServer.query(lifting, "SELECT pg_advisory_lock" + key);
      SqlServer.query(drawing, SqlServer.drawing("locks")); // the word leads the clock
      postgres.setBack("locks", LAYOUT);
      assertIsStopped(drawing, "locks");
      SqlServer.query(lifting, "SELECT pg_advisory_unlock" + key);
      Instant before = postgres.clock();
      long id = Long.parseLong(SqlServer.query(drawing, SqlServer.drawing("locks")));
      assertThat(SqlServer.instant(id)).isAfterOrEqualTo(before.minusMillis(64));
    }
  }

  /** Whoever saw the lift may have drawn a smaller number before, whose sum is the same. */
  @ParameterizedTest
  @ValueSource(strings = {"firn_next", "firn_draw"})
  void aNumberDoesNotCountIfTheWordIsLiftedWhileItIsDrawn(String function) throws Exception {
    postgres.install(function, LAYOUT);
    String word = "\"firn_word_" + function;
    try (Connection holding = postgres.connect();
        Connection drawing = postgres.connect()) {
      String process = SqlServer.query(drawing, "SELECT pg_backend_pid()");
      holding.setAutoCommit(false);
      try (Statement statement = holding.createStatement()) {
        statement.execute("ALTER SEQUENCE " + word + "\" INCREMENT 1"); // locks it
      }
      String draw = "SELECT " + function + "('" + function + "')";
      String lift = "SELECT setval('%s_2\"', last_value + (100 << 12)) FROM %s_2\"";
      List<Long> words =
          TestThreads.together(
              List.of(
                  () -> Long.parseLong(SqlServer.query(drawing, draw)) >> 22 << 12,
                  () -> {
                    awaitWaiting(process);
                    long lifted = Long.parseLong(postgres.query(lift.formatted(word, word)));
                    holding.rollback();
                    return lifted;
                  }));
      assertThat(words.get(0)).isGreaterThanOrEqualTo(words.get(1));
    }
  }

  private static void awaitWaiting(String process) {
    String waits = "SELECT count(*) FROM pg_locks WHERE NOT granted AND pid = " + process;
    SqlServer.await(
        () -> {
          if (postgres.query(waits).equals("0")) {
            throw new SQLException("no draw waits for a lock");
          }
        });
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
  void noLockStaysAfterAnErrorInADraw() throws Exception {
    postgres.install("freed", LAYOUT);
    try (Connection drawing = postgres.connect()) {
      assertThat(SqlServer.query(drawing, SqlServer.drawing("freed"))).isNotBlank();
      for (boolean lifts : List.of(false, true)) {
        if (lifts) {
          postgres.setBack("freed", LAYOUT);
        }
        String sequence = lifts ? "\"firn_word_freed_1\"" : "\"firn_word_freed\"";
        String last = postgres.query("SELECT last_value FROM " + sequence);
        postgres.execute("ALTER SEQUENCE " + sequence + " MAXVALUE " + last);
        assertThatThrownBy(() -> SqlServer.query(drawing, SqlServer.drawing("freed")))
            .hasMessageContaining(lifts ? "out of bounds" : "reached maximum value");
        assertThat(locks()).isEqualTo("0");
        postgres.execute("ALTER SEQUENCE " + sequence + " NO MAXVALUE");
      }
      assertThat(SqlServer.query(drawing, SqlServer.drawing("freed"))).isNotBlank();
    }
  }

  @Test
  void noLockStaysAfterACancelInTheMomentInWhichItIsGiven() throws Exception {
    postgres.install("given", LAYOUT);
    String key = "(1181315694, '\"firn_word_given\"'::regclass::oid::int)";
    try (Connection holding = postgres.connect();
        Connection drawing = postgres.connect()) {
      String process = SqlServer.query(drawing, "SELECT pg_backend_pid()");
      for (int i = 0; i < 3; i++) {
        postgres.setBack("given", LAYOUT); // so that the draw lifts the word
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
                  awaitWaiting(process);
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
  void everyRoleMayDrawButNotMoveTheWord() throws Exception {
    postgres.install("roles", LAYOUT);
    postgres.execute("CREATE ROLE clerk", "REVOKE EXECUTE ON FUNCTION firn_draw FROM PUBLIC");
    try (Connection connection = postgres.connect();
        Statement statement = connection.createStatement()) {
      statement.execute("SET ROLE clerk");
      // Without firn_draw, which has the rights of its owner: most draws do not need it.
      assertThat(SqlServer.query(connection, SqlServer.drawing("roles"))).isNotBlank();
      for (String sequence : List.of("", "_1", "_2")) {
        String move = "SELECT setval('\"firn_word_roles" + sequence + "\"', 1)";
        assertThatThrownBy(() -> SqlServer.query(connection, move))
            .hasMessageContaining("permission denied for sequence");
      }
      assertThatThrownBy(() -> SqlServer.query(connection, "SELECT firn_reopen('roles')"))
          .hasMessageContaining("permission denied for function");
      postgres.execute("GRANT EXECUTE ON FUNCTION firn_draw TO PUBLIC");
      postgres.setBack("roles", LAYOUT);
      assertThat(SqlServer.query(connection, SqlServer.drawing("roles"))).isNotBlank();
    }
  }

  @Test
  void drawsUseNothingFromTheSearchPathOfTheirCaller() throws Exception {
    postgres.install("path", LAYOUT);
    String path = "SET search_path = eve, public";
    String fails = " LANGUAGE sql AS 'SELECT (1 / 0)::";
    postgres.execute(
        "CREATE SCHEMA eve",
        path,
        "CREATE FUNCTION nextval(text) RETURNS bigint" + fails + "bigint'",
        "CREATE FUNCTION pg_sequence_last_value(text) RETURNS bigint" + fails + "bigint'",
        "CREATE FUNCTION pg_relation_filepath(text) RETURNS text" + fails + "text'",
        "CREATE FUNCTION fail(regclass, oid) RETURNS boolean" + fails + "boolean'",
        "CREATE FUNCTION fail(float8, int) RETURNS float8" + fails + "float8'",
        "CREATE FUNCTION fail(bigint, int) RETURNS bigint" + fails + "bigint'",
        "CREATE OPERATOR = (LEFTARG = regclass, RIGHTARG = oid, FUNCTION = fail)",
        "CREATE OPERATOR * (LEFTARG = float8, RIGHTARG = int, FUNCTION = fail)",
        "CREATE OPERATOR & (LEFTARG = bigint, RIGHTARG = int, FUNCTION = fail)",
        "CREATE OPERATOR | (LEFTARG = bigint, RIGHTARG = int, FUNCTION = fail)");
    for (boolean lifts : List.of(false, true)) {
      if (lifts) {
        postgres.setBack("path", LAYOUT);
      }
      postgres.execute(path, SqlServer.drawing("path"));
    }
    assertThatThrownBy(() -> postgres.execute(path, "SELECT 1::bigint & 1"))
        .hasMessageContaining("division by zero");
    postgres.execute("DROP SCHEMA eve CASCADE");
  }

  @Test
  void refusesASchemaInWhichEveryRoleMayCreateObjects() throws Exception {
    postgres.install("writable", LAYOUT);
    String script = postgres.script("writable");
    postgres.execute("GRANT CREATE ON SCHEMA public TO PUBLIC");
    try {
      assertThatThrownBy(() -> postgres.run(script))
          .hasMessageContaining(
              "schema: public (expected: one in which not every role may create objects: ")
          .hasMessageContaining("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    } finally {
      postgres.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC");
    }
    postgres.run(script);
  }

  /** As after an upgrade by logical replication, which copies tables and not sequences. */
  @Test
  void reopensWhereOnlyTheTablesHaveTheirData() throws Exception {
    postgres.install("schema", LAYOUT);
    long before = postgres.draw("schema");
    for (String sequence : List.of("", "_1", "_2")) {
      String name = "SEQUENCE \"firn_word_schema" + sequence + "\"";
      String create = sequence.equals("_2") ? "CREATE UNLOGGED " : "CREATE ";
      postgres.execute("DROP " + name, create + name + " MINVALUE 0 START 0");
    }
    assertRefused(() -> postgres.draw("schema"));
    postgres.reopen("schema");
    assertThat(postgres.draw("schema")).isGreaterThan(before);
  }

  @Test
  void refusesDrawsFromARestoredSequenceUntilItIsReopened() throws Exception {
    postgres.install("dump", LAYOUT);
    try (Connection session = postgres.connect()) { // has planned its draws
      long before = Long.parseLong(SqlServer.query(session, SqlServer.drawing("dump")));
      postgres.execute(
          "DROP SEQUENCE \"firn_word_dump\"",
          "CREATE SEQUENCE \"firn_word_dump\" MINVALUE 0",
          "SELECT nextval('\"firn_word_dump\"')");
      assertRefused(() -> SqlServer.query(session, SqlServer.drawing("dump")));
      postgres.reopen("dump");
      assertThat(postgres.draw("dump")).isGreaterThan(before);
    }
  }

  /** Checks that a draw is refused until the database is reopened. */
  private static void assertRefused(ThrowingCallable draw) {
    assertThatThrownBy(draw)
        .hasMessageContaining("firn_next: the database was restarted, promoted or restored");
  }

  /** PostgreSQL promotes a standby also if it has only zeros of a new unlogged sequence. */
  @Test
  void reopensWhereThereAreOnlyZerosOfTheUnloggedSequence() throws Exception {
    postgres.install("zeros", LAYOUT);
    long before = postgres.draw("zeros");
    String file = postgres.query("SELECT pg_relation_filepath('\"firn_word_zeros_2\"') || '_init'");
    postgres.execute(
        "COPY (SELECT 1) TO PROGRAM 'cat > /dev/null; head -c 8192 /dev/zero > " + file + "'",
        "CHECKPOINT");
    postgres.server().kill();
    postgres.server().restart();
    assertThatThrownBy(() -> postgres.draw("zeros"))
        .hasMessageContaining("bad magic number in sequence \"firn_word_zeros_2\"");
    postgres.reopen("zeros");
    assertThat(postgres.draw("zeros")).isGreaterThan(before);
  }

  @Test
  void refusesDrawsInACopyOfTheDatabaseUntilItIsReopened() throws Exception {
    postgres.install("copied", LAYOUT);
    long before = postgres.draw("copied");
    SqlServer other = new SqlServer("postgres", postgres.server(), inDatabase("template1"));
    other.execute("CREATE DATABASE copy TEMPLATE postgres");
    SqlServer copy = new SqlServer("postgres", postgres.server(), inDatabase("copy"));
    assertRefused(() -> copy.draw("copied"));
    copy.reopen("copied");
    assertThat(copy.draw("copied")).isGreaterThan(before);
    postgres.execute("DROP DATABASE copy");
  }

  private static String inDatabase(String name) {
    return postgres.url().replace("/postgres?", "/" + name + "?");
  }

  @Test
  void refusesDrawsAfterTheCrashOfASessionUntilItIsReopened() throws Exception {
    try (PostgresServer server = PostgresServer.start()) {
      SqlServer database = new SqlServer("postgres", server, server.jdbcUrl());
      database.install("orders", LAYOUT); // the word leads the clock, so nothing lifts it
      // These write what is in it into the file that a crash leaves.
      for (String change : List.of("INCREMENT 1", "SET LOGGED")) {
        database.execute("ALTER SEQUENCE \"firn_word_orders_2\" " + change);
        assertRefused(() -> database.draw("orders"));
        database.reopen("orders");
      }
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
      assertRefused(() -> database.draw("orders"));
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
      try (Connection session = old.connect()) {
        for (int i = 0; i < 50; i++) { // the clock is behind, so only the word tells them apart
          lost = Long.parseLong(SqlServer.query(session, SqlServer.drawing("orders")));
        }
      }
      primary.kill();
      standby.resume();
      try (Connection session = promoted.connect()) {
        standby.promote();
        assertRefused(() -> SqlServer.query(session, SqlServer.drawing("orders")));
        promoted.reopen("orders");
        assertThat(Long.parseLong(SqlServer.query(session, SqlServer.drawing("orders"))))
            .isGreaterThan(lost);
      }
    }
  }
}
