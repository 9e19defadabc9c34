package io.firn.key;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What a generator is to be like, as names and values in text. Immutable. */
public final class KeyProperties {

  private final Map<String, String> values;

  private KeyProperties(Map<String, String> values) {
    this.values = values;
  }

  /** Properties of these names and values. */
  public static KeyProperties of(Map<String, String> values) {
    return new KeyProperties(Map.copyOf(values));
  }

  /** A property's value; empty if it was not given. */
  public Optional<String> text(String name) {
    return Optional.ofNullable(values.get(name));
  }

  /**
   * A property's value.
   *
   * @throws IllegalArgumentException if it was not given
   */
  public String required(String name) {
    return text(name)
        .orElseThrow(
            () -> new IllegalArgumentException(name + ": not set (expected: a property of it)"));
  }

  /**
   * A property's value as a number; empty if it was not given.
   *
   * @throws IllegalArgumentException if it is no whole number of 64 bits
   */
  public Optional<Long> number(String name) {
    return text(name).map(value -> number(name, value));
  }

  private static Long number(String name, String value) {
    try {
      return Long.valueOf(value);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: a whole number)", e);
    }
  }

  /**
   * Refuses properties that the type does not know.
   *
   * @throws IllegalArgumentException if there is one that is not among {@code names}
   */
  public KeyProperties allow(String... names) {
    List<String> allowed = Arrays.asList(names);
    values.keySet().stream()
        .filter(name -> !allowed.contains(name))
        .sorted()
        .findFirst()
        .ifPresent(
            name -> {
              throw new IllegalArgumentException(
                  "property: " + name + " (expected: " + expected(allowed) + ")");
            });
    return this;
  }

  private static String expected(List<String> allowed) {
    return allowed.isEmpty() ? "none" : "one of " + String.join(", ", allowed);
  }

  /** The names only: a value may be secret. */
  @Override
  public String toString() {
    return "KeyProperties" + values.keySet();
  }
}
