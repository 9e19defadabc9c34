package io.firn.decode;

/**
 * Some bits of an ID that belong together.
 *
 * @param name their content, in a word
 * @param bits how many there are
 * @param shift how many are below them
 * @param value their meaning, for people
 */
public record IdField(String name, int bits, int shift, String value) {

  static final String TIME = "time";

  /** Returns whether they are the time, or a part of it. */
  public boolean isTime() {
    return name.startsWith(TIME);
  }
}
