package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.Snowflake;
import io.firn.block.PlacedIds.Place;
import io.firn.lease.LeaseConfig;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
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

  @TempDir Path directory;
  private Path in;
  private KilledJob job;
  private String store;

  @BeforeEach
  void write() throws Exception {
    in = Files.createDirectory(directory.resolve("in"));
    store = "file:" + directory.resolve("ids");
    job = new KilledJob(directory, ROWS, true);
    for (int file = 0; file < FILES; file++) {
      List<String> lines = new ArrayList<>();
      for (int line = 0; line < LINES; line++) {
        lines.add(file + ":" + line);
      }
      Files.write(in.resolve("orders-" + file + ".txt"), lines);
    }
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

  @Test
  void aSourceGivesARowTheSameIdHoweverOftenItIsRead() throws Exception {
    Set<String> issued = new HashSet<>();
    try (RegisterStore registers = FileRegisterStore.open(directory.resolve("ids"));
        Snowflake generator =
            Snowflake.builder().lease(LeaseConfig.builder(registers, "orders").build()).build()) {
      job.runAndKill(this::stable);
      for (int i = 0; i < 10_000; i++) {
        issued.add(Long.toString(generator.nextId()));
      }
    }
    Seen.noRowHasTwoIds(Seen.ALL);
    job.runAnew(this::stable, ROWS);
    assertThat(Seen.ALL.stream().map(Seen::id)).doesNotContainAnyElementsOf(issued);
  }

  @Test
  void aFunctionGivesARowTheIdOfItsPlaceBehindARebalance() throws Exception {
    job.runAndKill(this::placed);
    Seen.noRowHasTwoIds(Seen.ALL);
  }

  @Test
  void freshIdsAreNeverGivenAgain() throws Exception {
    job.runAndKill(this::fresh);
  }

  @Test
  void aFileThatWasChangedIsRefusedWithBoth() throws Exception {
    Seen.permit(2 * ROWS);
    assertThat(job.runOnce(this::stable)).isEmpty();
    Files.writeString(in.resolve("orders-0.txt"), "0:another\n");
    assertThat(job.runOnce(this::stable))
        .contains("BlockShapeException", "has shape rows-per-block=100,length=10,size=10,modified=")
        .contains(", and had shape rows-per-block=100,length=");
  }
}
