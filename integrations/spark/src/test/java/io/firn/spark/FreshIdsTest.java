package io.firn.spark;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.Watermark;
import io.firn.spark.Journal.Fault;
import io.firn.store.RegisterStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import org.apache.spark.api.java.function.CoGroupFunction;
import org.apache.spark.api.java.function.MapFunction;
import org.apache.spark.api.java.function.MapGroupsFunction;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Encoders;
import org.apache.spark.sql.KeyValueGroupedDataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.Literal;
import org.apache.spark.sql.catalyst.plans.logical.FlatMapCoGroupsInPandas;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.types.DataTypes;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import scala.jdk.javaapi.CollectionConverters;

class FreshIdsTest {

  private static final int ROWS = 20_000;

  @TempDir static Path directory;

  private static SparkSession session;
  private static Dataset<Row> rows;

  @BeforeAll
  static void start() {
    session = Sessions.local(directory.resolve("store"));
    rows = Sessions.files(session, directory.resolve("rows"), ROWS, 4);
    rows.createOrReplaceTempView("rows");
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  private static List<Long> longs(Dataset<Row> column) {
    return column.as(Encoders.LONG()).collectAsList();
  }

  private static Set<Long> distinct(Dataset<Row> column, int expected) {
    Set<Long> ids = new HashSet<>(longs(column));
    assertThat(ids).hasSize(expected);
    return ids;
  }

  @Test
  void insertSelectAndCreateTableAsGiveEachRowAnId() {
    session.sql("CREATE TABLE inserted (id BIGINT, key BIGINT) USING parquet");
    session.sql("INSERT INTO inserted SELECT firn_id('orders'), key FROM rows");
    session.sql(
        "CREATE TABLE created USING parquet AS SELECT firn_id('orders') AS id, key FROM rows");
    session.sql("INSERT INTO inserted SELECT firn_id('orders'), key FROM rows");
    distinct(session.sql("SELECT id FROM inserted UNION ALL SELECT id FROM created"), 3 * ROWS);
    assertThat(session.table("inserted").schema().apply("id").dataType().simpleString())
        .isEqualTo("bigint");
  }

  @Test
  void twoActionsOnOneDatasetHaveNoIdInCommon() {
    Dataset<Row> stamped = FirnSpark.stamp(rows, "id", StampOptions.fresh("orders"));
    Set<Long> all = distinct(stamped.select("id"), ROWS);
    all.addAll(distinct(stamped.select("id"), ROWS));
    assertThat(all).hasSize(2 * ROWS);
  }

  @Test
  void anEvictedCacheGivesNoIdTwice() {
    Dataset<Row> stamped = FirnSpark.stamp(rows, "id", StampOptions.fresh("orders")).cache();
    Set<Long> all = distinct(stamped.select("id"), ROWS);
    stamped.unpersist(true);
    stamped.cache();
    all.addAll(distinct(stamped.select("id"), ROWS));
    assertThat(all).hasSize(2 * ROWS);
    stamped.unpersist(true);
  }

  @Test
  void aRetriedTaskGetsOtherIds() throws Exception {
    Path journal = Files.createDirectory(directory.resolve("retried"));
    FirnSpark.stamp(rows, "id", StampOptions.fresh("orders"))
        .foreachPartition(new Journal(journal, Fault.FAILURE, 1000));
    Journal.noIdHasTwoRows(journal);
    assertThat(Journal.attempts(journal)).isEqualTo(rows.rdd().getNumPartitions() + 1);
    assertThat(Journal.read(journal)).hasSize(ROWS + 1000);
  }

  @Test
  void anIdThatIsUsedTwiceInARowIsTheSame() {
    Dataset<Row> pairs =
        session.sql(
            "SELECT id, id AS same, id + 1 AS next, firn_id('orders') AS other, key FROM (SELECT"
                + " firn_id('orders') AS id, key FROM rows) WHERE id % 2 = 0 AND key < 500");
    List<Row> found = pairs.collectAsList();
    assertThat(found).isNotEmpty().hasSizeLessThan(500);
    assertThat(found)
        .allSatisfy(
            row -> {
              long id = row.getAs("id");
              assertThat(id % 2).isZero();
              assertThat(row.<Long>getAs("same")).isEqualTo(id);
              assertThat(row.<Long>getAs("next")).isEqualTo(id + 1);
              assertThat(row.<Long>getAs("other")).isNotEqualTo(id);
            });
  }

  /** Spark takes equal parts of a plan for one, if their expressions are equal. */
  @Test
  void equalQueriesInOneHaveIdsOfTheirOwn() {
    String part = "SELECT /*+ REPARTITION(2, key) */ key, firn_id('orders') AS id FROM rows";
    Dataset<Row> both =
        session.sql(
            "SELECT id FROM (SELECT key, id FROM ("
                + part
                + ") DISTRIBUTE BY key) UNION ALL"
                + " SELECT id FROM (SELECT key, id FROM ("
                + part
                + ") DISTRIBUTE BY key)");
    distinct(both, 2 * ROWS);
  }

  @Test
  void rowsThatSparkComputesWhileItPlansHaveIds() {
    Dataset<Row> local =
        session.createDataset(List.of(1L, 2L, 3L), Encoders.LONG()).selectExpr("firn_id('orders')");
    distinct(local, 3);
    Dataset<Row> one = session.sql("SELECT firn_id('orders')");
    distinct(one, 1);
    assertThat(one.columns()).containsExactly("firn_id('orders')");
    distinct(session.sql("SELECT firn_id('orders') FROM VALUES (1), (2)"), 2);
  }

  @Test
  void theFunctionIsCompiledWithTheRestOfItsQuery() {
    Dataset<Row> stamped = FirnSpark.stamp(rows, "id", StampOptions.fresh("orders"));
    assertThat(Internals.queryExecution(stamped).executedPlan().toString())
        .contains("*(1) Project [key#", "firn_id('orders') AS id#");
  }

  @Test
  void queriesThatSparkDoesNotCompileHaveIds() {
    session.conf().set("spark.sql.codegen.wholeStage", false);
    session.conf().set("spark.sql.codegen.factoryMode", "NO_CODEGEN");
    try {
      distinct(FirnSpark.stamp(rows, "id", StampOptions.fresh("orders")).select("id"), ROWS);
    } finally {
      session.conf().unset("spark.sql.codegen.wholeStage");
      session.conf().unset("spark.sql.codegen.factoryMode");
    }
  }

  /** Nothing in a page is atomic, so two threads would get one ID at times. */
  @Test
  void aThreadTakesNoIdOutOfThePageOfAnother() {
    Expression shared =
        FreshId.of(
            CollectionConverters.asScala(
                    List.<Expression>of(Literal.create("orders", DataTypes.StringType)))
                .toSeq());
    Supplier<Long> next = () -> (Long) shared.eval(null);
    long first = next.get();
    assertThat(next.get()).isEqualTo(first + 1);
    assertThat(CompletableFuture.supplyAsync(next).join()).isGreaterThan(first + 1000);
    assertThat(next.get()).isGreaterThan(first + 1000);
  }

  @Test
  void aNamespaceWithAWatermarkIsRefusedWithTheReason() {
    try (RegisterStore store = RegisterStore.open("file:" + directory.resolve("store"))) {
      Snowflake.builder().lease(store, "outbox").build().close();
      assertThat(Watermark.of(store, "outbox").current()).isNotNull();
    }
    Dataset<Row> stamped = FirnSpark.stamp(rows, "id", StampOptions.fresh("outbox"));
    assertThatThrownBy(() -> longs(stamped.select("id")))
        .hasStackTraceContaining(
            "The driver has no IDs of outbox: Namespace outbox has a watermark, whose readers");
  }

  @Test
  void shufflesByOtherKeysAreAllowed() {
    Dataset<Row> stamped = session.sql("SELECT firn_id('orders') AS id, key, kind FROM rows");
    distinct(stamped.repartition(3, stamped.col("key")).select("id"), ROWS);
    distinct(stamped.orderBy("key").select("id"), ROWS);
    distinct(stamped.sortWithinPartitions("id").select("id"), ROWS);
    distinct(stamped.coalesce(1).select("id"), ROWS);
    assertThat(stamped.groupBy("kind").agg(org.apache.spark.sql.functions.max("id")).count())
        .isEqualTo(7);
  }

  @Test
  void columnsBesideAFreshIdMayBeKeys() {
    String stamped = "(SELECT firn_id('orders') AS id, key, kind FROM rows) AS s";
    for (String query :
        List.of(
            "SELECT item FROM "
                + stamped
                + " LATERAL VIEW explode(array(kind)) AS item GROUP BY item",
            "SELECT kind FROM " + stamped + " GROUP BY ROLLUP(kind) HAVING kind IS NOT NULL",
            "SELECT kind FROM (SELECT id, kind FROM "
                + stamped
                + " UNION ALL SELECT 1, 2) GROUP BY kind")) {
      assertThat(session.sql(query).count()).isEqualTo(7);
    }
    assertRefused(
        "Aggregate",
        () ->
            session.sql(
                "SELECT item FROM "
                    + stamped
                    + " LATERAL VIEW explode(array(id)) AS item GROUP BY item"));
    assertRefused(
        "Aggregate", () -> session.sql("SELECT id FROM " + stamped + " GROUP BY ROLLUP(id, kind)"));
    assertRefused(
        "Sample", () -> session.sql("SELECT * FROM " + stamped).randomSplit(new double[] {1, 1}));
  }

  @Test
  void shufflesByAFreshIdAreRefused() {
    Dataset<Row> stamped = session.sql("SELECT firn_id('orders') AS id, key FROM rows");
    assertThatThrownBy(() -> stamped.orderBy("id").collectAsList())
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "Sort by an ID of firn_id is refused: a task that is run again gives the row another ID,"
                + " and so rows would be lost or doubled. Write the rows to a table and read them"
                + " from there, or use stable IDs.");
    assertRefused("RepartitionByExpression", () -> stamped.repartition(3, stamped.col("id")));
    assertRefused("Repartition", () -> stamped.repartition(3));
    assertRefused("Aggregate", () -> stamped.groupBy("id").count());
    assertRefused("Deduplicate", () -> stamped.dropDuplicates("id"));
    assertRefused("Distinct", () -> session.sql("SELECT DISTINCT firn_id('orders') FROM rows"));
    Dataset<Row> others = session.range(5).toDF("other");
    assertRefused(
        "Join", () -> stamped.join(others, stamped.col("id").equalTo(others.col("other"))));
    assertRefused(
        "Sort",
        () ->
            session.sql(
                "SELECT id + 1 AS n FROM (SELECT firn_id('orders') AS id FROM rows) ORDER BY n"));
    assertRefused(
        "Sort",
        () ->
            session.sql(
                "WITH s AS (SELECT firn_id('orders') AS id FROM rows) SELECT * FROM s ORDER BY"
                    + " id"));
    assertRefused(
        "Sort",
        () ->
            session.sql(
                "SELECT id FROM (SELECT firn_id('orders') AS id FROM rows UNION ALL SELECT key FROM"
                    + " rows) ORDER BY id"));
    assertRefused("The query has one column of firn_id twice", () -> stamped.union(stamped));
    assertRefused(
        "The query has one column of firn_id twice",
        () ->
            session.sql(
                "WITH s AS (SELECT firn_id('orders') AS id FROM rows) SELECT * FROM s UNION ALL"
                    + " SELECT * FROM s"));
  }

