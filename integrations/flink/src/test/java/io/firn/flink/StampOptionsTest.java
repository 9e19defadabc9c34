package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.block.PlacedIds.Place;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.api.connector.source.lib.NumberSequenceSource;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that sources without stable IDs are refused, with a remedy. */
@Timeout(value = 5, unit = TimeUnit.MINUTES)
final class StampOptionsTest {

  private static final StampOptions STABLE = StampOptions.stable("memory:", "orders", "load");
  private static final StampOptions FRESH = StampOptions.fresh("memory:", "orders");

  @TempDir Path directory;

  @Test
  void theOrderOfArrivalGivesNoStableIds() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StampFunction.of(STABLE, Types.STRING, (String row, long id) -> id + row))
        .withMessageContaining(
            "options: stable IDs without a place (expected: a place and an index of the row,");
  }

  @Test
  void freshIdsHaveNoPlace() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                StampFunction.of(
                    FRESH,
                    row -> new Place("orders", 0, ""),
                    row -> 0,
                    Types.STRING,
                    (String row, long id) -> id + row))
        .withMessageContaining("options: fresh IDs with a place");
    FileSource<String> files =
        FileSource.forRecordStreamFormat(
                new TextLineInputFormat(), new org.apache.flink.core.fs.Path(directory.toUri()))
            .build();
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                StampedSource.files(files, FRESH, Types.STRING, (String row, long id) -> id + row))
        .withMessageContaining("options: fresh IDs in a source (expected: StampOptions.stable(…)");
  }

  @Test
  void blockSizesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> STABLE.blockSize(0))
        .withMessage("blockSize: 0 (expected: 1..1099511627776)");
  }

  @Test
  void aModuleRefusesABlockSizeOutOfRange() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FirnModule("memory:", 0))
        .withMessage("blockSize: 0 (expected: 1..1099511627776)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new FirnModule("memory:", 1_099_511_627_777L))
        .withMessage("blockSize: 1099511627777 (expected: 1..1099511627776)");
    assertThat(new FirnModule("memory:", 1).listFunctions()).hasSize(2);
    assertThat(new FirnModule("memory:", 1_099_511_627_776L).listFunctions()).hasSize(2);
  }

  @Test
  void namesOutOfRangeAreRefused() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StampOptions.fresh("memory:", "a b"))
        .withMessage("namespace: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StampOptions.stable("memory:", "a b", "load"))
        .withMessage("namespace: a b (expected: 1..64 of A-Z a-z 0-9 . _ : -)");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> StampOptions.stable("memory:", "orders", "a:b"))
        .withMessage("job: a:b (expected: 1..31 of A-Z a-z 0-9 . _ -)");
  }

  private String failure(Source<String, ?, ?> source) throws Exception {
    StreamExecutionEnvironment environment =
        Cluster.environment(directory, 1, Duration.ofSeconds(10));
    org.apache.flink.configuration.Configuration never =
        new org.apache.flink.configuration.Configuration();
    never.setString("restart-strategy.type", "none");
    environment.configure(never);
    environment
        .fromSource(source, WatermarkStrategy.noWatermarks(), "source")
        .map(Seen::keep)
        .sinkTo(new DiscardingSink<>());
    try (Cluster cluster = Cluster.start()) {
      return cluster.await(cluster.submit(environment));
    }
  }

  @Test
  void aSourceThatDoesNotSayItsSplitsIsRefused() throws Exception {
    assertThat(
            failure(
                StampedSource.of(
                    new NumberSequenceSource(1, 10),
                    split -> new Place("numbers", 0, ""),
                    STABLE,
                    Types.STRING,
                    (number, id) -> id + " " + number)))
        .contains(
            "emits rows without their split, so they have no place and no stable IDs. Use a source");
  }

  @Test
  void twoSplitsOfOnePlaceAreRefused() throws Exception {
    java.nio.file.Files.writeString(directory.resolve("a.txt"), "a\n");
    java.nio.file.Files.writeString(directory.resolve("b.txt"), "b\n");
    FileSource<String> files =
        FileSource.forRecordStreamFormat(
                new TextLineInputFormat(),
                new org.apache.flink.core.fs.Path(directory.resolve("a.txt").toUri()),
                new org.apache.flink.core.fs.Path(directory.resolve("b.txt").toUri()))
            .build();
    assertThat(
            failure(
                StampedSource.of(
                    files,
                    split -> new Place("all", 0, ""),
                    STABLE,
                    Types.STRING,
                    (line, id) -> id + " " + line)))
        .contains(" have one place, ", "Return another place for each split");
  }
}
