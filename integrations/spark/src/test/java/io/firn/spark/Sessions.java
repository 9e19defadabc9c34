package io.firn.spark;

import java.nio.file.Path;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;

/** Sessions of Spark, with the settings that the documentation shows. */
final class Sessions {

  private Sessions() {}

  static SparkSession.Builder builder(String master, Path store) {
    return SparkSession.builder()
        .master(master)
        .appName("firn")
        .config("spark.ui.enabled", false)
        .config("spark.sql.shuffle.partitions", 4)
        .config("spark.sql.warehouse.dir", store.resolveSibling("warehouse").toString())
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.extensions", "io.firn.spark.FirnSparkExtensions")
        .config("spark.firn.store", "file:" + store);
  }

  /** Returns a new session in this process, in which a task may fail three times. */
  static SparkSession local(Path store) {
    return builder("local[2,4]", store).getOrCreate();
  }

  /** Writes rows with the keys 0..rows-1 into files, and reads them. */
  static Dataset<Row> files(SparkSession session, Path directory, int rows, int files) {
    session
        .range(0, rows, 1, files)
        .selectExpr("id as key", "concat('row ', id) as text", "id % 7 as kind")
        .write()
        .mode("overwrite")
        .parquet(directory.toString());
    return session.read().parquet(directory.toString());
  }
}
