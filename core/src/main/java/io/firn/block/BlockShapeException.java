package io.firn.block;

import io.firn.FirnException;

/** Thrown when a job requests a named block with a different shape than before. */
public final class BlockShapeException extends FirnException {

  private static final long serialVersionUID = 1L;

  private BlockShapeException(String message) {
    super(message);
  }

  static BlockShapeException shape(BlockName name, String before) {
    return new BlockShapeException(
        "Job "
            + name.job()
            + " has shape "
            + name.shape()
            + ", and had shape "
            + before
            + " when its IDs were reserved; run it with that shape, or forget the job");
  }

  static BlockShapeException size(BlockName name, long size, long before) {
    return new BlockShapeException(
        "Page "
            + name.page()
            + " of partition "
            + name.partition()
            + " of job "
            + name.job()
            + " has "
            + size
            + " IDs, and had "
            + before
            + " when they were reserved; run it with that many, or forget the job");
  }
}
