package io.firn.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.StructType;

/** Gives the bytes of rows. Not thread-safe. */
final class RowBytes {

  private final UnsafeProjection projection;

  RowBytes(StructType schema) {
    projection = UnsafeProjection.create(schema);
  }

  /** Returns the row in its form as bytes, until the next call. */
  UnsafeRow of(InternalRow row) {
    return row instanceof UnsafeRow bytes ? bytes : projection.apply(row);
  }
}
