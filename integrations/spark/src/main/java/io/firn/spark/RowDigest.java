package io.firn.spark;

import java.io.Serializable;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.catalyst.expressions.XXH64;

/**
 * The number of rows, and a hash of all of them in their order: the polynomial of the hashes of the
 * rows, modulo the prime 2^61 - 1. Those of two sequences give that of both, so that it does not
 * depend on where partitions begin.
 *
 * @param count how many rows
 * @param hash 0..2^61-2
 * @param power the base to the power of the count
 */
record RowDigest(long count, long hash, long power) implements Serializable {

  static final RowDigest NONE = new RowDigest(0, 0, 1);

  private static final long PRIME = (1L << 61) - 1;
  private static final long BASE = 0x1234_5678_9ABC_DEF1L & PRIME;

  static long hash(UnsafeRow row) {
    return XXH64.hashUnsafeBytes(row.getBaseObject(), row.getBaseOffset(), row.getSizeInBytes(), 42)
        & PRIME;
  }

  static long append(long hash, long row) {
    return reduce(times(hash, BASE) + row + 1);
  }

  static long raise(long power) {
    return times(power, BASE);
  }

  RowDigest then(RowDigest next) {
    return new RowDigest(
        count + next.count, reduce(times(hash, next.power) + next.hash), times(power, next.power));
  }

  private static long times(long a, long b) {
    long high = Math.multiplyHigh(a, b);
    long low = a * b;
    return reduce((low & PRIME) + (high << 3 | low >>> 61));
  }

  private static long reduce(long sum) {
    long folded = (sum & PRIME) + (sum >>> 61);
    return folded >= PRIME ? folded - PRIME : folded;
  }

  /** Returns the shape of a job that has these rows. */
  String shape() {
    return count + "-rows:" + Long.toHexString(hash);
  }
}
