package io.firn.examples.spark;

import io.firn.spark.FirnSpark;
import io.firn.spark.StampOptions;
import java.io.IOException;
import java.nio.file.Path;
import org.apache.spark.api.java.function.VoidFunction2;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Loads orders with IDs: fresh ones in SQL, and such that belong to the rows of a job. */
public final class OrderLoad {

  private static final int ORDERS = 100_000;

  private OrderLoad() {}

  /**
   * Loads twice, in a Spark of two threads in this process, and prints how many IDs there are.
   *
   * @param args a directory for the store and the tables
   */
  public static void main(String[] args) throws IOException {
    Path directory = Path.of(args[0]).toAbsolutePath();
    try (SparkSession spark = session(directory)) {
      Path files = directory.resolve("incoming");
      orders(spark, ORDERS).write().mode("overwrite").parquet(files.toString());
      Dataset<Row> incoming = spark.read().parquet(files.toString());

      incoming.createOrReplaceTempView("incoming");
      spark.sql("CREATE TABLE orders (id BIGINT, customer STRING, amount BIGINT) USING parquet");
      for (int load = 0; load < 2; load++) {
        spark.sql("INSERT INTO orders SELECT firn_id('orders'), customer, amount FROM incoming");
      }
      print("fresh", spark.sql("SELECT id FROM orders"));

      Dataset<Row> first = stable(incoming);
      Dataset<Row> again = stable(spark.read().parquet(files.toString()));
      print("stable", first.select("id").union(again.select("id")));
    }
  }

  static SparkSession session(Path directory) {
    return SparkSession.builder()
        .master("local[2]")
        .config("spark.sql.extensions", "io.firn.spark.FirnSparkExtensions")
        .config("spark.firn.store", "file:" + directory.resolve("store"))
        .config("spark.sql.warehouse.dir", directory.resolve("warehouse").toString())
        .config("spark.ui.enabled", false)
        .getOrCreate();
  }

  static Dataset<Row> orders(SparkSession spark, long count) {
    return spark
        .range(count)
        .selectExpr("concat('customer ', id % 997) AS customer", "id * 7 % 1000 AS amount");
  }

  static Dataset<Row> fresh(Dataset<Row> incoming) {
    // begin fresh
    Dataset<Row> stamped = FirnSpark.stamp(incoming, "id", StampOptions.fresh("orders"));
    // end
    return stamped;
  }

  private static Dataset<Row> stable(Dataset<Row> incoming) {
    // begin stable
    Dataset<Row> stamped =
        FirnSpark.stamp(incoming, "id", StampOptions.stable("orders", "load-2026-11"));
    // end
    return stamped;
  }

  static VoidFunction2<Dataset<Row>, Long> batches(String table) {
    // begin batches
    VoidFunction2<Dataset<Row>, Long> stamping =
        (batch, number) ->
            FirnSpark.stamp(batch, "id", StampOptions.stable("orders", "events:" + number))
                .write()
                .mode("append")
                .parquet(table);
    // end
    return stamping;
  }

  private static void print(String what, Dataset<Row> ids) {
    System.out.println(what + ": " + ids.count() + " rows, " + ids.distinct().count() + " IDs");
  }
}
