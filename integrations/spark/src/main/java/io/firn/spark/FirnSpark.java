package io.firn.spark;

import java.util.Arrays;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;

/**
 * Gives the rows of datasets IDs. The setting {@code spark.firn.store} names the store, and {@code
 * spark.firn.namespace.NAME.layout} the layout of a namespace that is new. Thread-safe.
 */
public final class FirnSpark {

  private FirnSpark() {}

  /**
   * Returns the dataset with a column of IDs, of the type {@code long}.
   *
   * <p>Fresh IDs are the SQL function {@code firn_id}, so the session needs the {@link
   * FirnSparkExtensions}. Nothing runs until an action does.
   *
   * <p>Stable IDs are reserved at once: all rows are read, counted and hashed in their order, and
   * the job is bound to the result. Each task checks that it gives the same rows, so the input is
   * read twice; cache it if reading is expensive. Its order must be reproducible: that of files
   * through projections and filters, that of a sort by a unique key, or that of a checkpoint.
   *
   * @param column the name of a new column
   * @throws IllegalArgumentException if the dataset has that column, a setting is wrong, or the
   *     order of the rows is not reproducible
   * @throws IllegalStateException if the session lacks the extensions
   * @throws io.firn.block.BlockShapeException if the job had other rows, or the same in another
   *     order
   * @throws io.firn.store.StoreException if the store cannot be asked
   */
  public static Dataset<Row> stamp(Dataset<?> dataset, String column, StampOptions options) {
    if (Arrays.stream(dataset.columns()).anyMatch(column::equalsIgnoreCase)) {
      throw new IllegalArgumentException(
          "column: " + column + " (expected: one that is not among " + names(dataset) + ")");
    }
    String job = options.job();
    return job == null
        ? FreshId.stamp(dataset, column, options.namespace())
        : StableRows.stamp(dataset, column, options.namespace(), job);
  }

  private static String names(Dataset<?> dataset) {
    return String.join(", ", dataset.columns());
  }
}
