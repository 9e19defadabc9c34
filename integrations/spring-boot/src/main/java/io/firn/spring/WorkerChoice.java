package io.firn.spring;

import io.firn.integration.WorkerNumber;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The worker ID that a lease is pinned to, as {@code firn.worker} says. */
final class WorkerChoice {

  private static final Pattern NUMBER = Pattern.compile("\\d{1,9}");

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
    try {
      return WorkerNumber.ordinal(variables);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("firn." + e.getMessage(), e);
    }
  }
}
