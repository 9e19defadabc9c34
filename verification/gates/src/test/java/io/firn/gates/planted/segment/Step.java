package io.firn.gates.planted.segment;

/** Has a builder whose setter overwrites, and which builds twice. */
public record Step(int size) {

  /** Overwrites. */
  public static final class Builder {
    private int size;

    /** Sets the size. */
    public Builder size(int size) {
      this.size = size;
      return this;
    }

    /** Builds. */
    public Step build() {
      return new Step(size);
    }
  }
}
