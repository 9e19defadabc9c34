package io.firn.integration;

import io.firn.internal.WholeNumber;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The worker ID of a setting: a number, the ordinal of a pod of a StatefulSet, or any that is free.
 * The text form is the number, {@code ordinal}, or {@code lease}.
 *
 * @param text the text form
 * @param number the number; empty for the others
 */
public record WorkerNumber(String text, OptionalLong number) {

  /** The number at the end of the pod's name. */
  public static final WorkerNumber ORDINAL = new WorkerNumber("ordinal", OptionalLong.empty());

  /** Any worker ID that is free, where a setting of all generators names one. */
  public static final WorkerNumber LEASE = new WorkerNumber("lease", OptionalLong.empty());

  private static final Pattern INDEX = Pattern.compile("\\d{1,9}");

  /** The name of a pod of a StatefulSet. */
  private static final Pattern POD = Pattern.compile(".*-(\\d{1,9})");

  /** Returns the setting of a fixed worker ID, which is checked against the layout later. */
  public static WorkerNumber of(long number) {
    return new WorkerNumber(Long.toString(number), OptionalLong.of(number));
  }

  /**
   * Reads the text form.
   *
   * @throws IllegalArgumentException if it is none
   */
  public static WorkerNumber of(String text) {
    for (WorkerNumber word : List.of(ORDINAL, LEASE)) {
      if (text.equals(word.text)) {
        return word;
      }
    }
    try {
      return of(WholeNumber.parse(text));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "worker: " + text + " (expected: a whole number, ordinal or lease)", e);
    }
  }

  /** Returns whether this is the ordinal of the pod. */
  public boolean isOrdinal() {
    return equals(ORDINAL);
  }

  /** Returns whether this is any worker ID that is free. */
  public boolean isLeased() {
    return equals(LEASE);
  }

  /**
   * Returns the ordinal of this process's pod: {@code POD_INDEX}, or the number at the end of
   * {@code POD_NAME} or {@code HOSTNAME}.
   *
   * @param variables the environment
   * @throws IllegalArgumentException if none of them has a number, or {@code POD_INDEX} is set to
   *     something else
   */
  public static long ordinal(Function<String, @Nullable String> variables) {
    return Stream.concat(
            index(variables),
            Stream.of("POD_NAME", "HOSTNAME").flatMap(name -> ofName(name, variables)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "worker: ordinal (expected: a number in POD_INDEX, or at the end of POD_NAME"
                        + " or HOSTNAME, as a StatefulSet's pods have; HOSTNAME is "
                        + Objects.requireNonNullElse(variables.apply("HOSTNAME"), "not set")
                        + ")"));
  }

  private static Stream<Long> index(Function<String, @Nullable String> variables) {
    String value = variables.apply("POD_INDEX");
    if (value == null || value.isEmpty()) {
      return Stream.empty();
    }
    if (!INDEX.matcher(value).matches()) {
      throw new IllegalArgumentException(
          "worker: ordinal (expected: 0..999999999 in POD_INDEX, or none; it is " + value + ")");
    }
    return Stream.of(Long.valueOf(value));
  }

  private static Stream<Long> ofName(String name, Function<String, @Nullable String> variables) {
    String value = variables.apply(name);
    Matcher match = POD.matcher(value == null ? "" : value);
    return match.matches() ? Stream.of(Long.valueOf(match.group(1))) : Stream.empty();
  }

  /** Returns the text form, which {@link #of(String)} reads. */
  @Override
  public String toString() {
    return text;
  }
}
