package io.firn.shardingsphere;

import java.util.List;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The properties of an algorithm, all of known names. ShardingSphere passes numbers as numbers. */
record AlgorithmProperties(Properties given) {

  /**
   * Refuses properties that the algorithm does not know.
   *
   * @throws IllegalArgumentException if there is one that is not in {@code allowed}
   */
  static AlgorithmProperties of(Properties given, List<String> allowed) {
    given.keySet().stream()
        .map(Object::toString)
        .filter(name -> !allowed.contains(name))
        .sorted()
        .findFirst()
        .ifPresent(
            name -> {
              String expected = allowed.isEmpty() ? "none" : "one of " + String.join(", ", allowed);
              throw new IllegalArgumentException(
                  "property: " + name + " (expected: " + expected + ")");
            });
    return new AlgorithmProperties(given);
  }

  @Nullable String text(String name) {
    Object value = given.get(name);
    return value == null ? null : value.toString();
  }

  /**
   * Returns a property that must be set.
   *
   * @throws IllegalArgumentException if it is not
   */
  String required(String name) {
    String text = text(name);
    if (text == null) {
      throw new IllegalArgumentException(name + ": not set (expected: a property of it)");
    }
    return text;
  }

  /**
   * Returns a property as a number; null if it is not set.
   *
   * @throws IllegalArgumentException if it is no whole number of 64 bits
   */
  @Nullable Long number(String name) {
    String text = text(name);
    try {
      return text == null ? null : Long.valueOf(text);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + ": " + text + " (expected: a whole number)", e);
    }
  }
}
