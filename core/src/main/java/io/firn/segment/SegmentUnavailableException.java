package io.firn.segment;

import io.firn.FirnException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when all segments are used up and no further one came within the wait. Its cause is what
 * the last fetch failed with, if it did; a {@link SegmentRefusedException} needs an operator,
 * everything else ends by itself when the source is back.
 */
public final class SegmentUnavailableException extends FirnException {

  private static final long serialVersionUID = 1L;

  private final transient SegmentStats stats;

  private SegmentUnavailableException(
      SegmentStats stats, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.stats = stats;
  }

  static SegmentUnavailableException of(
      SegmentStats stats, String outcome, @Nullable Throwable cause) {
    return new SegmentUnavailableException(stats, stats.describe(outcome), cause);
  }

  /**
   * Returns the generator at the moment of the failure; null in an exception that was deserialized.
   */
  public SegmentStats stats() {
    return stats;
  }
}
