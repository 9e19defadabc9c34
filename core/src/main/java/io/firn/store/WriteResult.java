package io.firn.store;

/**
 * The result of a compare-and-set.
 *
 * @param outcome whether the write was applied
 * @param version the version that the register has from this write on; 0 unless applied
 */
public record WriteResult(Outcome outcome, long version) {

  /** The three ways in which a compare-and-set ends. */
  public enum Outcome {
    /** The register holds the new value. */
    APPLIED,
    /** The register had another version and was left alone. */
    CONFLICT,
    /**
     * The caller cannot know: the request or its reply was lost. It may have been applied, and it
     * may still be applied later.
     */
    UNKNOWN
  }

  /** The write had the wrong version. */
  public static final WriteResult CONFLICT = new WriteResult(Outcome.CONFLICT, 0);

  /** It is unknown whether the write was applied. */
  public static final WriteResult UNKNOWN = new WriteResult(Outcome.UNKNOWN, 0);

  /** Returns the result of a write that was applied: the register has this version now. */
  public static WriteResult applied(long version) {
    return new WriteResult(Outcome.APPLIED, version);
  }
}
