package io.firn.flink;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import java.io.Serializable;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The choice of the IDs for rows. Immutable.
 *
 * <p>An ID is either new whenever a row is processed ({@link #fresh}), or the same for the same row
 * whenever it is processed ({@link #stable}).
 */
public final class StampOptions implements Serializable {

  /** IDs that are reserved at once, unless set: 16 ms of ID time of one worker in classic. */
  public static final long DEFAULT_BLOCK_SIZE = 1L << 16;

  private static final long serialVersionUID = 1L;

  private final String store;
  private final String namespace;
  private final @Nullable String job;
  private final long blockSize;

  private StampOptions(String store, String namespace, @Nullable String job, long blockSize) {
    this.store = store;
    this.namespace = namespace;
    this.job = job;
    this.blockSize = blockSize;
  }

  /**
   * Returns options for IDs that are new whenever a row is processed, also again after a failure.
   *
   * @param store the address of the register store, as {@code redis://ids.example.com}
   * @param namespace the namespace of the IDs
   */
  public static StampOptions fresh(String store, String namespace) {
    return new StampOptions(store, namespace, null, DEFAULT_BLOCK_SIZE);
  }

  /**
   * Returns options for IDs that are the same for the same row in every run of a job.
   *
   * @param store the address of the register store, one that does not forget
   * @param namespace the namespace of the IDs
   * @param job with what the names of the jobs in the store begin, 1..31 of the characters A-Z,
   *     a-z, 0-9, '.', '_' and '-'
   */
  public static StampOptions stable(String store, String namespace, String job) {
    return new StampOptions(store, namespace, job, DEFAULT_BLOCK_SIZE);
  }

  /**
   * Returns these options with another number of IDs that are reserved at once. Stable IDs keep it.
   *
   * @param blockSize 1..{@link IdBlocks#MAX_SIZE}
   */
  public StampOptions blockSize(long blockSize) {
    if (blockSize < 1 || blockSize > IdBlocks.MAX_SIZE) {
      throw new IllegalArgumentException(
          "block size: " + blockSize + " (expected: 1.." + IdBlocks.MAX_SIZE + ")");
    }
    return new StampOptions(store, namespace, job, blockSize);
  }

  String store() {
    return store;
  }

  String namespace() {
    return namespace;
  }

  long blockSize() {
    return blockSize;
  }

  /** Returns the job of stable IDs; empty if they are new every time. */
  Optional<String> job() {
    return Optional.ofNullable(job);
  }

  PlacedIds placed(IdBlocks blocks) {
    return PlacedIds.of(blocks, job().orElseThrow(), blockSize);
  }
}
