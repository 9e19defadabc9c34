package io.firn.cli;

import static io.firn.cli.SqlServer.LAYOUT;
import static io.firn.cli.SqlServer.instant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import io.firn.testkit.Sizes;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The IDs that are made in SQL, each test in a namespace of its own. */
interface SqlIdsContract {

  /** Returns the database of the test. */
  SqlServer database();

  @Test
  default void drawsIdsOfTheReservedWorker() throws Exception {
    SqlServer database = database();
    database.install("shop.eu:1", LAYOUT);
    long first = database.draw("shop.eu:1");
    long second = database.draw("shop.eu:1");

    assertThat(second).isGreaterThan(first);
    IdParts parts = LAYOUT.parse(second);
    assertThat(parts.worker()).isEqualTo(SqlServer.WORKER);
    assertThat(instant(second)).isBefore(database.clock().plusSeconds(40));
    database.run(database.script("shop.eu:1")); // again
    assertThat(database.draw("shop.eu:1")).isGreaterThan(second);
    assertThatThrownBy(() -> database.draw("shop"))
        .hasMessageContaining("namespace: shop (expected: one that firn sql has installed)");
  }

  @Test
  default void idsFollowTheClock() throws Exception {
    SqlServer database = database();
    database.install("clock", LAYOUT);
    database.setBack("clock", LAYOUT);
    for (int i = 0; i < 3; i++) {
      Instant before = database.clock();
      long id = database.draw("clock");
      Instant after = database.clock();
      // MariaDB jumps 256 ms at once, PostgreSQL to the clock.
      assertThat(instant(id))
          .isBetween(before.minusMillis(64), after.plusMillis(database.isPostgres() ? 10 : 256));
    }
  }

  @Test
  default void idsOfSessionsThatDrawInTurnGrowAndFollowTheClock() throws Exception {
    SqlServer database = database();
    database.install("turns", LAYOUT);
    database.setBack("turns", LAYOUT);
    try (Connection first = database.connect();
        Connection second = database.connect()) {
      long last = 0;
      for (int i = 0; i < 8; i++) {
        Instant before = database.clock();
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

  @Test
  default void returnsTimesAndBounds() throws Exception {
    SqlServer database = database();
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

  /** Its word has all 63 bits, which is more than a sequence of MariaDB counts. */
  @Test
  default void drawsIdsOfALayoutWithoutWorkers() throws Exception {
    SqlServer database = database();
    IdLayout layout = IdLayout.MASTODON;
    try (RegisterStore store = database.open()) {
      var unused =
          Namespace.of(store, "single")
              .reserve(WorkerSet.of("0"), layout, "sql", WorkerEntry.NEVER, false);
    }
    Session session = new Session();
    String[] command = {
      "sql", database.name(), "--namespace", "single", "--worker", "0", "--store", database.store()
    };
    assertThat(session.run(command)).as(session.err()).isZero();
    database.run(session.out());
    assertThat(layout.parse(database.draw("single")).instant())
        .isBefore(database.clock().plusSeconds(40));
  }

  @Test
  default void oneStatementDrawsManyIdsInOrder() throws Exception {
    SqlServer database = database();
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

  /** 200 IDs a second, which are used up: first the lead, then the clock decides. */
  @Test
  default void waitsForTheClockWhereTheSequenceIsUsedUp() throws Exception {
    SqlServer database = database();
    IdLayout layout = IdLayout.of("39t+8w+1s@2026-01-01T00:00:00Z/10ms");
    database.install("slow", layout);
    database.setBack("slow", layout);
    database.removeBase("slow");
    database.createTable("slow", "slow");
    Instant before = database.clock();
    database.execute(
        database.isPostgres()
            ? "INSERT INTO slow (n) SELECT generate_series(1, 500)"
            : "INSERT INTO slow (n) SELECT seq FROM seq_1_to_500");
    Instant after = database.clock();
    long newest = Long.parseLong(database.query("SELECT MAX(id) FROM slow"));
    assertThat(database.query("SELECT COUNT(DISTINCT id) FROM slow")).isEqualTo("500");
    assertThat(layout.parse(newest).instant())
        .isBetween(before.plusMillis(2_400), after.plusMillis(1_010));
  }

  @Test
  default void refusesToRunAheadOfAClockThatMovedBack() throws Exception {
    SqlServer database = database();
    database.install("back", LAYOUT);
    database.removeBase("back");
    long now = database.clock().toEpochMilli() - LAYOUT.epoch().toEpochMilli();
    database.setWord("back", (now + 3_600_000) << 12);
    assertThatThrownBy(() -> database.draw("back"))
        .hasMessageContaining("firn_next: the clock of the database is ")
        .hasMessageContaining("ms behind the newest ID of back (expected: 1000 at most)");
    database.setWord("back", (now + 4_000) << 12); // it waits for less
    long id = database.draw("back");
    assertThat(instant(id)).isBefore(database.clock().plusMillis(1_010));
  }

  @Test
  default void noDrawWaitsForTheCommitOfAnother() throws Exception {
    SqlServer database = database();
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
}
