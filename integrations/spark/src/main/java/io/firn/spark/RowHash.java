package io.firn.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/** Hashes rows by their bytes. Not thread-safe. */
final class RowHash {

  private final UnsafeProjection projection;

  RowHash(StructType schema) {
    projection = UnsafeProjection.create(schema);
  }

  long of(InternalRow row) {
    return RowDigest.hash(row instanceof UnsafeRow bytes ? bytes : projection.apply(row));
  }
}