  /** Spark groups the rows by what it counts, before it counts them. */
  @Test
  void distinctAggregatesOfAFreshIdAreRefused() {
    Dataset<Row> stamped = session.sql("SELECT firn_id('orders') AS id, kind FROM rows");
    stamped.createOrReplaceTempView("stamped");
    for (String query :
        List.of(
            "SELECT count(DISTINCT id) FROM stamped",
            "SELECT kind, 1 + count(DISTINCT kind, id % 5) FROM stamped GROUP BY kind",
            "SELECT kind FROM stamped GROUP BY kind HAVING count(DISTINCT id) > 1")) {
      assertRefused("Aggregate", () -> session.sql(query));
    }
    assertRefused(
        "Aggregate", () -> stamped.agg(org.apache.spark.sql.functions.countDistinct("id")));
    assertThat(
            session
                .sql("SELECT count(DISTINCT kind) FILTER (WHERE id > 0), count(id) FROM stamped")
                .head()
                .getLong(0))
        .isEqualTo(7);
  }

  /** Spark makes joins of subqueries that read rows. */
  @Test
  void subqueriesThatCompareAFreshIdAreRefused() {
    session.sql("SELECT firn_id('orders') AS id, key FROM rows").createOrReplaceTempView("fresh");
    for (String query :
        List.of(
            "SELECT * FROM fresh WHERE id IN (SELECT key FROM rows)",
            "SELECT * FROM rows WHERE key NOT IN (SELECT id FROM fresh)",
            "SELECT * FROM fresh f WHERE EXISTS (SELECT 1 FROM rows r WHERE r.key = f.id)",
            "SELECT * FROM rows r WHERE NOT EXISTS (SELECT 1 FROM fresh f WHERE f.id = r.key)",
            "SELECT (SELECT max(kind) FROM rows r WHERE r.key = f.id) FROM fresh f",
            "SELECT * FROM fresh f, LATERAL (SELECT kind FROM rows r WHERE r.key = f.id)")) {
      assertRefused("Subquery", () -> session.sql(query));
    }
    assertRefused(
        "Sort", () -> session.sql("SELECT (SELECT firn_id('orders')) AS id FROM rows ORDER BY id"));
    assertRefused(
        "LateralJoin",
        () ->
            session.sql("SELECT * FROM fresh f JOIN LATERAL (SELECT kind FROM rows) ON kind = id"));
    for (String query :
        List.of(
            "SELECT id FROM fresh WHERE key IN (SELECT key FROM rows)",
            "SELECT id FROM fresh f WHERE EXISTS (SELECT 1 FROM rows r WHERE r.key = f.key)",
            "SELECT (SELECT f.id + 0) FROM fresh f")) {
      distinct(session.sql(query), ROWS);
    }
  }

