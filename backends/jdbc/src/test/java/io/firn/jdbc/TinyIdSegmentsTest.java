package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.segment.Segment;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentRefusedException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(300)
class TinyIdSegmentsTest {

  private final String key = TestDatabase.newTable();

  @BeforeAll
  static void makeTables() throws SQLException {
    TestDatabase.MARIADB.execute(
        """
        CREATE TABLE tiny_id_info (
          id bigint(20) unsigned NOT NULL AUTO_INCREMENT,
          biz_type varchar(63) NOT NULL DEFAULT '',
          begin_id bigint(20) NOT NULL DEFAULT '0',
          max_id bigint(20) NOT NULL DEFAULT '0',
          step int(11) DEFAULT '0',
          delta int(11) NOT NULL DEFAULT '1',
          remainder int(11) NOT NULL DEFAULT '0',
          create_time timestamp NOT NULL DEFAULT '2010-01-01 00:00:00',
          update_time timestamp NOT NULL DEFAULT '2010-01-01 00:00:00',
          version bigint(20) NOT NULL DEFAULT '0',
          PRIMARY KEY (id),
          UNIQUE KEY uniq_biz_type (biz_type)
        ) ENGINE=InnoDB""");
    TestDatabase.POSTGRES.execute(
        """
        CREATE TABLE tiny_id_info (
          id bigserial PRIMARY KEY,
          biz_type varchar(63) NOT NULL UNIQUE,
          begin_id bigint NOT NULL DEFAULT 0,
          max_id bigint NOT NULL DEFAULT 0,
          step int DEFAULT 0,
          delta int NOT NULL DEFAULT 1,
          remainder int NOT NULL DEFAULT 0,
          create_time timestamp NOT NULL DEFAULT '2010-01-01',
          update_time timestamp NOT NULL DEFAULT '2010-01-01',
          version bigint NOT NULL DEFAULT 0
        )""");
  }

  private TinyIdSegments add(TestDatabase database, long maxId, int step, int delta, int remainder)
      throws SQLException {
    database.execute(
        "INSERT INTO tiny_id_info (biz_type, max_id, step, delta, remainder)"
            + " VALUES ('%s', %d, %d, %d, %d)".formatted(key, maxId, step, delta, remainder));
    return TinyIdSegments.of(database.source());
  }

  private String column(TestDatabase database, String column) throws SQLException {
    return database.query("SELECT " + column + " FROM tiny_id_info WHERE biz_type = '" + key + "'");
  }

  /** Does what tinyid's server does for a number of segments, and returns its numbers. */
  private List<Long> tinyId(TestDatabase database, int segments) throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement()) {
      for (int done = 0; done < segments; ) {
        long id;
        long maxId;
        long step;
        long delta;
        long remainder;
        long version;
        try (ResultSet row =
            statement.executeQuery(
                "select id, biz_type, begin_id, max_id, step, delta, remainder, create_time,"
                    + " update_time, version from tiny_id_info where biz_type = '"
                    + key
                    + "'")) {
          row.next();
          id = row.getLong("id");
          maxId = row.getLong("max_id");
          step = row.getLong("step");
          delta = row.getLong("delta");
          remainder = row.getLong("remainder");
          version = row.getLong("version");
        }
        int rows =
            statement.executeUpdate(
                ("update tiny_id_info set max_id= %d, update_time=now(), version=version+1"
                        + " where id=%d and max_id=%d and version=%d and biz_type='%s'")
                    .formatted(maxId + step, id, maxId, version, key));
        if (rows == 1) {
          done++;
          for (long number = maxId + 1; number <= maxId + step; number++) {
            if (number % delta == remainder) {
              ids.add(number);
            }
          }
        }
      }
    }
    return ids;
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void numbersArePastTheCounterAndLeaveTheRemainder(TestDatabase database) throws SQLException {
    TinyIdSegments segments = add(database, 1, 6, 2, 1);
    assertThat(Drawing.numbers(segments.next(key, 1))).containsExactly(3L, 5L, 7L);
    assertThat(column(database, "max_id")).isEqualTo("7");
    assertThat(column(database, "version")).isEqualTo("1");
    assertThat(column(database, "update_time")).isGreaterThan("2020");
    assertThat(Drawing.numbers(segments.next(key, 4))).containsExactly(9L, 11L, 13L, 15L);
    assertThat(tinyId(database, 1)).containsExactly(17L, 19L, 21L);
    assertThat(segments.next(key, 3)).isEqualTo(new Segment(23, 3, 2));
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void undividedNumbersAreDense(TestDatabase database) throws SQLException {
    TinyIdSegments segments = add(database, 0, 10, 1, 0);
    assertThat(segments.next(key, 1)).isEqualTo(Segment.of(1, 10));
    assertThat(segments.next(key, 10)).isEqualTo(Segment.of(11, 10));
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void stepThatIsNoMultipleOfDeltaGivesEachNumberOnce(TestDatabase database) throws SQLException {
    TinyIdSegments segments = add(database, 0, 7, 3, 2);
    assertThat(Drawing.numbers(segments.next(key, 1))).containsExactly(2L, 5L);
    assertThat(tinyId(database, 1)).containsExactly(8L, 11L);
    assertThat(Drawing.numbers(segments.next(key, 3))).containsExactly(14L, 17L, 20L);
    assertThat(tinyId(database, 1)).containsExactly(23L, 26L, 29L);
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void tinyIdsServersRunBesideWithoutADuplicate(TestDatabase database) throws Exception {
    add(database, 1, 10, 2, 1);
    try (SegmentGenerator one = generator(database);
        SegmentGenerator two = generator(database)) {
      List<Long> all =
          Drawing.draw(
              List.of(
                  () -> Drawing.ids(one, 200),
                  () -> Drawing.ids(two, 200),
                  () -> tinyId(database, 30),
                  () -> tinyId(database, 30)));
      assertThat(all).hasSize(700).allMatch(id -> id > 1 && id % 2 == 1);
    }
  }

  private SegmentGenerator generator(TestDatabase database) {
    return SegmentGenerator.builder(TinyIdSegments.of(database.source()), key)
        .step(5)
        .maxWait(Duration.ofSeconds(20))
        .build();
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void unknownKeyIsRefused(TestDatabase database) {
    TinyIdSegments segments = TinyIdSegments.of(database.source());
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage("key: " + key + " in " + segments + " (expected: one that is known)");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void remainderThatNoNumberLeavesIsRefused(TestDatabase database) throws SQLException {
    TinyIdSegments segments = add(database, 1, 10, 2, 2);
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage(
            "delta: 2 and remainder 2 for key "
                + key
                + " in "
                + segments
                + " (expected: 1 or more, and a remainder of it)");
    assertThat(column(database, "max_id")).isEqualTo("1");
    assertThat(column(database, "version")).isEqualTo("0");
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void lastNumbersAreFewerAndThenThereAreNone(TestDatabase database) throws SQLException {
    TinyIdSegments segments = add(database, Long.MAX_VALUE - 5, 100, 2, 1);
    assertThat(segments.next(key, 10)).isEqualTo(new Segment(Long.MAX_VALUE - 4, 2, 2));
    assertThatThrownBy(() -> segments.next(key, 1))
        .isInstanceOf(SegmentRefusedException.class)
        .hasMessage(
            "max_id: 9223372036854775806 for key "
                + key
                + " in "
                + segments
                + " (expected: 0..9223372036854775805, to go on from)");
  }
}
