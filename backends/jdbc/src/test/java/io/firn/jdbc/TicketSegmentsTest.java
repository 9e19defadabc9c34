package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentRefusedException;
import io.firn.store.StoreException;
import io.firn.testkit.ManualTimeSource;
import io.firn.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** MariaDB has the odd numbers, PostgreSQL the even ones. */
@Timeout(300)
class TicketSegmentsTest {

  private final String key = TestDatabase.newTable();
  private final ManualTimeSource time = new ManualTimeSource(Instant.EPOCH);

  @BeforeEach
  void makeTickets() throws SQLException {
    TestDatabase.MARIADB.execute(
        "CREATE TABLE "
            + key
            + " (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,"
            + " stub char(1) NOT NULL DEFAULT '', UNIQUE KEY stub (stub))");
    TestDatabase.POSTGRES.execute("CREATE SEQUENCE " + key + " INCREMENT BY 2 START 2");
  }

  /** Returns an address whose sessions have these settings, in place of the server's own. */
  private static String mariaDb(int increment, int offset) {
    return TestDatabase.MARIADB.url()
        + "&sessionVariables=auto_increment_increment="
        + increment
        + ",auto_increment_offset="
        + offset;
  }

  private static DataSource odd() {
    return TestDatabase.source(mariaDb(2, 1));
  }

  private TicketSegments both() {
    return TicketSegments.builder(2)
        .server(1, odd())
        .server(2, TestDatabase.POSTGRES.source())
        .timeSource(time)
        .build();
  }

  private TicketSegments only(int increment, int offset, DataSource source) {
    return TicketSegments.builder(increment).server(offset, source).timeSource(time).build();
  }