  @Test
  void functionsOfGroupsByAFreshIdAreRefused() {
    Dataset<Row> stamped = session.sql("SELECT firn_id('orders') AS id, key, kind FROM rows");
    MapFunction<Row, Long> id = row -> row.getLong(0);
    MapGroupsFunction<Long, Row, Long> keys = (key, group) -> key;
    CoGroupFunction<Long, Row, Long, Long> both = (key, some, other) -> List.of(key).iterator();
    KeyValueGroupedDataset<Long, Row> byId = stamped.groupByKey(id, Encoders.LONG());
    KeyValueGroupedDataset<Long, Long> others =
        session
            .range(3)
            .as(Encoders.LONG())
            .groupByKey((MapFunction<Long, Long>) value -> value, Encoders.LONG());
    assertRefused("MapGroups", () -> byId.mapGroups(keys, Encoders.LONG()));
    assertRefused("Aggregate", byId::count);
    assertRefused("CoGroup", () -> byId.cogroup(others, both, Encoders.LONG()));
    assertRefused(
        "MapGroups",
        () ->
            stamped
                .groupBy("id")
                .as(Encoders.LONG(), Encoders.row(stamped.schema()))
                .mapGroups(keys, Encoders.LONG()));
    assertThat(
            stamped
                .groupBy("kind")
                .as(Encoders.LONG(), Encoders.row(stamped.schema()))
                .mapGroups(keys, Encoders.LONG())
                .count())
        .isEqualTo(7);
  }

