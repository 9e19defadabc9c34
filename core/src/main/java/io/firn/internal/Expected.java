package io.firn.internal;

import java.time.Duration;
import java.time.temporal.ChronoUnit;
import org.jspecify.annotations.Nullable;

/** Checks of what builders are told. */
public final class Expected {

  private Expected() {}

  /**
   * Returns the value if there was none before.
   *
   * @throws IllegalArgumentException if there was
   */
  public static <T> T once(String name, @Nullable T before, T value) {
    if (before != null) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: to be set once, it is " + before + ")");
    }
    return value;
  }

  /**
   * Returns the value if it is inside the bounds.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static long within(String name, long min, long max, long value) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + min + ".." + max + ")");
    }
    return value;
  }

  /**
   * Returns the value if it is inside the bounds and of whole milliseconds.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static Duration within(String name, Duration min, Duration max, Duration value) {
    if (value.compareTo(min) < 0
        || value.compareTo(max) > 0
        || !value.equals(value.truncatedTo(ChronoUnit.MILLIS))) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + min + ".." + max + " in whole milliseconds)");
    }
    return value;
  }
}
