package io.firn.flink;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.internal.Require;
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
    this.namespace = Require.name("namespace", namespace);
    this.job = job;
    this.blockSize = blockSize;
  }

  /**
   * Returns options for IDs that are new whenever a row is processed, also again after a failure.
   *
   * @param store the address of the register store, as {@code redis://ids.example.com}
   * @param namespace the namespace of the IDs, 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':'
   *     and '-'
   * @throws IllegalArgumentException if the namespace has other characters
   */
  public static StampOptions fresh(String store, String namespace) {
    return new StampOptions(store, namespace, null, DEFAULT_BLOCK_SIZE);
  }

  /**
   * Returns options for IDs that are the same for the same row in every run of a job.
   *
   * @param store the address of the register store, one that does not forget
   * @param namespace the namespace of the IDs, as for {@link #fresh}
   * @param job with what the names of the jobs in the store begin, 1..31 of the characters A-Z,
   *     a-z, 0-9, '.', '_' and '-'
   * @throws IllegalArgumentException if the namespace or the job has other characters
   */
  public static StampOptions stable(String store, String namespace, String job) {
    return new StampOptions(store, namespace, PlacedIds.requireJob(job), DEFAULT_BLOCK_SIZE);
  }

  /**
   * Returns these options with another number of IDs that are reserved at once. Stable IDs keep it.
   *
   * @param blockSize 1..{@link IdBlocks#MAX_SIZE}
   * @throws IllegalArgumentException if it is out of this range
   */
  public StampOptions blockSize(long blockSize) {
    return new StampOptions(
        store, namespace, job, Require.inRange("blockSize", 1, IdBlocks.MAX_SIZE, blockSize));
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