  /** Does what a client of Flickr's ticket servers does. */
  private List<Long> flickr(int count) throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(mariaDb(2, 1));
        Statement statement = connection.createStatement()) {
      for (int i = 0; i < count; i++) {
        statement.execute("REPLACE INTO " + key + " (stub) VALUES ('a')");
        try (ResultSet row = statement.executeQuery("SELECT LAST_INSERT_ID()")) {
          row.next();
          ids.add(row.getLong(1));
        }
      }
    }
    return ids;
  }

  /**
   * PostgreSQL logs a sequence 32 numbers ahead. Who draws one of those logs nothing, and would use
   * numbers that come again if the server crashes before it writes the log of the draw before.
   */
  @Test
  void drawWaitsForTheDiskEvenIfAnotherSessionLoggedTheSequence() throws SQLException {
    try (PostgresServer server = PostgresServer.start("-c", "wal_writer_delay=10s")) {
      DataSource source = TestDatabase.source(server.jdbcUrl());
      try (Connection first = source.getConnection();
          Statement statement = first.createStatement()) {
        statement.execute("CREATE SEQUENCE tickets INCREMENT BY 2 START 2");
        first.setAutoCommit(false);
        statement.execute("SELECT nextval('tickets')"); // logged, and not committed yet
        String logged = text(statement, "SELECT pg_current_wal_insert_lsn()");

        only(2, 2, source).next("tickets", 1);

        assertThat(
                text(
                    statement,
                    "SELECT pg_current_wal_flush_lsn() >= CAST('" + logged + "' AS pg_lsn)"))
            .isEqualTo("t");
      }
    }
  }

  private static String text(Statement statement, String sql) throws SQLException {
    try (ResultSet row = statement.executeQuery(sql)) {
      row.next();
      return row.getString(1);
    }
  }

  @Test
  void databasesAreAskedInTurn() {
    TicketSegments tickets = both();
    assertThat(tickets.toString()).isEqualTo("jdbc:tickets/1, jdbc:tickets/2");
    assertThat(tickets.next(key, 3)).isEqualTo(new Segment(1, 1, 2));
    assertThat(tickets.next(key, 3)).isEqualTo(new Segment(2, 3, 2));
    assertThat(tickets.next(key, 3)).isEqualTo(new Segment(3, 1, 2));
    assertThat(tickets.next(key, 1_000)).isEqualTo(new Segment(8, 100, 2));
    assertThat(tickets.toString())
        .matches(
            "jdbc:mariadb://127.0.0.1:[0-9]+/firn, jdbc:postgresql://127.0.0.1:[0-9]+/postgres");
  }

  @Test
  void otherClientsRunBesideWithoutADuplicate() throws Exception {
    try (SegmentGenerator one = generator();
        SegmentGenerator two = generator()) {
      List<Long> all =
          Drawing.draw(
              List.of(
                  () -> Drawing.ids(one, 200),
                  () -> Drawing.ids(two, 200),
                  () -> flickr(100),
                  () -> flickr(100)));
      assertThat(all).hasSize(600);
    }
  }

  private SegmentGenerator generator() {
    return SegmentGenerator.builder(both(), key)
        .step(5)
        .interleaved()
        .maxWait(Duration.ofSeconds(20))
        .build();
  }

  @Test
  void deadDatabaseIsLeftOutAndFoundAgain() {
    TicketSegments tickets = both();
    assertThat(tickets.next(key, 1).first()).isEqualTo(1);
    assertThat(tickets.next(key, 1).first()).isEqualTo(2);
    TestDatabase.MARIADB.server().kill();
    try {
      for (int i = 0; i < 3; i++) {
        assertThat(tickets.next(key, 1).first()).isEqualTo(4 + 2 * i);
      }
    } finally {
      TestDatabase.MARIADB.server().restart();
    }
    time.advance(Duration.ofSeconds(10).minusNanos(1));
    assertThat(evenOfTwo(tickets)).isEqualTo(2);
    time.advance(Duration.ofNanos(1));
    assertThat(evenOfTwo(tickets)).isEqualTo(1);
  }

  private long evenOfTwo(TicketSegments tickets) {
    return List.of(tickets.next(key, 1), tickets.next(key, 1)).stream()
        .filter(segment -> segment.first() % 2 == 0)
        .count();
  }

  @Test
  void databaseThatIsLeftOutIsAskedWhenNoOtherAnswers() {
    TicketSegments tickets = only(2, 1, odd());
    TestDatabase.MARIADB.server().kill();
    try {
      for (int i = 0; i < 2; i++) {
        assertThatThrownBy(() -> tickets.next(key, 1))
            .isInstanceOf(StoreException.class)
            .hasMessageStartingWith("Store jdbc:tickets/1 failed after ");
      }
    } finally {
      TestDatabase.MARIADB.server().restart();
    }
    assertThat(tickets.next(key, 1)).isEqualTo(new Segment(1, 1, 2));
  }

  @Test
  void stoppedDatabaseTakesASecond() {
    TestDatabase.POSTGRES.server().pause();
    try {
      DataSource source = TestDatabase.source(TestDatabase.POSTGRES.url() + "&loginTimeout=1");
      TicketSegments stopped =
          TicketSegments.builder(2).server(2, source).server(1, odd()).timeSource(time).build();
      stopped.next(key, 1);
      long begin = System.nanoTime();
      assertThat(stopped.next(key, 1).stride()).isEqualTo(2);
      assertThat(stopped.next(key, 1).stride()).isEqualTo(2);
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(60));
    } finally {
      TestDatabase.POSTGRES.server().resume();
    }
  }

  @Test
  void numberOfAnothersIsRefused() {
    TicketSegments tickets = only(2, 2, odd());
    assertThatThrownBy(() -> tickets.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage("ticket: 1 for key " + key + " in " + tickets + " (expected: 2 modulo 2)");
  }

  @Test
  void keyThatNoDatabaseKnowsIsRefused() {
    TicketSegments tickets = both();
    assertThatThrownBy(() -> tickets.next("nothing", 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageStartingWith("table: ")
        .hasMessageContaining("nothing")
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
  }

  @Test
  void sequenceSharedWithOthersGivesConsecutiveNumbersOnly() throws SQLException {
    TestDatabase.POSTGRES.execute("ALTER SEQUENCE " + key + " INCREMENT BY 4");
    TicketSegments tickets = only(2, 2, TestDatabase.POSTGRES.source());
    assertThat(tickets.next(key, 3)).isEqualTo(new Segment(2, 1, 2));
    assertThat(tickets.next(key, 3)).isEqualTo(new Segment(14, 1, 2));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "&useServerPrepStmts=true"})
  void mySqlsDriverReportsTheSame(String parameters) throws SQLException {
    String url = mariaDb(2, 1).replace("jdbc:mariadb:", "jdbc:mysql:") + parameters;
    DataSource source = TestDatabase.source(url);
    source.getConnection().close(); // loading the driver may take longer than a server has
    TicketSegments tickets = only(2, 1, source);
    assertThat(tickets.next(key, 1).first()).isEqualTo(1);
    assertThat(tickets.next(key, 1).first()).isEqualTo(3);
    assertThat(tickets.next(key, 1).first()).isEqualTo(5);
  }

  @Test
  void otherDatabasesAreRefused() {
    JdbcDataSource h2 = new JdbcDataSource();
    h2.setURL("jdbc:h2:mem:tickets");
    assertThatThrownBy(() -> only(1, 1, h2).next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage("dialect: H2 in jdbc:h2:mem:tickets (expected: MySQL, MariaDB or PostgreSQL)");
  }

  @Test
  void wrongSettingsAreRefused() {
    refuses(() -> TicketSegments.builder(0), "increment: 0 (expected: 1..65535)");
    refuses(() -> TicketSegments.builder(65_536), "increment: 65536 (expected: 1..65535)");
    TicketSegments.Builder builder = TicketSegments.builder(2);
    refuses(builder::build, "servers: 0 (expected: 1..2)");
    refuses(() -> builder.server(0, odd()), "offset: 0 (expected: 1..2)");
    refuses(() -> builder.server(3, odd()), "offset: 3 (expected: 1..2)");
    builder.server(2, odd());
    refuses(() -> builder.server(2, odd()), "offset: 2 (expected: set once, it is 2)");
    refuses(
        () -> both().next("a; DROP TABLE b", 1),
        "key: a; DROP TABLE b (expected: NAME or SCHEMA.NAME of letters, digits and _)");
  }

  private static void refuses(Runnable call, String message) {
    assertThatIllegalArgumentException().isThrownBy(call::run).withMessage(message);
  }
}
