package io.firn.examples.flink;

import io.firn.flink.StampFunction;
import io.firn.flink.StampOptions;
import io.firn.flink.StampedSource;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;
import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.connector.source.Source;
import org.apache.flink.connector.file.src.FileSource;
import org.apache.flink.connector.file.src.reader.TextLineInputFormat;
import org.apache.flink.core.fs.Path;
import org.apache.flink.streaming.api.datastream.DataStream;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** Gives the lines of some files IDs: once, and again with another parallelism. */
public final class StampedOrders {

  private static final int FILES = 4;
  private static final int LINES = 250;

  private StampedOrders() {}

  /** Writes the files, runs the jobs and prints what their rows have in common. */
  public static void main(String[] args) throws Exception {
    java.nio.file.Path folder = java.nio.file.Path.of(args[0]);
    String store = "file:" + folder.resolve("ids");
    Path in = new Path(write(folder.resolve("orders")).toUri());

    List<String> first = stable(store, in, 2);
    first.stream().limit(3).forEach(System.out::println);
    System.out.println(first.size() + " rows with IDs, at parallelism 2");
    boolean same = stable(store, in, 3).equals(first);
    System.out.println("the same IDs at parallelism 3: " + same);
    List<String> events = fresh(store, in);
    System.out.println("new IDs of fresh rows: " + events.stream().noneMatch(first::contains));
  }

  private static java.nio.file.Path write(java.nio.file.Path folder) throws IOException {
    Files.createDirectories(folder);
    for (int file = 0; file < FILES; file++) {
      int number = file;
      List<String> lines =
          IntStream.range(0, LINES).mapToObj(line -> "order " + number + "-" + line).toList();
      Files.write(folder.resolve("orders-" + file + ".txt"), lines);
    }
    return folder;
  }

  private static List<String> stable(String store, Path in, int parallelism) throws Exception {
    StreamExecutionEnvironment environment = environment(parallelism);
    // begin stable
    Source<String, ?, ?> orders =
        StampedSource.files(
            FileSource.forRecordStreamFormat(new TextLineInputFormat(), in).build(),
            StampOptions.stable(store, "orders", "load-2026-11"),
            Types.STRING,
            (line, id) -> id + "," + line);
    DataStream<String> stamped =
        environment.fromSource(orders, WatermarkStrategy.noWatermarks(), "orders");
    // end
    return sorted(stamped.rebalance());
  }

  private static List<String> fresh(String store, Path in) throws Exception {
    StreamExecutionEnvironment environment = environment(2);
    DataStream<String> lines =
        environment.fromSource(
            FileSource.forRecordStreamFormat(new TextLineInputFormat(), in).build(),
            WatermarkStrategy.noWatermarks(),
            "lines");
    // begin fresh
    DataStream<String> events =
        lines
            .rebalance()
            .map(
                StampFunction.of(
                    StampOptions.fresh(store, "orders"),
                    Types.STRING,
                    (line, id) -> id + "," + line));
    // end
    return sorted(events);
  }

  private static StreamExecutionEnvironment environment(int parallelism) {
    StreamExecutionEnvironment environment =
        StreamExecutionEnvironment.createLocalEnvironment(parallelism);
    environment.enableCheckpointing(1_000);
    return environment;
  }

  private static List<String> sorted(DataStream<String> rows) throws Exception {
    List<String> all = rows.executeAndCollect(FILES * LINES + 1);
    all.sort(Comparator.comparing((String row) -> row.substring(row.indexOf(','))));
    return all;
  }
}
