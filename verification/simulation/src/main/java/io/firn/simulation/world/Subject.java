package io.firn.simulation.world;

/** The production code that a run is about. */
public enum Subject {
  /** Snowflakes whose worker IDs are leased. */
  LEASES("", ""),

  /** Numbers of counters that all processes share. */
  SEGMENTS("--segments ", "segments "),

  /** Rows whose IDs are drawn in scopes, and readers that ask for the watermark. */
  WATERMARK("--watermark ", "watermark "),

  /** Blocks of IDs that are reserved beside running generators. */
  BLOCKS("--blocks ", "blocks ");

  private final String option;
  private final String label;

  Subject(String option, String label) {
    this.option = option;
    this.label = label;
  }

  /** Returns how many generators there can be at once. */
  public long mostGenerators(Terms terms) {
    return this == SEGMENTS ? Long.MAX_VALUE : terms.workers();
  }

  /** Returns whether processes of it can be copied: nobody copies transactions and jobs. */
  boolean isCopyable() {
    return this == LEASES || this == SEGMENTS;
  }

  /** Returns the option that chooses it. */
  String option() {
    return option;
  }

  /** Returns how the first line of a log begins. */
  String label() {
    return label;
  }
}
