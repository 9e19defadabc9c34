package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentRefusedException;
import io.firn.segment.UnknownKeyException;
import io.firn.store.StoreException;
import io.firn.testkit.CuttingProxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.sqlite.SQLiteDataSource;

@Timeout(300)
class LeafSegmentsTest {

  private final String key = TestDatabase.newTable();

  @BeforeAll
  static void makeTables() throws SQLException {
    TestDatabase.MARIADB.execute(
        """
        CREATE TABLE leaf_alloc (
          biz_tag varchar(128) NOT NULL DEFAULT '',
          max_id bigint(20) NOT NULL DEFAULT '1',
          step int(11) NOT NULL,
          description varchar(256) DEFAULT NULL,
          update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP,
          PRIMARY KEY (biz_tag)
        ) ENGINE=InnoDB\
        """);
    TestDatabase.POSTGRES.execute(
        """
        CREATE TABLE leaf_alloc (
          biz_tag varchar(128) PRIMARY KEY,
          max_id bigint NOT NULL DEFAULT 1,
          step int NOT NULL,
          description varchar(256),
          update_time timestamp NOT NULL DEFAULT CURRENT_TIMESTAMP
        )\
        """);
  }

  private void add(TestDatabase database, long maxId, int step) throws SQLException {
    database.execute(
        "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('%s', %d, %d)"
            .formatted(key, maxId, step));
  }

  private String maxId(TestDatabase database) throws SQLException {
    return database.query("SELECT max_id FROM leaf_alloc WHERE biz_tag = '" + key + "'");
  }