  /** What applyInPandas of groups of two datasets is in a plan: the keys are the first columns. */
  @Test
  void functionsOfGroupsInPythonByAFreshIdAreRefused() {
    LogicalPlan stamped =
        Internals.queryExecution(session.sql("SELECT key, firn_id('orders') AS id FROM rows"))
            .analyzed();
    LogicalPlan others = Internals.queryExecution(session.range(3).toDF()).analyzed();
    IntFunction<Runnable> check =
        keys ->
            () ->
                FreshKeys.check(
                    new FlatMapCoGroupsInPandas(
                        1,
                        keys,
                        Literal.create(1, DataTypes.IntegerType),
                        stamped.output(),
                        others,
                        stamped));
    check.apply(1).run();
    assertRefused("FlatMapCoGroupsInPandas", check.apply(2));
  }

  /** Spark computes the rows of one side again for each partition of the other. */
  @Test
  void productsOfRowsWithFreshIdsAreRefused() {
    session.conf().set("spark.sql.autoBroadcastJoinThreshold", -1);
    try {
      Dataset<Row> few = rows.limit(20).repartition(3, rows.col("key")).select("key");
      Dataset<Row> stamped = FirnSpark.stamp(few, "id", StampOptions.fresh("orders"));
      Dataset<Row> other = session.range(0, 4, 1, 4).toDF("other");
      for (Dataset<Row> product :
          List.of(
              stamped.crossJoin(other),
              other.crossJoin(stamped),
              stamped.join(other, stamped.col("key").gt(other.col("other"))))) {
        assertThatThrownBy(product::collectAsList)
            .hasStackTraceContaining(
                "The query has firn_id in a join without an equality, for which Spark computes the"
                    + " rows again for each part of the other side. Join by a key, or broadcast()"
                    + " one side. Write the rows to a table");
      }
      Dataset<Row> broadcast = stamped.crossJoin(org.apache.spark.sql.functions.broadcast(other));
      assertThat(new HashSet<>(longs(broadcast.select("id")))).hasSize(20);
    } finally {
      session.conf().unset("spark.sql.autoBroadcastJoinThreshold");
    }
  }

