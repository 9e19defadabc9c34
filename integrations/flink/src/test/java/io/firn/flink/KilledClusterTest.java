package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.Snowflake;
import io.firn.block.PlacedIds.Place;
import io.firn.lease.LeaseConfig;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.JobID;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringEncoder;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.sink.FileSink;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.filesystem.rollingpolicies.OnCheckpointRollingPolicy;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A job whose tasks and whose cluster are killed between two checkpoints, and that continues with
 * another parallelism. Its sink commits with checkpoints; what it was given is seen, too.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class KilledClusterTest {

  private static final int FILES = 7;
  private static final int LINES = 300;
  private static final int ROWS = FILES * LINES;
  private static final Duration ON_DEMAND = Duration.ofHours(1);

  @TempDir Path directory;
  private Path in;
  private Path out;
  private Path checkpoints;
  private String store;

  @BeforeEach
  void write() throws Exception {
    in = Files.createDirectory(directory.resolve("in"));
    out = directory.resolve("out");
    checkpoints = directory.resolve("checkpoints");
    store = "file:" + directory.resolve("ids");
    Seen.reset();
    for (int file = 0; file < FILES; file++) {
      List<String> lines = new ArrayList<>();
      for (int line = 0; line < LINES; line++) {
        lines.add(file + ":" + line);
      }
      Files.write(in.resolve("orders-" + file + ".txt"), lines);
    }
  }

  /** Stamps the lines of the files. */
  private interface Job {
    DataStream<String> stamp(StreamExecutionEnvironment environment);
  }

  private FileSource<String> files() {
    return FileSource.forRecordStreamFormat(
            new TextLineInputFormat(), new org.apache.flink.core.fs.Path(in.toUri()))
        .build();
  }

  private DataStream<String> stable(StreamExecutionEnvironment environment) {
    return environment.fromSource(
        StampedSource.files(
            files(),
            StampOptions.stable(store, "orders", "load").blockSize(100),
            Types.STRING,
            Seen::slowly),
        WatermarkStrategy.noWatermarks(),
        "orders");
  }

  private DataStream<String> slowLines(StreamExecutionEnvironment environment) {
    return environment
        .fromSource(files(), WatermarkStrategy.noWatermarks(), "orders")
        .map(line -> Seen.row(Seen.slowly(line, 0)));
  }

  private DataStream<String> fresh(StreamExecutionEnvironment environment) {
    return slowLines(environment)
        .rebalance()
        .map(
            StampFunction.of(
                StampOptions.fresh(store, "orders").blockSize(100),
                Types.STRING,
                (line, id) -> id + " " + line));
  }

  /** By a place that the row itself has. */
  private DataStream<String> placed(StreamExecutionEnvironment environment) {
    return slowLines(environment)
        .rebalance()
        .map(
            StampFunction.of(
                StampOptions.stable(store, "orders", "load").blockSize(100),
                line -> new Place("orders", Integer.parseInt(line.split(":", 2)[0]), ""),
                line -> Long.parseLong(line.split(":", 2)[1]),
                Types.STRING,
                (line, id) -> id + " " + line));
  }

  private StreamExecutionEnvironment job(Job stamping, int parallelism, Duration interval) {
    StreamExecutionEnvironment environment =
        Cluster.environment(checkpoints, parallelism, interval);
    stamping
        .stamp(environment)
        .rebalance()
        .map(Seen::keep)
        .sinkTo(
            FileSink.forRowFormat(
                    new org.apache.flink.core.fs.Path(out.toUri()),
                    new SimpleStringEncoder<String>())
                .withRollingPolicy(OnCheckpointRollingPolicy.build())
                .build());
    return environment;
  }

  private void runAndKill(Job stamping) throws Exception {
    try (Cluster cluster = Cluster.start()) {
      JobID job = cluster.submit(job(stamping, 2, ON_DEMAND));
      Cluster.awaitMoreRows(100);
      cluster.checkpoint(job);
      Cluster.awaitMoreRows(50);
      cluster.killTasks();
      Cluster.awaitMoreRows(150);
      cluster.checkpoint(job);
      Cluster.awaitMoreRows(50);
    }
    Seen.permit(10 * ROWS);
    try (Cluster cluster = Cluster.start()) {
      JobID job =
          cluster.restore(
              job(stamping, 3, Duration.ofMillis(200)), Cluster.newestCheckpoint(checkpoints));
      assertThat(cluster.await(job)).isEmpty();
    }
    assertThat(Seen.ALL).hasSizeGreaterThan(ROWS); // some were processed twice
    assertThat(Seen.committed(out)).hasSize(ROWS);
    assertThat(Seen.idsByRow(Seen.committed(out))).hasSize(ROWS);
    Seen.noIdHasTwoRows(Seen.committed(out));
    Seen.noRowHasTwoIds(Seen.committed(out));
    Seen.noIdHasTwoRows(Seen.ALL);
  }

  @Test
  void aSourceGivesARowTheSameIdHoweverOftenItIsRead() throws Exception {
    Set<String> issued = new HashSet<>();
    try (RegisterStore registers = FileRegisterStore.open(directory.resolve("ids"));
        Snowflake generator =
            Snowflake.builder().lease(LeaseConfig.builder(registers, "orders").build()).build()) {
      runAndKill(this::stable);
      for (int i = 0; i < 10_000; i++) {
        issued.add(Long.toString(generator.nextId()));
      }
    }
    Seen.noRowHasTwoIds(Seen.ALL);
    // The same job from the beginning, without a checkpoint.
    try (Cluster cluster = Cluster.start()) {
      assertThat(cluster.await(cluster.submit(job(this::stable, 1, ON_DEMAND.dividedBy(18000)))))
          .isEmpty();
    }
    Seen.noRowHasTwoIds(Seen.ALL);
    Seen.noIdHasTwoRows(Seen.ALL);
    assertThat(Seen.ALL.stream().map(Seen::id)).doesNotContainAnyElementsOf(issued);
  }

  @Test
  void aFunctionGivesARowTheIdOfItsPlaceBehindARebalance() throws Exception {
    runAndKill(this::placed);
    Seen.noRowHasTwoIds(Seen.ALL);
  }

  @Test
  void freshIdsAreNeverGivenAgain() throws Exception {
    runAndKill(this::fresh);
  }

  @Test
  void aFileThatWasChangedIsRefusedWithBoth() throws Exception {
    Seen.permit(2 * ROWS);
    try (Cluster cluster = Cluster.start()) {
      assertThat(cluster.await(cluster.submit(once()))).isEmpty();
      Files.writeString(in.resolve("orders-0.txt"), "0:another\n");
      assertThat(cluster.await(cluster.submit(once())))
          .contains("BlockShapeException", "shape: rows-per-block=100,length=10,size=10,modified=")
          .contains("(expected: rows-per-block=100,length=");
    }
  }

  /** A job that is not started again. */
  private StreamExecutionEnvironment once() {
    StreamExecutionEnvironment environment =
        Cluster.environment(checkpoints, 2, Duration.ofMillis(200));
    org.apache.flink.configuration.Configuration never =
        new org.apache.flink.configuration.Configuration();
    never.setString("restart-strategy.type", "none");
    environment.configure(never);
    stable(environment).map(Seen::keep).sinkTo(new DiscardingSink<>());
    return environment;
  }
}