  /** Does what Leaf's server does for a segment: two statements in one transaction. */
  private List<Long> leaf(TestDatabase database, int segments) throws SQLException {
    List<Long> ids = new ArrayList<>();
    String where = " WHERE biz_tag = '" + key + "'";
    try (Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      for (int i = 0; i < segments; i++) {
        statement.executeUpdate("UPDATE leaf_alloc SET max_id = max_id + step" + where);
        try (ResultSet row =
            statement.executeQuery("SELECT biz_tag, max_id, step FROM leaf_alloc" + where)) {
          row.next();
          long step = row.getLong("step");
          ids.addAll(Drawing.numbers(Segment.of(row.getLong("max_id") - step, step)));
        }
        connection.commit();
      }
    }
    return ids;
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void firstNumberIsOneAndEachSegmentFollowsTheLast(TestDatabase database) throws Exception {
    add(database, 1, 10);
    LeafSegments segments = LeafSegments.of(database.source());
    assertThat(segments.next(key, 9)).isEqualTo(Segment.of(1, 10));
    assertThat(segments.next(key, 11)).isEqualTo(Segment.of(11, 11));
    assertThat(leaf(database, 1)).first().isEqualTo(22L);
    assertThat(segments.next(key, 10)).isEqualTo(Segment.of(32, 10));
    assertThat(maxId(database)).isEqualTo("42");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void noCallWaitsForALockedRowAfterItsEnd(TestDatabase database) throws Exception {
    add(database, 1, 10);
    LeafSegments segments = LeafSegments.of(database.source());
    try (Connection other = DriverManager.getConnection(database.url());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.executeUpdate("UPDATE leaf_alloc SET step = 20 WHERE biz_tag = '" + key + "'");
      assertThatThrownBy(() -> segments.next(key, 1))
          .isInstanceOf(StoreException.class)
          .hasMessageMatching("Store .* failed after .*[Ll]ock .*timeout.*");
      assertThat(database.waitsForLocks("leaf_alloc")).isEqualTo("0");
      other.rollback();
    }
    assertThat(segments.next(key, 1)).isEqualTo(Segment.of(1, 10));
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void leafsServersRunBesideWithoutADuplicate(TestDatabase database) throws Exception {
    add(database, 1, 5);
    try (SegmentGenerator one = generator(database);
        SegmentGenerator two = generator(database)) {
      List<Long> all =
          Drawing.draw(
              List.of(
                  () -> Drawing.ids(one, 300),
                  () -> Drawing.ids(two, 300),
                  () -> leaf(database, 60),
                  () -> leaf(database, 60)));
      assertThat(all).hasSize(1_200).allMatch(id -> id >= 1);
    }
  }

  private SegmentGenerator generator(TestDatabase database) {
    return SegmentGenerator.builder(LeafSegments.of(database.source()), key)
        .step(5)
        .maxWait(Duration.ofSeconds(20))
        .build();
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void unknownKeyIsRefusedAndLeavesTheRowsAlone(TestDatabase database) throws SQLException {
    LeafSegments segments = LeafSegments.of(database.source());
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(UnknownKeyException.class)
        .hasMessage("key: " + key + " in " + segments + " (expected: one that is known)");
    assertThat(segments.toString()).startsWith("jdbc:").contains("//127.0.0.1:");
    assertThat(database.openTransactions()).isEqualTo("0");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void missingTableIsRefused(TestDatabase database) {
    String nowhere =
        database == TestDatabase.MARIADB
            ? database.url().replace("/firn?", "/mysql?")
            : database.url() + "&currentSchema=nowhere";
    LeafSegments segments = LeafSegments.of(TestDatabase.source(nowhere));
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageStartingWith("table: ")
        .hasMessageContaining("leaf_alloc")
        .hasMessageEndingWith(
            " in " + segments + " (expected: one that is there; nothing makes it)");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void lastNumbersAreFewerAndThenThereAreNone(TestDatabase database) throws SQLException {
    add(database, Long.MAX_VALUE - 2, 10);
    LeafSegments segments = LeafSegments.of(database.source());
    assertThat(segments.next(key, 10)).isEqualTo(Segment.of(Long.MAX_VALUE - 2, 2));
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage(
            "max_id: 9223372036854775807 for key "
                + key
                + " in "
                + segments
                + " (expected: 0..9223372036854775806, to go on from)");
    assertThat(maxId(database)).isEqualTo("9223372036854775807");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void negativeCounterIsRefusedAndLeftAsItIs(TestDatabase database) throws SQLException {
    add(database, -1, 10);
    LeafSegments segments = LeafSegments.of(database.source());
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessageStartingWith("max_id: -1 for key " + key + " in ");
    assertThat(maxId(database)).isEqualTo("-1");
  }

  /** The reply to the commit is among them. */
  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void noNumberComesTwiceWhereverTheExchangeIsCut(TestDatabase database) throws Exception {
    add(database, 1, 10);
    List<Long> all = new ArrayList<>();
    int given = 0;
    try (CuttingProxy proxy = CuttingProxy.to(database.server().address())) {
      LeafSegments segments = LeafSegments.of(TestDatabase.source(database.url(proxy.address())));
      for (int replies = 0; proxy.cuts() == replies; replies++) {
        proxy.cutReplyAfter(replies);
        try {
          all.addAll(Drawing.numbers(segments.next(key, 10)));
          given++;
        } catch (StoreException e) {
          assertThat(e).hasMessageContaining(" failed after ");
        }
        all.addAll(leaf(database, 1));
      }
      assertThat(all).doesNotHaveDuplicates();
      long taken = (Long.parseLong(maxId(database)) - 1) / 10;
      long leafs = proxy.cuts() + 1;
      assertThat(taken - leafs).as("of them lost: one, at the commit").isEqualTo(given + 1);
    }
    assertThat(database.openTransactions()).isEqualTo("0");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void lockedRowIsGivenUpInTime(TestDatabase database) throws Exception {
    add(database, 1, 10);
    LeafSegments segments = LeafSegments.of(database.source());
    segments.next(key, 10);
    try (Connection other = DriverManager.getConnection(database.url());
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      statement.executeUpdate("UPDATE leaf_alloc SET step = 10 WHERE biz_tag = '" + key + "'");
      long begin = System.nanoTime();
      assertThatThrownBy(() -> segments.next(key, 10))
          .isInstanceOf(StoreException.class)
          .hasMessageStartingWith("Store " + segments + " failed after ");
      assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(30));
      other.rollback();
    }
    assertThat(segments.next(key, 10)).isEqualTo(Segment.of(11, 10));
  }

  @Test
  void databaseThatCannotLockARowIsRefusedAndNotTakenForDown() {
    SQLiteDataSource source = new SQLiteDataSource();
    source.setUrl("jdbc:sqlite::memory:");
    assertThatThrownBy(() -> LeafSegments.of(source).next("orders", 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage(
            "database: SQLite in jdbc:sqlite::memory: (expected: one that locks rows: MySQL,"
                + " PostgreSQL or H2)");
  }
}
