package io.firn.server.http;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.TestThreads;
import io.firn.testservers.MariaDbServer;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * The server on the tables of Leaf and tinyid in a real MariaDB, which their own servers use too.
 */
@Timeout(180)
final class LegacySourcesTest {

  private static MariaDbServer database;
  private static HttpServing serving;

  @BeforeAll
  static void start() throws Exception {
    database = MariaDbServer.start();
    execute(
        """
        CREATE TABLE leaf_alloc (biz_tag varchar(128) NOT NULL DEFAULT '', max_id bigint NOT NULL,
          step int NOT NULL, description varchar(256), update_time timestamp NOT NULL
          DEFAULT CURRENT_TIMESTAMP ON UPDATE CURRENT_TIMESTAMP, PRIMARY KEY (biz_tag))""",
        "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('orders', 7215051, 1)",
        "INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('" + "k".repeat(128) + "', 1, 50)",
        """
        CREATE TABLE tiny_id_info (id bigint unsigned NOT NULL AUTO_INCREMENT PRIMARY KEY,
          biz_type varchar(63) NOT NULL UNIQUE, begin_id bigint NOT NULL DEFAULT 0,
          max_id bigint NOT NULL DEFAULT 0, step int DEFAULT 0, delta int NOT NULL DEFAULT 1,
          remainder int NOT NULL DEFAULT 0, create_time timestamp NOT NULL DEFAULT '2010-01-01',
          update_time timestamp NOT NULL DEFAULT '2010-01-01', version bigint NOT NULL DEFAULT 0)""",
        "INSERT INTO tiny_id_info (biz_type, begin_id, max_id, step, delta, remainder)"
            + " VALUES ('orders', 1, 1000, 4000, 2, 1)");
    String address = database.jdbcUrl();
    serving =
        HttpServing.start(
            """
            legacy-routes: on
            leaf: {source: 'leaf:%s'}
            tinyid: {source: 'tinyid:%s'}
            """
                .formatted(address, address));
  }

  @AfterAll
  static void stop() {
    serving.close();
    database.close();
  }

  private static Connection connect() throws Exception {
    return DriverManager.getConnection(database.jdbcUrl());
  }

  private static void execute(String... statements) throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  /** A server of Leaf takes segments by its own statements while clients have moved on. */
  @Test
  void continuesLeafsNumbersBesideItsOwnServer() throws Exception {
    Set<Long> ids = ConcurrentHashMap.newKeySet();
    AtomicBoolean over = new AtomicBoolean();
    TestThreads others = new TestThreads();
    others.start(
        () -> {
          while (!over.get()) {
            addAll(ids, leafSegment());
          }
        });
    long first = next("/api/segment/get/orders");
    assertThat(first).isGreaterThanOrEqualTo(7_215_051);
    assertThat(ids.add(first)).isTrue();
    for (int i = 0; i < 2_000; i++) {
      long id = next("/api/segment/get/orders");
      assertThat(ids.add(id)).as("%d was not issued before", id).isTrue();
    }
    over.set(true);
    others.join();
    assertThat(next("/api/segment/get/" + "k".repeat(128))).isEqualTo(1);
  }

  private static long next(String path) throws Exception {
    return Long.parseLong(serving.get(path).body());
  }

  private static void addAll(Set<Long> ids, long[] segment) {
    for (long id = segment[0]; id < segment[1]; id++) {
      assertThat(ids.add(id)).as("%d was not issued before", id).isTrue();
    }
  }

