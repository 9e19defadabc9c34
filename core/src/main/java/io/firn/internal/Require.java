package io.firn.internal;

import io.firn.time.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.regex.Pattern;

/** Checks of arguments, with one form of message: {@code name: value (expected: rule)}. */
public final class Require {

  /** The rule of a name, as messages state it. */
  public static final String NAME_RULE = "1..64 of A-Z a-z 0-9 . _ : -";

  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._:-]{1,64}");

  private static final Pattern INSTANCE = Pattern.compile("[\\x21-\\x7e]{1,100}");

  private static final Instant FIRST = Instant.ofEpochMilli(Long.MIN_VALUE);
  private static final Instant LAST = Instant.ofEpochMilli(Long.MAX_VALUE);

  private Require() {}

  /**
   * Returns the value if it can be part of a register's name: 1..64 of A-Z, a-z, 0-9, '.', '_', ':'
   * and '-'.
   *
   * @throws IllegalArgumentException if it cannot
   */
  public static String name(String what, String value) {
    if (!isName(value)) {
      throw new IllegalArgumentException(what + ": " + value + " (expected: " + NAME_RULE + ")");
    }
    return value;
  }

  /** Returns whether the value is a {@link #name}. */
  public static boolean isName(String value) {
    return NAME.matcher(value).matches();
  }

  /**
   * Returns the name of a process for operators if it is 1..100 visible ASCII characters.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static String instance(String value) {
    if (!INSTANCE.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "instance: " + value + " (expected: 1..100 visible ASCII characters)");
    }
    return value;
  }

  /**
   * Returns the value if it is not negative.
   *
   * @throws IllegalArgumentException if it is
   */
  public static long notNegative(String name, long value) {
    if (value < 0) {
      throw new IllegalArgumentException(name + ": " + value + " (expected: 0 or more)");
    }
    return value;
  }

  /**
   * Returns the value if it is inside the bounds.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static long inRange(String name, long min, long max, long value) {
    if (value < min || value > max) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: " + min + ".." + max + ")");
    }
    return value;
  }

  /**
   * Returns the milliseconds of an end of ID time; the next one if it is within a millisecond.
   *
   * @throws IllegalArgumentException if they are no {@code long}
   */
  public static long endMillis(String name, Instant end) {
    if (end.isBefore(FIRST) || end.isAfter(LAST)) {
      throw new IllegalArgumentException(
          name + ": " + end + " (expected: " + FIRST + ".." + LAST + ")");
    }
    long millis = end.toEpochMilli();
    return end.isAfter(Instant.ofEpochMilli(millis)) ? millis + 1 : millis;
  }

  /**
   * Returns the milliseconds of a time.
   *
   * @throws IllegalArgumentException if it is within a millisecond, or they are no {@code long}
   */
  public static long wholeMillis(String name, Instant time) {
    long millis = endMillis(name, time);
    if (time.isBefore(Instant.ofEpochMilli(millis))) {
      throw new IllegalArgumentException(name + ": " + time + " (expected: whole milliseconds)");
    }
    return millis;
  }

  /**
   * Returns the value if it is inside the bounds and of whole milliseconds.
   *
   * @throws IllegalArgumentException if it is not
   */
  public static Duration inRange(String name, Duration min, Duration max, Duration value) {
    boolean whole = value.equals(value.truncatedTo(ChronoUnit.MILLIS));
    if (!whole || value.compareTo(min) < 0 || value.compareTo(max) > 0) {
      String range = DurationText.write(min) + ".." + DurationText.write(max);
      throw new IllegalArgumentException(
          name
              + ": "
              + DurationText.write(value)
              + " (expected: "
              + (whole ? range : range + " in whole milliseconds")
              + ")");
    }
    return value;
  }

  /**
   * Checks that the epoch of a layout is not in the future.
   *
   * @throws IllegalArgumentException if it is
   */
  public static void begun(Instant epoch, Instant now) {
    if (now.isBefore(epoch)) {
      throw new IllegalArgumentException(
          "epoch: " + epoch + " (expected: not in the future, the clock reads " + now + ")");
    }
  }

  /**
   * Checks that a layout has not ended.
   *
   * @param name the setting that has the layout
   * @param end when the layout ends
   * @throws IllegalArgumentException if it has
   */
  public static void notEnded(String name, Object layout, Instant end, Instant now) {
    if (!now.isBefore(end)) {
      throw new IllegalArgumentException(
          name
              + ": "
              + layout
              + " (expected: a layout that has not ended; it ended on "
              + end
              + ")");
    }
  }
}
