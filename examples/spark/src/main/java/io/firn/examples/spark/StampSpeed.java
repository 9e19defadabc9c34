package io.firn.examples.spark;

import com.sun.management.OperatingSystemMXBean;
import io.firn.spark.FirnSpark;
import io.firn.spark.StampOptions;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.functions;

/** Compares jobs with and without IDs: each in turn, several times, of which the best counts. */
public final class StampSpeed {

  private static final int ROUNDS = 5;

  /** An order as shops have it, beside the two columns of {@link OrderLoad}. */
  private static final String[] WIDE = {
    "concat('customer ', xxhash64(id) % 1000000) AS customer",
    "id * 7 % 1000 AS amount",
    "timestamp_millis(1700000000000 + id * 13) AS ordered",
    "concat('article ', xxhash64(id, 1) % 50000) AS article",
    "CAST(xxhash64(id, 2) % 100000 AS DECIMAL(12, 2)) AS price",
    "concat('street ', xxhash64(id, 3) % 100000, ' ', id % 300) AS address",
    "CAST(id % 5 AS INT) AS status",
    "md5(CAST(id AS STRING)) AS reference"
  };

  private StampSpeed() {}

  /**
   * Prints the times.
   *
   * @param args a directory, and how many million rows
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]).toAbsolutePath();
    long rows = 1_000_000 * (args.length > 1 ? Long.parseLong(args[1]) : 10);
    try (SparkSession spark = OrderLoad.session(directory)) {
      String output = directory.resolve("output").toString();
      Dataset<Row> narrow = written(OrderLoad.orders(spark, rows), directory.resolve("narrow"));
      Dataset<Row> wide =
          written(spark.range(rows / 4).selectExpr(WIDE), directory.resolve("wide"));
      Map<String, UnaryOperator<Dataset<Row>>> stamps = new LinkedHashMap<>();
      stamps.put("no ID", data -> data);
      stamps.put("firn_id", OrderLoad::fresh);
      stamps.put("a constant number", data -> data.withColumn("id", functions.lit(1L)));
      stamps.put("uuid()", data -> data.withColumn("id", functions.expr("uuid()")));
      stamps.put(
          "monotonically_increasing_id()",
          data -> data.withColumn("id", functions.monotonically_increasing_id()));
      stamps.put(
          "stable",
          data ->
              FirnSpark.stamp(
                  data,
                  "id",
                  StampOptions.stable("orders", "speed-" + rows + "-" + data.columns().length)));
      compare("files of two columns into files", rows, stamps, narrow, output);
      compare("files of eight columns into files", rows / 4, stamps, wide, output);
      compare("numbers, not written", 10 * rows, stamps, spark.range(10 * rows).toDF("n"), "");
    }
  }

  private static Dataset<Row> written(Dataset<Row> orders, Path files) {
    orders.write().mode("overwrite").parquet(files.toString());
    return orders.sparkSession().read().parquet(files.toString());
  }

  private static void compare(
      String job,
      long rows,
      Map<String, UnaryOperator<Dataset<Row>>> stamps,
      Dataset<Row> input,
      String output) {
    Map<String, Double> best = new LinkedHashMap<>();
    Map<String, Double> processor = new LinkedHashMap<>();
    for (int round = 0; round < ROUNDS; round++) {
      stamps.forEach(
          (name, stamp) -> {
            if (output.isEmpty() && name.equals("stable")) {
              return;
            }
            long begin = System.nanoTime();
            long used = processorNanos();
            Dataset<Row> stamped = stamp.apply(input);
            if (output.isEmpty()) {
              stamped.write().format("noop").mode("overwrite").save();
            } else {
              stamped.write().mode("overwrite").parquet(output);
            }
            best.merge(name, (System.nanoTime() - begin) / 1e9, Math::min);
            processor.merge(name, (processorNanos() - used) / 1e9, Math::min);
          });
    }
    System.out.printf("%d rows, %s: on the clock, and of the processor%n", rows, job);
    best.forEach(
        (name, seconds) ->
            System.out.printf(
                "  %-30s %6.2f s  %5.1f M rows/s  %.2f of the speed without  %6.2f s  %.2f%n",
                name,
                seconds,
                rows / seconds / 1e6,
                of(best, "no ID") / seconds,
                of(processor, name),
                of(processor, "no ID") / of(processor, name)));
  }

  private static double of(Map<String, Double> times, String name) {
    return times.getOrDefault(name, Double.NaN);
  }

  /** Returns what this process has used of all processors, executors included: they run in it. */
  private static long processorNanos() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
        .getProcessCpuTime();
  }
}