  /** As Leaf's own mapper does it. */
  private static long[] leafSegment() throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("UPDATE leaf_alloc SET max_id = max_id + step WHERE biz_tag = 'orders'");
      try (ResultSet row =
          statement.executeQuery("SELECT max_id, step FROM leaf_alloc WHERE biz_tag = 'orders'")) {
        row.next();
        long end = row.getLong(1);
        long begin = end - row.getInt(2);
        connection.commit();
        return new long[] {begin, end};
      }
    }
  }

  @Test
  void keepsDeltaAndRemainderOfTinyid() throws Exception {
    String[] segment =
        serving.get("/tinyid/id/nextSegmentIdSimple?bizType=orders").body().split(",", -1);
    assertThat(segment).hasSize(5);
    assertThat(segment[3]).isEqualTo("2");
    assertThat(segment[4]).isEqualTo("1");
    assertThat(Long.parseLong(segment[0]) % 2).isEqualTo(1);
    for (String id :
        serving.get("/tinyid/id/nextIdSimple?bizType=orders&batchSize=50").body().split(",", -1)) {
      assertThat(Long.parseLong(id) % 2).isEqualTo(1);
      assertThat(Long.parseLong(id)).isGreaterThan(1_000);
    }
  }

  /** A server of tinyid takes segments by its own statements while its SDKs ask Firn. */
  @Test
  void continuesTinyidsNumbersBesideItsOwnServer() throws Exception {
    Set<Long> ends = ConcurrentHashMap.newKeySet();
    AtomicBoolean over = new AtomicBoolean();
    TestThreads others = new TestThreads();
    others.start(
        () -> {
          while (!over.get()) {
            long end = tinyidSegmentEnd();
            assertThat(end == 0 || ends.add(end)).as("%d is the end of one segment", end).isTrue();
          }
        });
    for (int i = 0; i < 500; i++) {
      String segment = serving.get("/tinyid/id/nextSegmentIdSimple?bizType=orders").body();
      long end = Long.parseLong(segment.split(",", -1)[2]) + 1; // without the even one at the end
      assertThat(ends.add(end)).as("%d is the end of one segment", end).isTrue();
    }
    over.set(true);
    others.join();
    assertThat(ends).hasSizeGreaterThan(500).allMatch(end -> end % 4_000 == 1_000);
  }

  /** As a server of tinyid does it; 0 if another one was faster. */
  private static long tinyidSegmentEnd() throws Exception {
    try (Connection connection = connect();
        Statement statement = connection.createStatement();
        ResultSet row =
            statement.executeQuery(
                "SELECT id, max_id, step, version FROM tiny_id_info WHERE biz_type = 'orders'")) {
      row.next();
      long end = row.getLong(2) + row.getInt(3);
      int updated =
          statement.executeUpdate(
              "UPDATE tiny_id_info SET max_id = %d, update_time = now(), version = version + 1"
                      .formatted(end)
                  + " WHERE id = %d AND max_id = %d AND version = %d AND biz_type = 'orders'"
                      .formatted(row.getLong(1), row.getLong(2), row.getLong(4)));
      return updated == 1 ? end : 0;
    }
  }

  @Test
  void refusesKeysThatTheTablesDoNotHave() throws Exception {
    for (String path :
        List.of(
            "/api/segment/get/bills",
            "/v1/ids/leaf:bills",
            "/tinyid/id/nextId?bizType=bills",
            "/tinyid/id/nextIdSimple?bizType=bills",
            "/tinyid/id/nextSegmentId?bizType=bills",
            "/tinyid/id/nextSegmentIdSimple?bizType=bills")) {
      HttpResponse<String> answer = serving.get(path);
      assertThat(answer.statusCode()).as(path).isEqualTo(404);
      assertThat(answer.headers().firstValue("retry-after")).isEmpty();
      assertThat(answer.body())
          .contains("\"code\":\"unknown_key\"", "key: bills in ", "(expected: one that is known)");
    }
  }

  /** A row that is deleted later is missing as much as one that never was. */
  @Test
  void refusesAKeyThatTheTableHasNoLonger() throws Exception {
    execute("INSERT INTO leaf_alloc (biz_tag, max_id, step) VALUES ('deleted', 1, 1)");
    assertThat(next("/api/segment/get/deleted")).isEqualTo(1);
    execute("DELETE FROM leaf_alloc WHERE biz_tag = 'deleted'");
    HttpResponse<String> answer = serving.get("/api/segment/get/deleted");
    while (answer.statusCode() == 200) {
      answer = serving.get("/api/segment/get/deleted");
    }
    assertThat(answer.body()).contains("\"code\":\"unknown_key\"");
    assertThat(answer.statusCode()).isEqualTo(404);
  }

  @Test
  void namesTheRuleOfAKey() throws Exception {
    String rule = " (expected: 1..128 visible ASCII characters)";
    for (String key : List.of("a b", "k".repeat(129), "\u00fc")) {
      String escaped = URLEncoder.encode(key, UTF_8).replace("+", "%20");
      HttpResponse<String> leaf = serving.get("/api/segment/get/" + escaped);
      assertThat(leaf.statusCode()).isEqualTo(400);
      assertThat(leaf.body()).contains("key: " + key + rule);
      assertThat(serving.get("/tinyid/id/nextId?bizType=" + escaped).body())
          .contains("bizType: " + key + rule);
    }
  }
}
