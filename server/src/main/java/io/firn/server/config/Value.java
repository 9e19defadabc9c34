package io.firn.server.config;

/**
 * The value that a setting was set to.
 *
 * @param text as written
 * @param origin where: a flag, a variable, a line of the file, or {@code default}
 */
record Value(String text, String origin) {

  static final String DEFAULT = "default";

  IllegalArgumentException refused(String path, String expected) {
    return refused(path, text, expected, origin);
  }

  static IllegalArgumentException refused(
      String path, String shown, String expected, String origin) {
    String from = origin.equals(DEFAULT) ? "set by default" : origin;
    return new IllegalArgumentException(
        path + ": " + shown + " (expected: " + expected + "; " + from + ")");
  }
}
