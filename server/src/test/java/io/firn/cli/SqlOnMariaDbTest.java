package io.firn.cli;

import static io.firn.cli.SqlServer.LAYOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.testservers.MariaDbServer;
import io.firn.time.TimeSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** IDs made in SQL by MariaDB. */
@Timeout(600)
final class SqlOnMariaDbTest implements SqlIdsContract, SqlReservationContract, SqlRefusalContract {

  private static SqlServer mariaDb;

  @BeforeAll
  static void start() {
    mariaDb = SqlServer.mariaDb();
  }

  @AfterAll
  static void stop() {
    mariaDb.stop();
  }

  @Override
  public SqlServer database() {
    return mariaDb;
  }

  @Test
  void aRowGetsAnIdWhereItsColumnHasNoDefaultOrIsNull() throws Exception {
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

  /** As enforce_storage_engine makes it, which some clusters and hosts set. */
  @Test
  void refusesToOpenWhereARestartWouldNotShow() throws Exception {
    mariaDb.install("engine", LAYOUT);
    mariaDb.execute("ALTER TABLE firn_sql_open ENGINE = InnoDB");
    assertThatThrownBy(() -> mariaDb.reopen("engine"))
        .hasMessageContaining("firn_sql_open: of another engine (expected: MEMORY, ");
    mariaDb.execute("ALTER TABLE firn_sql_open ENGINE = MEMORY");
    mariaDb.reopen("engine");
    assertThat(mariaDb.draw("engine")).isPositive();
  }

  @Test
  void theClockIsRightInAnHourThatComesTwice() throws Exception {
    mariaDb.install("twice", LAYOUT);
    long turned = mariaDb.clock().getEpochSecond() - 1_800;
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
      long before = mariaDb.clock().toEpochMilli();
      statement.execute("SET timestamp = 1000000");
      assertThat(Long.parseLong(SqlServer.query(connection, "SELECT firn_clock()")))
          .isBetween(before, before + 600_000);
      assertThat(SqlServer.query(connection, SqlServer.drawing("twice"))).isNotBlank();
    }
  }

  @Test
  void idsEndWithTheTimeOfTheLayout() throws Exception {
    IdLayout probe = IdLayout.of("10w+20t+12s@2026-01-01T00:00:00Z/1ms");
    long ends = mariaDb.clock().getEpochSecond() + 20; // the first reopening lifts the word to 16 s
    IdLayout layout =
        IdLayout.of(
            probe
                .toString()
                .replace(
                    "2026-01-01T00:00:00Z",
                    Instant.ofEpochSecond(ends - (1 << 20) / 1_000).toString()));
    mariaDb.install("ends", layout);
    try (Connection connection = mariaDb.connect()) {
      assertThat(SqlServer.query(connection, SqlServer.drawing("ends"))).isNotBlank();
      long left = ends * 1_000 - mariaDb.clock().toEpochMilli() - 300;
      TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(left));
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

  @Test
  void canceledDrawDoesNotBlockOthers() throws Exception {
    mariaDb.install("cut", IdLayout.of("41t+10w+12s@2014-01-01T00:00:00Z/1ms"));
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
  void numbersHaveNoGapsWithoutAReason() throws Exception {
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

  @Test
  void refusesDrawsOfASessionThatChangesTheBinaryLogToStatements() throws Exception {
    mariaDb.install("log", LAYOUT);
    try (Connection connection = mariaDb.connect();
        Statement statement = connection.createStatement()) {
      assertThat(SqlServer.query(connection, SqlServer.drawing("log"))).isNotBlank();
      statement.execute("SET SESSION binlog_format = 'STATEMENT'");
      assertThatThrownBy(() -> SqlServer.query(connection, SqlServer.drawing("log")))
          .hasMessageContaining("BINLOG_FORMAT = STATEMENT");
    }
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
}
