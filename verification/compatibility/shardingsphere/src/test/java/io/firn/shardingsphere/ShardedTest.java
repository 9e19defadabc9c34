package io.firn.shardingsphere;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentEntry;
import io.firn.store.RegisterStore;
import io.firn.testkit.TestThreads;
import io.firn.wide.Uuids;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import javax.sql.DataSource;
import org.apache.shardingsphere.driver.api.yaml.YamlShardingSphereDataSourceFactory;
import org.apache.shardingsphere.infra.algorithm.core.context.AlgorithmSQLContext;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two databases behind ShardingSphere-JDBC. */
class ShardedTest {

  private static final String DATABASE =
      "jdbc:h2:mem:%s;DB_CLOSE_DELAY=-1;DATABASE_TO_LOWER=TRUE;CASE_INSENSITIVE_IDENTIFIERS=TRUE";

  private static final RegisterStore STORE = RegisterStore.open("memory:");

  private static DataSource sharded;

  @BeforeAll
  static void open() throws SQLException, IOException {
    sharded =
        dataSource(
            """
            leased: { type: FIRN_SNOWFLAKE, props: { store: "memory:", namespace: sharded } }
            given:
              type: FIRN_SNOWFLAKE
              props:
                worker-id: 17
                layout: classic
                max-vibration-offset: 3
                max-tolerate-time-difference-milliseconds: 10
            counted: { type: FIRN_SEGMENT, props: { store: "memory:", step: 100 } }
            uuids: { type: FIRN_UUID7 }
            """);
    execute("create table t_leased (id bigint primary key, what varchar(20))");
    execute("create table t_given (id bigint primary key, what varchar(20))");
    execute("create table t_counted (id bigint primary key, what varchar(20))");
    execute("create table t_spelled (id bigint primary key, what varchar(20))");
    execute("create table t_traced (id varchar(36) primary key, what bigint)");
  }

  @AfterAll
  static void close() throws Exception {
    ((AutoCloseable) sharded).close();
  }

  private static DataSource dataSource(String generators) throws SQLException, IOException {
    String yaml =
        """
        dataSources:
          ds_0:
            dataSourceClassName: com.zaxxer.hikari.HikariDataSource
            driverClassName: org.h2.Driver
            jdbcUrl: %s
            username: sa
            password:
          ds_1:
            dataSourceClassName: com.zaxxer.hikari.HikariDataSource
            driverClassName: org.h2.Driver
            jdbcUrl: %s
            username: sa
            password:
        rules:
        - !SHARDING
          tables:
            t_leased:
              actualDataNodes: ds_${0..1}.t_leased
              databaseStrategy:
                standard: { shardingColumn: id, shardingAlgorithmName: by_id }
              keyGenerateStrategy: { column: id, keyGeneratorName: leased }
            t_given:
              actualDataNodes: ds_${0..1}.t_given
              databaseStrategy:
                standard: { shardingColumn: id, shardingAlgorithmName: by_id }
              keyGenerateStrategy: { column: id, keyGeneratorName: given }
            t_counted:
              actualDataNodes: ds_${0..1}.t_counted
              databaseStrategy:
                standard: { shardingColumn: id, shardingAlgorithmName: by_id }
              keyGenerateStrategy: { column: id, keyGeneratorName: counted }
            t_spelled:
              actualDataNodes: ds_${0..1}.t_spelled
              databaseStrategy:
                standard: { shardingColumn: id, shardingAlgorithmName: by_id }
              keyGenerateStrategy: { column: id, keyGeneratorName: counted }
            t_traced:
              actualDataNodes: ds_${0..1}.t_traced
              databaseStrategy:
                standard: { shardingColumn: what, shardingAlgorithmName: by_what }
              keyGenerateStrategy: { column: id, keyGeneratorName: uuids }
          shardingAlgorithms:
            by_id: { type: INLINE, props: { algorithm-expression: "ds_${id %% 2}" } }
            by_what: { type: INLINE, props: { algorithm-expression: "ds_${what %% 2}" } }
          keyGenerators:
        %s
        """
            .formatted(
                DATABASE.formatted("ds_0"), DATABASE.formatted("ds_1"), generators.indent(4));
    return YamlShardingSphereDataSourceFactory.createDataSource(
        yaml.getBytes(StandardCharsets.UTF_8));
  }

  private static void execute(String sql) throws SQLException {
    try (Connection connection = sharded.getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(sql);
    }
  }

