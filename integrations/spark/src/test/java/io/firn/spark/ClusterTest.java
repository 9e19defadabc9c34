package io.firn.spark;

import static org.apache.spark.sql.functions.col;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.spark.Journal.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerStageSubmitted;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Executors in other processes, which end, and of which one is slow. */
class ClusterTest {

  private static final int ROWS = 20_000;

  @TempDir Path directory;

  private final Repeats repeats = new Repeats();
  private SmallCluster cluster;
  private SparkSession session;
  private Dataset<Row> rows;

  private void start(boolean speculation) throws IOException {
    cluster = new SmallCluster(directory);
    session =
        Sessions.builder(cluster.address(), directory.resolve("store"))
            .config("spark.executor.memory", "512m")
            .config("spark.executor.extraClassPath", System.getProperty("java.class.path"))
            .config("spark.speculation", speculation)
            .config("spark.speculation.interval", "100ms")
            .config("spark.speculation.quantile", 0.5)
            .config("spark.shuffle.io.maxRetries", 1)
            .config("spark.shuffle.io.retryWait", "100ms")
            .config("spark.sql.adaptive.enabled", false)
            .config("spark.sql.files.maxPartitionBytes", 100_000)
            .config("spark.sql.files.openCostInBytes", 100_000)
            .getOrCreate();
    session.sparkContext().addSparkListener(repeats);
    rows = Sessions.files(session, directory.resolve("rows"), ROWS, 4);
    assertThat(rows.rdd().getNumPartitions()).isGreaterThanOrEqualTo(4);
  }

  @AfterEach
  void stop() {
    session.stop();
    cluster.close();
  }

  /** Counts the stages that are run again because output was lost. */
  private static final class Repeats extends SparkListener {
    private final AtomicInteger count = new AtomicInteger();

    @Override
    public void onStageSubmitted(SparkListenerStageSubmitted stage) {
      if (stage.stageInfo().attemptNumber() > 0) {
        count.incrementAndGet();
      }
    }
  }

  private int repeats() throws Exception {
    session.sparkContext().listenerBus().waitUntilEmpty();
    return repeats.count.get();
  }

  private Path journal(Dataset<Row> stamped, String name, Fault fault) throws IOException {
    Path journal = Files.createDirectory(directory.resolve(name));
    stamped.select("key", "id").foreachPartition(new Journal(journal, fault, 1000));
    assertThat(journal.resolve("fault")).exists();
    return journal;
  }

  private Dataset<Row> fresh() {
    return FirnSpark.stamp(rows, "id", StampOptions.fresh("orders"));
  }

  private Dataset<Row> stable(String job) {
    return FirnSpark.stamp(rows, "id", StampOptions.stable("orders", job));
  }

  @Test
  void aSecondAttemptOfASlowTaskGetsOtherFreshIdsAndTheSameStableOnes() throws Exception {
    start(true);
    Path fresh = journal(fresh(), "fresh", Fault.STRAGGLER);
    assertThat(Journal.read(fresh)).hasSizeGreaterThan(ROWS);
    Path stable = journal(stable("slow"), "stable", Fault.STRAGGLER);
    assertThat(Journal.read(stable)).hasSizeGreaterThan(ROWS);
    Journal.eachRowHasOneId(ROWS, stable);
    Journal.noIdHasTwoRows(fresh);
  }

  @Test
  void aStageThatIsRunAgainLosesNoRowAndGivesTheSameStableIds() throws Exception {
    start(false);
    Path fresh = journal(fresh().repartition(4, col("key")), "fresh", Fault.HALT);
    int before = repeats();
    assertThat(before).isPositive();
    assertThat(Journal.read(fresh).stream().map(Journal.Entry::key).distinct()).hasSize(ROWS);
    Journal.noIdHasTwoRows(fresh);

    Path stable = journal(stable("lost").repartition(4, col("id")), "stable", Fault.HALT);
    assertThat(repeats()).isGreaterThan(before);
    Path again = Files.createDirectory(directory.resolve("again"));
    stable("lost").foreachPartition(new Journal(again, Fault.NONE, 0));
    Journal.eachRowHasOneId(ROWS, stable, again);
  }
}
