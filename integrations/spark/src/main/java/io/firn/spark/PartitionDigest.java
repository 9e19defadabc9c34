package io.firn.spark;

import java.io.Serializable;
import java.util.Arrays;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** The rows of a partition, in their order, as hashes. */
final class PartitionDigest implements Serializable {

  private static final long serialVersionUID = 1L;

  /** The numbers before the chunks. */
  private static final int HEAD = 3;

  private final RowDigest rows;
  private final long[] chunks;

  private PartitionDigest(RowDigest rows, long[] chunks) {
    this.rows = rows;
    this.chunks = chunks;
  }

  /** Returns the digest that {@link #numbers} wrote. */
  static PartitionDigest of(long[] numbers) {
    return new PartitionDigest(
        new RowDigest(numbers[0], numbers[1], numbers[2]),
        Arrays.copyOfRange(numbers, HEAD, numbers.length));
  }

  /**
   * Returns the digest as numbers, which Spark sends with any serializer; Kryo knows no records.
   */
  long[] numbers() {
    long[] numbers = new long[HEAD + chunks.length];
    numbers[0] = rows.count();
    numbers[1] = rows.hash();
    numbers[2] = rows.power();
    System.arraycopy(chunks, 0, numbers, HEAD, chunks.length);
    return numbers;
  }

  /** Returns the digest of all rows. */
  RowDigest rows() {
    return rows;
  }

  /** Returns how many chunks there are. */
  int chunks() {
    return chunks.length;
  }

  /** Returns the hash of the rows up to the end of a chunk. */
  long hash(int chunk) {
    return chunks[chunk];
  }

  /** Counts and hashes rows, and says where a chunk ends. Not thread-safe. */
  static final class Builder {

    private static final int CHUNK_ROWS = 1024;
    private static final long CHUNK_BYTES = 1 << 20;

    private long[] chunks = new long[16];
    private int size;
    private long count;
    private long hash;
    private long power = 1;
    private int rowsOfChunk;
    private long bytesOfChunk;

    /** Returns whether a chunk ends with that row: it has 1,024 rows, or a megabyte. */
    boolean add(UnsafeRow row) {
      hash = RowDigest.append(hash, RowDigest.hash(row));
      power = RowDigest.raise(power);
      count++;
      rowsOfChunk++;
      bytesOfChunk += row.getSizeInBytes();
      return rowsOfChunk == CHUNK_ROWS || bytesOfChunk >= CHUNK_BYTES;
    }

    /** Ends a chunk, unless it has no rows. */
    void endChunk() {
      if (rowsOfChunk > 0) {
        if (size == chunks.length) {
          chunks = Arrays.copyOf(chunks, 2 * size);
        }
        chunks[size++] = hash;
        rowsOfChunk = 0;
        bytesOfChunk = 0;
      }
    }

    /** Returns the hash of all rows so far. */
    long hash() {
      return hash;
    }

    PartitionDigest build() {
      endChunk();
      return new PartitionDigest(new RowDigest(count, hash, power), Arrays.copyOf(chunks, size));
    }
  }
}
