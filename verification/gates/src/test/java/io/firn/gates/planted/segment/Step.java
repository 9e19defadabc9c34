package io.firn.gates.planted.segment;

import org.jspecify.annotations.Nullable;

/** Has a builder that overwrites one setting, does not check another, and builds twice. */
public record Step(int size) {

  /** Overwrites the size and takes any count. */
  public static final class Builder {
    private int size;
    private @Nullable Integer count;

    /** Sets the size. */
    public Builder size(int size) {
      if (size < 0) {
        throw new IllegalArgumentException("size: " + size + " (expected: 0 or more)");
      }
      this.size = size;
      return this;
    }

    /** Sets the count. */
    public Builder count(int count) {
      this.count = once(this.count, count);
      return this;
    }

    private static Integer once(@Nullable Integer before, Integer value) {
      if (before != null) {
        throw new IllegalArgumentException("count: " + value + " (expected: to be set once)");
      }
      return value;
    }

    /** Builds. */
    public Step build() {
      return new Step(size);
    }
  }
}
