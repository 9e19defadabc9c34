package io.firn.cli;

/**
 * How many IDs.
 *
 * @param value 1..2^63-1
 */
record Count(long value) {

  static Count of(String text) {
    try {
      Count count = new Count(Long.parseLong(text));
      if (count.value > 0) {
        return count;
      }
    } catch (NumberFormatException e) {
      // Refused below.
    }
    throw new IllegalArgumentException("count: " + text + " (expected: 1.." + Long.MAX_VALUE + ")");
  }
}
