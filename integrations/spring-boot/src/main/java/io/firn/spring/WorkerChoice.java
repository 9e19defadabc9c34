package io.firn.spring;

import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The worker ID that a lease is pinned to, as {@code firn.worker} says. */
final class WorkerChoice {

  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

  /** The name of a pod of a StatefulSet. */
  private static final Pattern POD = Pattern.compile(".*-(\\d{1,9})");

  private WorkerChoice() {}

  /**
   * Empty for any worker ID that is free.
   *
   * @param variables the environment
   * @throws IllegalArgumentException if the setting is none, or the environment has no ordinal
   */
  static OptionalLong pinned(
      FirnProperties settings, Function<String, @Nullable String> variables) {
    String worker = settings.worker();
    if (worker.equals("lease")) {
      return OptionalLong.empty();
    }
    if (worker.equals("ordinal")) {
      return OptionalLong.of(ordinal(variables) + settings.workerOffset());
    }
    if (NUMBER.matcher(worker).matches()) {
      return OptionalLong.of(Long.parseLong(worker));
    }
    throw new IllegalArgumentException(
        "firn.worker: " + worker + " (expected: lease, ordinal or a number)");
  }

  private static long ordinal(Function<String, @Nullable String> variables) {
    return Stream.concat(
            value("POD_INDEX", NUMBER, variables),
            Stream.of("POD_NAME", "HOSTNAME").flatMap(name -> value(name, POD, variables)))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "firn.worker: ordinal (expected: a number in POD_INDEX, or at the end of"
                        + " POD_NAME or HOSTNAME, as a StatefulSet's pods have)"));
  }

  private static Stream<Long> value(
      String name, Pattern form, Function<String, @Nullable String> variables) {
    String value = variables.apply(name);
    Matcher match = form.matcher(value == null ? "" : value);
    return match.matches()
        ? Stream.of(Long.valueOf(match.group(match.groupCount())))
        : Stream.empty();
  }
}
