package io.firn.gates.planted.evasion;

/** Builds, by another name. */
public final class Options {
  private String name = "";

  /** Sets the name. */
  public Options name(String name) {
    this.name = name;
    return this;
  }

  /** Builds. */
  public String build() {
    return name;
  }
}
