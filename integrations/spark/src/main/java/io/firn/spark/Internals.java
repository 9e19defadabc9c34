package io.firn.spark;

import java.lang.reflect.InvocationTargetException;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.Dataset;
import org.apache.spark.sql.Row;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.execution.QueryExecution;
import org.apache.spark.sql.types.StructType;

/** Methods of Spark that are in other classes in 3.5 and in 4. */
final class Internals {

  private Internals() {}

  static QueryExecution queryExecution(Dataset<?> dataset) {
    return (QueryExecution) call(dataset, "queryExecution", new Class<?>[0]);
  }

  @SuppressWarnings("unchecked") // that is the type in both
  static Dataset<Row> dataFrame(SparkSession session, RDD<InternalRow> rows, StructType schema) {
    Class<?>[] types = {RDD.class, StructType.class, boolean.class};
    return (Dataset<Row>) call(session, "internalCreateDataFrame", types, rows, schema, false);
  }

  private static Object call(Object target, String method, Class<?>[] types, Object... arguments) {
    try {
      return target.getClass().getMethod(method, types).invoke(target, arguments);
    } catch (InvocationTargetException e) {
      if (e.getCause() instanceof RuntimeException cause) {
        throw cause;
      }
      throw new IllegalStateException(
          "Spark's " + method + " failed; the cause is below.", e.getCause());
    } catch (ReflectiveOperationException e) {
      throw new IllegalArgumentException(
          "The dataset is not one of Spark 3.5 or 4 in the driver: "
              + target.getClass().getName()
              + ". With Spark Connect, use the SQL function "
              + FirnSparkExtensions.FUNCTION
              + ", on a server that has the extension.",
          e);
    }
  }
}