  /** Inserts so many rows with one statement and returns their keys. */
  private static List<Long> insert(String table, int rows) throws SQLException {
    String sql = "insert into " + table + " (what) values (?)" + ", (?)".repeat(rows - 1);
    try (Connection connection = sharded.getConnection();
        PreparedStatement statement =
            connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)) {
      for (int row = 1; row <= rows; row++) {
        statement.setString(row, "row " + row);
      }
      assertThat(statement.executeUpdate()).isEqualTo(rows);
      List<Long> keys = new ArrayList<>();
      try (ResultSet generated = statement.getGeneratedKeys()) {
        while (generated.next()) {
          keys.add(generated.getLong(1));
        }
      }
      return keys;
    }
  }

  private static long rowsOf(String database, String table) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection(DATABASE.formatted(database), "sa", "");
        Statement statement = connection.createStatement();
        ResultSet count = statement.executeQuery("select count(*) from " + table)) {
      count.next();
      return count.getLong(1);
    }
  }

  @Test
  void leasesOneWorkerForAllAlgorithmsWhenTheFirstRowIsInserted() throws SQLException {
    assertThat(Namespace.of(STORE, "sharded").workers()).isEmpty();

    List<Long> keys = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      keys.addAll(insert("t_leased", 1));
    }
    assertThat(Namespace.of(STORE, "sharded").workers()).singleElement().matches(WorkerEntry::held);
    assertThat(Namespace.of(STORE, "sharded").layout()).contains(IdLayout.SHARDINGSPHERE);

    assertThat(keys).hasSize(100).doesNotHaveDuplicates().isSorted();
    assertThat(rowsOf("ds_0", "t_leased")).isEqualTo(50);
    assertThat(rowsOf("ds_1", "t_leased")).isEqualTo(50);
  }

  @Test
  void takesOneBlockForTheRowsOfOneStatement() throws SQLException {
    assertThat(insert("t_counted", 30)).isEqualTo(LongStream.rangeClosed(1, 30).boxed().toList());
    assertThat(insert("t_counted", 1)).containsExactly(31L);
    assertThat(rowsOf("ds_0", "t_counted")).isEqualTo(15);
    assertThat(rowsOf("ds_1", "t_counted")).isEqualTo(16);
    assertThat(RegisterSegments.of(STORE).entries())
        .extracting(SegmentEntry::key)
        .contains("t_counted");
  }

  @Test
  void countsATableOnceInWhateverCaseStatementsWriteIt() throws SQLException {
    assertThat(insert("T_SPELLED", 2)).containsExactly(1L, 2L);
    assertThat(insert("t_spelled", 1)).containsExactly(3L);
    assertThat(insert("T_Spelled", 1)).containsExactly(4L);
    assertThat(countersOf("t_spelled")).containsExactly("t_spelled");
  }

  private static List<String> countersOf(String table) {
    return RegisterSegments.of(STORE).entries().stream()
        .map(SegmentEntry::key)
        .filter(table::equalsIgnoreCase)
        .toList();
  }

  private static List<Long> numbers(String table) {
    Properties properties = new Properties();
    properties.putAll(Map.of("store", "memory:", "step", 10));
    FirnSegmentAlgorithm algorithm = new FirnSegmentAlgorithm();
    algorithm.init(properties);
    List<Long> keys = new ArrayList<>();
    algorithm
        .generateKeys(new AlgorithmSQLContext("db", "public", table, "id"), 1)
        .forEach(key -> keys.add((Long) key));
    return keys;
  }

  @Test
  void continuesTheCounterThatATableHasInAnotherCase() {
    RegisterSegments.of(STORE).raise("T_Upper", 500);
    assertThat(numbers("t_upper")).containsExactly(500L);
    assertThat(numbers("T_UPPER")).containsExactly(501L);
    assertThat(countersOf("t_upper")).containsExactly("T_Upper");
  }

  @Test
  void refusesATableThatHasTwoCounters() {
    RegisterSegments.of(STORE).raise("t_twice", 500);
    RegisterSegments.of(STORE).raise("T_TWICE", 100);
    assertThatThrownBy(() -> numbers("t_twice"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "key: not set (expected: one of T_TWICE, t_twice, which all count table t_twice,"
                + " raised above every key in use)");
    assertThat(countersOf("t_twice")).hasSize(2);
  }

  @Test
  void leavesABlockWholeWhileOthersInsert() throws Exception {
    Properties properties = new Properties();
    properties.putAll(Map.of("store", "memory:", "key", "blocks", "step", 1_000_000));
    FirnSegmentAlgorithm algorithm = new FirnSegmentAlgorithm();
    algorithm.init(properties);
    AlgorithmSQLContext sql = new AlgorithmSQLContext("db", "public", "t", "id");
    Callable<Long> insert =
        () -> {
          long whole = 0;
          for (int statement = 0; statement < 500; statement++) {
            List<Long> keys = new ArrayList<>();
            algorithm.generateKeys(sql, 50).forEach(key -> keys.add((Long) key));
            whole += keys.get(49) - keys.get(0) == 49 ? 1 : 0;
          }
          return whole;
        };
    assertThat(TestThreads.together(Collections.nCopies(4, insert))).containsOnly(500L);
  }

  @Test
  void takesTheirOwnProperties() throws SQLException {
    List<Long> keys = insert("t_given", 50);
    assertThat(keys).doesNotHaveDuplicates();
    assertThat(keys).allMatch(key -> IdLayout.CLASSIC.parse(key).worker() == 17);
    assertThat(IdLayout.CLASSIC.parse(keys.get(0)).sequence()).isLessThanOrEqualTo(3);
  }

  private static FirnSnowflakeAlgorithm algorithm(Map<String, ?> settings) {
    Properties properties = new Properties();
    properties.putAll(settings);
    FirnSnowflakeAlgorithm algorithm = new FirnSnowflakeAlgorithm();
    algorithm.init(properties);
    return algorithm;
  }

  private static List<Long> keys(FirnSnowflakeAlgorithm algorithm, int count) {
    List<Long> keys = new ArrayList<>();
    algorithm
        .generateKeys(new AlgorithmSQLContext("db", "public", "t", "id"), count)
        .forEach(key -> keys.add((Long) key));
    return keys;
  }

  @Test
  void takesEverySettingOfAGenerator() {
    String layout = "37t+5d+5w+16s@2026-01-01T00:00:00Z/1ms";
    Map<String, Object> settings = new HashMap<>(Map.of("store", "memory:", "namespace", "tuned"));
    settings.putAll(Map.of("layout", layout, "datacenter", 3, "worker", 4, "window", "20s"));
    settings.putAll(Map.of("max-lead", "1s", "max-wait", "100ms", "sequence-start", "zero"));
    settings.put("allow-under-ten-years", true);
    IdParts parts = IdLayout.of(layout).parse(keys(algorithm(settings), 1).get(0));
    assertThat(parts.datacenter()).isEqualTo(3);
    assertThat(parts.worker()).isEqualTo(4);
    assertThat(parts.sequence()).isZero();
    assertThat(Namespace.of(STORE, "tuned").workers()).singleElement().matches(WorkerEntry::held);
  }

  @Test
  void sharesOneGeneratorAmongAlgorithmsOfTheSameSettings() {
    Map<String, Object> settings = Map.of("worker-id", 19, "max-vibration-offset", 3);
    FirnSnowflakeAlgorithm one = algorithm(settings);
    FirnSnowflakeAlgorithm other = algorithm(settings);
    List<Long> keys = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      keys.addAll(keys(one, 1));
      keys.addAll(keys(other, 1));
    }
    assertThat(keys).doesNotHaveDuplicates().isSorted();
  }

  /** Two generators of one worker would issue the same IDs. */
  @Test
  void refusesAWorkerThatAnAlgorithmOfOtherSettingsHas() {
    FirnSnowflakeAlgorithm first = algorithm(Map.of("worker-id", 20, "sequence-start", "zero"));
    assertThatThrownBy(() -> algorithm(Map.of("worker", 20, "max-lead", "2s")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "worker: 20 (expected: one that no algorithm of other settings has in this process)");
    assertThat(keys(first, 1)).hasSize(1);
    Map<String, Object> classic = Map.of("worker", 20, "layout", "classic");
    assertThat(keys(algorithm(classic), 1)).hasSize(1);
    assertThat(keys(algorithm(classic), 1)).hasSize(1);
  }

  @Test
  void namesSettingsInMessagesAsTheirUserDoes() {
    assertThatThrownBy(() -> algorithm(Map.of("worker", 21, "max-lead", "9000h")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("max-lead: 9000h (expected: 0ms..8760h)");
  }

  @Test
  void issuesUuids() throws SQLException {
    try (Connection connection = sharded.getConnection();
        Statement statement = connection.createStatement()) {
      statement.executeUpdate("insert into t_traced (what) values (1), (2)");
      try (ResultSet rows = statement.executeQuery("select id from t_traced order by what")) {
        rows.next();
        String first = rows.getString(1);
        assertThat(Uuids.parse(first).version()).isEqualTo(7);
        rows.next();
        assertThat(rows.getString(1)).isGreaterThan(first);
      }
    }
  }

  @Test
  void startsNothingThatIsConfiguredWrongly() {
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { machine-id: 1 } }",
        "property: machine-id (expected: one of store, namespace, layout, next-layout, datacenter,"
            + " worker, instance, window, acquire-timeout, max-clock-skew, max-split, after-loss, settle-time, carry-over, max-lead, max-wait,"
            + " sequence-start, clock-policy, allow-under-ten-years, worker-id, max-vibration-offset,"
            + " max-tolerate-time-difference-milliseconds)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { worker: 1, worker-id: 1 } }",
        "worker: 1 (expected: not beside ShardingSphere's own name for it)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { worker: 1, max-lead: 5 } }",
        "max-lead: 5 (expected: a time, as 500ms or 5s or 2m or 1h)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE,"
            + " props: { worker: 1, clock-policy: twitter, max-wait: 1s } }",
        "max-wait: 1s (expected: not set beside clock-policy)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE }",
        "worker: not set (expected: 0..1023, it is never guessed)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { worker-id: 1024 } }",
        "worker-id: 1024 (expected: 0..1023, the layout has 10 worker bits)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { store: 'memory:' } }",
        "namespace: not set (expected: a property of it)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { namespace: orders } }",
        "namespace: orders (expected: with a store)");
    refuses(
        "leased: { type: FIRN_SNOWFLAKE, props: { worker-id: 1, layout: flat } }",
        "layout: flat (expected: a name such as twitter, or a form such as"
            + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
    refuses(
        "leased: { type: FIRN_SEGMENT, props: { key: orders } }",
        "store: not set (expected: a property of it)");
    refuses(
        "leased: { type: FIRN_UUID7, props: { worker-id: 1 } }",
        "property: worker-id (expected: none)");
  }

  @Test
  void refusesAValueAtTheStartThatWouldFailTheFirstInsert() {
    refusesLeased(Map.of("store", "mem:"), "store: mem: (expected: one of file:DIR, memory:");
    refusesLeased(Map.of("store", "file:/x?bogus=1"), "bogus: ");
    refusesLeased(Map.of("store", ""), "store:  (expected: SCHEME:ADDRESS, as file:DIR)");
    refusesLeased(Map.of("store", "file:"), "store: file: (expected: file:DIR)");
    refusesLeased(Map.of("namespace", "or ders"), "namespace: or ders (expected: ");
    refusesLeased(Map.of("window", "1ms"), "window: 1ms (expected: 100ms..24h)");
    refusesLeased(Map.of("worker-id", 5000), "worker-id: 5000 (expected: 0..1023");
    refusesLeased(
        Map.of("max-tolerate-time-difference-milliseconds", -5),
        "max-tolerate-time-difference-milliseconds: -5 (expected: 0ms..");
    refusesLeased(
        Map.of("max-vibration-offset", 1, "max-tolerate-time-difference-milliseconds", -5),
        "max-tolerate-time-difference-milliseconds: -5 (expected: 0ms..");
    refusesLeased(Map.of("max-vibration-offset", -1), "max-vibration-offset: -1 (expected: ");
    refusesCounted(Map.of("store", "mem:"), "store: mem: (expected: one of file:DIR, memory:");
    refusesCounted(Map.of("step", 0), "step: 0 (expected: 1..");
    refusesCounted(Map.of("key", ""), "key:  (expected: ");
  }

  private static void refusesLeased(Map<String, ?> changed, String message) {
    Map<String, Object> settings = new HashMap<>(Map.of("store", "memory:", "namespace", "n"));
    settings.putAll(changed);
    assertThatThrownBy(() -> algorithm(settings))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  private static void refusesCounted(Map<String, ?> changed, String message) {
    Properties properties = new Properties();
    properties.put("store", "memory:");
    properties.putAll(changed);
    assertThatThrownBy(() -> new FirnSegmentAlgorithm().init(properties))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(message);
  }

  @Test
  void opensNoFilesBeforeTheFirstInsert(@TempDir Path directory) {
    Path registers = directory.resolve("registers");
    algorithm(Map.of("store", "file:" + registers, "namespace", "unused"));
    assertThat(registers).doesNotExist();
  }

  private static void refuses(String generators, String message) {
    assertThatThrownBy(() -> dataSource(generators))
        .satisfiesAnyOf(
            thrown -> assertThat(thrown).hasMessage(message),
            thrown -> assertThat(thrown).hasRootCauseMessage(message));
  }
}
