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
  BLOCKS("--blocks ", "blocks "),

  /** Generators whose window a successor may go on with while the store is down. */
  CARRY_OVER("--carry-over ", "carry-over "),

  /** Two regions without a link, each with a home datacenter. */
  REGIONS("--regions ", "regions "),

  /** Worker IDs that are reserved for another system, and released, beside running generators. */
  RESERVATIONS("--reservations ", "reservations ");

  private final String option;
  private final String label;

  Subject(String option, String label) {
    this.option = option;
    this.label = label;
  }

  /** Returns how many generators there can be at once. */
  public long mostGenerators(Terms terms) {
    return switch (this) {
      case SEGMENTS -> Long.MAX_VALUE;
      case RESERVATIONS -> terms.workers() / 2;
      default -> terms.workers();
    };
  }

  /** Returns whether its processes can be copied; transactions and jobs are not copied. */
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
