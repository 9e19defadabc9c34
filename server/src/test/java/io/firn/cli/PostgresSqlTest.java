package io.firn.cli;

import static io.firn.cli.SqlServer.LAYOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.testkit.TestThreads;
import io.firn.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** IDs made in SQL by PostgreSQL. */
@Timeout(600)
final class PostgresSqlTest implements SqlIdsContract, SqlReservationContract, SqlRefusalContract {

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
  void drawsAndLiftsExcludeEachOther() throws Exception {
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
  void noLockStaysAfterAnErrorInADraw() throws Exception {
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
  void noLockStaysAfterACancelInTheMomentInWhichItIsGiven() throws Exception {
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
}
