package io.firn.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.block.BlockShapeException;
import io.firn.spark.Journal.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.serializer.KryoSerializer;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.streaming.Trigger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class StableRowsTest {

  private static final int ROWS = 20_000;

  @TempDir static Path directory;

  private static SparkSession session;
  private static Dataset<Row> rows;

  @BeforeAll
  static void start() {
    session =
        Sessions.builder("local[2,4]", directory.resolve("store"))
            .config("spark.serializer", KryoSerializer.class.getName())
            .getOrCreate();
    rows = Sessions.files(session, directory.resolve("rows"), ROWS, 4);
    rows.createOrReplaceTempView("rows");
    session.sparkContext().setCheckpointDir(directory.resolve("checkpoints").toString());
  }

  @AfterAll
  static void stop() {
    session.stop();
  }

  private static Dataset<Row> stamp(Dataset<Row> dataset, String job) {
    return FirnSpark.stamp(dataset, "id", StampOptions.stable("orders", job));
  }

  private static Map<Long, Long> ids(Dataset<Row> stamped) {
    Map<Long, Long> ids = new HashMap<>();
    for (Row row : stamped.select("key", "id").collectAsList()) {
      assertThat(ids.put(row.getLong(0), row.getLong(1))).isNull();
    }
    assertThat(ids.values()).doesNotHaveDuplicates();
    return ids;
  }

  private static Path journal(Dataset<Row> stamped, String name, Fault fault) throws IOException {
    Path journal = Files.createDirectory(directory.resolve(name));
    stamped.foreachPartition(new Journal(journal, fault, 1000));
    return journal;
  }

  @Test
  void aRetriedTaskGivesTheSameIds() throws Exception {
    Dataset<Row> stamped = stamp(rows, "retried");
    Path first = journal(stamped, "retried-1", Fault.FAILURE);
    assertThat(Journal.read(first)).hasSize(ROWS + 1000);
    Path second = journal(stamped, "retried-2", Fault.NONE);
    Journal.eachRowHasOneId(ROWS, first, second);
  }

  @Test
  void anotherDriverGivesTheSameIds() {
    Map<Long, Long> before = ids(stamp(rows, "restarted"));
    stop();
    start();
    assertThat(ids(stamp(rows, "restarted"))).isEqualTo(before).hasSize(ROWS);
  }

  @Test
  void anEvictedCacheGivesTheSameIds() {
    Dataset<Row> stamped = stamp(rows, "evicted").cache();
    Map<Long, Long> before = ids(stamped);
    stamped.unpersist(true);
    assertThat(ids(stamped)).isEqualTo(before);
    Dataset<Row> cached = rows.filter("key >= 0").cache();
    assertThat(cached.count()).isEqualTo(ROWS);
    Map<Long, Long> ofCached = ids(stamp(cached, "cached"));
    cached.unpersist(true);
    assertThat(ids(stamp(rows.filter("key >= 0"), "cached"))).isEqualTo(ofCached);
  }

  @Test
  void twoLoadsAtOnceGiveTheSameIds() {
    CompletableFuture<Map<Long, Long>> other =
        CompletableFuture.supplyAsync(() -> ids(stamp(rows, "both")));
    assertThat(ids(stamp(rows, "both"))).isEqualTo(other.join()).hasSize(ROWS);
    assertThat(ids(stamp(rows, "another")).values())
        .doesNotContainAnyElementsOf(other.join().values());
  }

  /** Whatever comes after it: the plan is fixed when the IDs are reserved. */
  @Test
  void laterOperationsChangeNoId() {
    Dataset<Row> stamped = stamp(rows, "followed");
    Map<Long, Long> all = ids(stamped);
    List<Dataset<Row>> followed =
        List.of(
            stamped.filter("kind = 3").select("key", "id"),
            stamped.coalesce(1),
            stamped.repartition(3, col("id")),
            stamped.orderBy(col("id").desc()).limit(100),
            stamped.join(stamped.select(col("id").as("same")), col("id").equalTo(col("same"))));
    for (Dataset<Row> each : followed) {
      assertThat(all.entrySet()).containsAll(ids(each).entrySet());
    }
    assertThat(stamped.union(stamped).select("id").distinct().count()).isEqualTo(ROWS);
  }

  @Test
  void otherRowsAreRefused() {
    Map<Long, Long> before = ids(stamp(rows, "changed"));
    assertThatThrownBy(() -> stamp(rows.filter("key <> 5"), "changed"))
        .isInstanceOf(BlockShapeException.class)
        .hasMessageMatching(
            "Job changed has shape 19999-rows:[0-9a-f]+, and had shape 20000-rows:[0-9a-f]+ when its"
                + " IDs were reserved; run it with that shape, or forget the job");
    // As many rows, of which one is another.
    assertThatThrownBy(
            () ->
                stamp(
                    rows.withColumn(
                        "key", org.apache.spark.sql.functions.expr("if(key = 5, -5, key)")),
                    "changed"))
        .isInstanceOf(BlockShapeException.class);
    assertThat(ids(stamp(rows, "changed"))).isEqualTo(before);
  }

  /** The same rows in other partitions, so in another order: a number in a partition fails here. */
  @Test
  void anotherOrderIsRefused() {
    Dataset<Row> sorted = rows.orderBy("key");
    Map<Long, Long> before = ids(stamp(sorted, "ordered"));
    assertThatThrownBy(() -> stamp(rows.orderBy(col("key").desc()), "ordered"))
        .isInstanceOf(BlockShapeException.class);
    assertThatThrownBy(() -> stamp(rows.orderBy("kind", "key"), "ordered"))
        .isInstanceOf(BlockShapeException.class);
    assertThat(ids(stamp(sorted, "ordered"))).isEqualTo(before);
  }

  @Test
  void sortedRowsHaveTheSameIdsInAnyPartitions() {
    Map<Long, Long> before = ids(stamp(rows.orderBy("key"), "sorted"));
    session.conf().set("spark.sql.shuffle.partitions", 11);
    session.conf().set("spark.sql.adaptive.enabled", false);
    try {
      assertThat(ids(stamp(rows.repartition(3).orderBy("key"), "sorted"))).isEqualTo(before);
    } finally {
      session.conf().set("spark.sql.shuffle.partitions", 4);
      session.conf().set("spark.sql.adaptive.enabled", true);
    }
  }

  @Test
  void aCheckpointIsAccepted() throws Exception {
    Dataset<Row> checkpoint = rows.repartition(3).checkpoint();
    Dataset<Row> stamped = stamp(checkpoint, "checkpoint");
    Path journal = journal(stamped, "checkpoint", Fault.FAILURE);
    Journal.eachRowHasOneId(ROWS, journal);
    assertThat(ids(stamp(rows.repartition(3).localCheckpoint(), "local-checkpoint"))).hasSize(ROWS);
  }

  @Test
  void inputsThatAreNotReproducibleAreRefused() {
    String shuffle =
        "dataset: a shuffle gives its rows in another order each time (expected: rows in a"
            + " reproducible order; sort it by a unique key, checkpoint() it, or write it to files"
            + " and stamp what is read from them)";
    String computed =
        "dataset: it uses a function that is not deterministic, as rand, uuid or firn_id (expected:"
            + " rows in a reproducible order; write it to files and stamp what is read from them)";
    for (Dataset<Row> shuffled :
        List.of(
            rows.repartition(3),
            rows.repartition(3, col("kind")),
            rows.limit(10),
            rows.dropDuplicates("key"),
            rows.orderBy("key").repartition(2),
            rows.groupBy("kind").count().withColumnRenamed("kind", "key"),
            rows.checkpoint(false).repartition(2))) {
      assertThatThrownBy(() -> stamp(shuffled, "refused"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(shuffle);
    }
    for (Dataset<Row> random :
        List.of(
            rows.filter("rand() < 0.5"),
            rows.selectExpr("key", "uuid() AS text"),
            session.sql("SELECT key, firn_id('orders') AS other FROM rows"))) {
      assertThatThrownBy(() -> stamp(random, "refused"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage(computed);
    }
    assertThatThrownBy(() -> stamp(rows.toDF("key", "Id", "kind"), "refused"))
        .hasMessage("column: id (expected: one that is not among key, Id, kind)");
    assertThatThrownBy(() -> StampOptions.fresh("no namespace"))
        .hasMessageStartingWith("namespace: no namespace (expected: ");
    assertThatThrownBy(() -> StampOptions.stable("orders", "no job"))
        .hasMessageStartingWith("job: no job (expected: ");
  }

  /**
   * Inputs that Spark wrongly treats as reproducible: a sort whose key has ties, or a wrong UDF.
   */
  @Test
  void aTaskThatGivesOtherRowsFails() {
    session
        .udf()
        .register(
            "changing",
            (Long key) -> key == 7 ? System.nanoTime() : key,
            org.apache.spark.sql.types.DataTypes.LongType);
    Dataset<Row> stamped = stamp(rows.selectExpr("changing(key) AS key"), "changing");
    assertThatThrownBy(stamped::collectAsList)
        .hasStackTraceContaining(
            "of job changing has other rows, or the same in another order, than when its IDs were"
                + " reserved; none of them was given an ID");
  }

  /** A limit leaves a task before its end, where the rows cannot be compared any more. */
  @Test
  void otherRowsGetNoIdsAlsoIfFewAreRead() throws Exception {
    Path input = Files.createDirectory(directory.resolve("replaced"));
    Files.writeString(input.resolve("a.txt"), "one\ntwo\nsix\n");
    Dataset<Row> stamped = stamp(session.read().text(input.toString()), "replaced");
    assertThat(stamped.limit(1).head().getString(0)).isEqualTo("one");
    Files.writeString(input.resolve("a.txt"), "two\nsix\none\n");
    assertThatThrownBy(() -> stamped.limit(1).collectAsList())
        .hasStackTraceContaining("of job replaced has other rows");
  }

  @Test
  void aTaskThatEndsBeforeItsRowsFails() throws Exception {
    Path input = Files.createDirectory(directory.resolve("emptied"));
    Files.writeString(input.resolve("a.txt"), "one\ntwo\nsix\n");
    Dataset<Row> stamped = stamp(session.read().text(input.toString()), "emptied");
    Files.writeString(input.resolve("a.txt"), "");
    assertThatThrownBy(stamped::collectAsList)
        .hasStackTraceContaining("of job emptied has other rows");
  }

  @Test
  void noRowsNeedNoIds() {
    assertThat(ids(stamp(rows.filter("key < 0"), "none"))).isEmpty();
  }

  /** Batches that are run again have the IDs that they had. */
  @Test
  void batchesOfAStreamHaveTheirIds() throws Exception {
    Path input = directory.resolve("stream");
    rows.repartition(3).write().parquet(input.toString());
    ConcurrentLinkedQueue<Map<Long, Long>> attempts = new ConcurrentLinkedQueue<>();
    VoidFunction2<Dataset<Row>, Long> failing = batch(attempts, true);
    assertThatThrownBy(() -> run(input, failing)).hasStackTraceContaining("planned");
    run(input, batch(attempts, false));
    assertThat(attempts.size()).isGreaterThanOrEqualTo(4);
    Map<Long, Long> all = new HashMap<>();
    for (Map<Long, Long> attempt : attempts) {
      attempt.forEach(
          (key, id) -> {
            Long before = all.put(key, id);
            assertThat(before == null || before.equals(id)).isTrue();
          });
    }
    assertThat(all).hasSize(ROWS);
    assertThat(all.values()).doesNotHaveDuplicates();
  }

  private static VoidFunction2<Dataset<Row>, Long> batch(
      ConcurrentLinkedQueue<Map<Long, Long>> attempts, boolean fails) {
    return (batch, number) -> {
      attempts.add(ids(stamp(batch, "stream:" + number)));
      if (fails && number == 1) {
        throw new IllegalStateException("planned");
      }
    };
  }

  private static void run(Path input, VoidFunction2<Dataset<Row>, Long> batch) throws Exception {
    session
        .readStream()
        .schema(rows.schema())
        .option("maxFilesPerTrigger", 1)
        .parquet(input.toString())
        .writeStream()
        .option("checkpointLocation", directory.resolve("stream-state").toString())
        .trigger(Trigger.AvailableNow())
        .foreachBatch(batch)
        .start()
        .awaitTermination();
  }
}