  private static void assertRefused(String what, Runnable query) {
    assertThatThrownBy(query::run)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(what)
        .hasMessageContaining("Write the rows to a table");
  }

  @Test
  void wrongCallsAreRefused() {
    String expected = "(expected: one constant text, the namespace, as in firn_id('orders'))";
    for (String call : List.of("firn_id()", "firn_id(key)", "firn_id(1)", "firn_id('a', 'b')")) {
      assertThatThrownBy(() -> session.sql("SELECT " + call + " FROM rows"))
          .hasMessageContaining(expected);
    }
    assertThatThrownBy(() -> session.sql("SELECT firn_id('or ders')"))
        .hasMessageContaining("namespace: or ders (expected: ");
    assertThatThrownBy(() -> FirnSpark.stamp(rows, "KEY", StampOptions.fresh("orders")))
        .hasMessage("column: KEY (expected: one that is not among key, text, kind)");
  }

  @Test
  void settingsAreChecked() {
    SparkSession other = session.newSession();
    other.conf().set("spark.firn.namespace.seconds.layout", "unheard-of");
    assertThatThrownBy(() -> other.sql("SELECT firn_id('seconds')"))
        .hasMessageContaining("unheard-of");
    other.conf().set("spark.firn.namespace.seconds.layout", "js-safe");
    long id = other.sql("SELECT firn_id('seconds')").as(Encoders.LONG()).head();
    assertThat(id).isLessThan(1L << 53);
    other.conf().set("spark.firn.namespaces.seconds.layout", "js-safe");
    assertThatThrownBy(() -> other.sql("SELECT firn_id('seconds')"))
        .hasMessageContaining(
            "spark.firn.namespaces.seconds.layout: unknown (expected: spark.firn.store or"
                + " spark.firn.namespace.NAME.layout)");
  }

  @Test
  void twoLoadsBesideAGeneratorHaveNoIdInCommon() throws Exception {
    List<Long> generated = new ArrayList<>();
    AtomicBoolean done = new AtomicBoolean();
    try (RegisterStore store = RegisterStore.open("file:" + directory.resolve("store"));
        Snowflake generator = Snowflake.builder().lease(store, "beside").build()) {
      CompletableFuture<Void> running =
          CompletableFuture.runAsync(
              () -> {
                while (!done.get() && generated.size() < 2_000_000) {
                  generated.add(generator.nextId());
                }
              });
      Dataset<Row> stamped = FirnSpark.stamp(rows, "id", StampOptions.fresh("beside"));
      CompletableFuture<List<Long>> other =
          CompletableFuture.supplyAsync(() -> longs(stamped.select("id")));
      List<Long> all = new ArrayList<>(longs(stamped.select("id")));
      all.addAll(other.join());
      done.set(true);
      running.join();
      all.addAll(generated);
      assertThat(generated).isNotEmpty();
      assertThat(new HashSet<>(all)).hasSameSizeAs(all).hasSize(2 * ROWS + generated.size());
    }
  }

  @Test
  void aLayoutOfAnotherNamespaceIsRefused() {
    session.sql("SELECT firn_id('classics')").collect();
    SparkSession other = session.newSession();
    other.conf().set("spark.firn.namespace.classics.layout", IdLayout.TWITTER.toString());
    assertThatThrownBy(() -> other.sql("SELECT firn_id('classics')"))
        .hasMessageContaining("classics");
  }

  @Test
  void accumulatorsCountWhatWasReserved() throws IOException {
    Tally tally = PageService.source(session, "counted").tally();
    long size =
        longs(FirnSpark.stamp(rows, "id", StampOptions.fresh("counted")).select("id")).size();
    assertThat(tally.ids().value()).isBetween(size, 10 * size);
    assertThat(tally.pages().value()).isBetween(4L, 40L);
    assertThat(tally.blocks().value()).isBetween(1L, 4L);
    assertThat(tally.writes().value()).isBetween(1L, 40L);
    assertThat(tally.ids().name().get()).isEqualTo("firn.counted.ids");
  }
}
