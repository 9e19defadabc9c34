package io.firn.store;

import io.firn.time.DurationText;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Checks of the settings of a builder, for the authors of stores. A setting that is refused is an
 * {@link IllegalArgumentException}, {@code name: value (expected: rule)}.
 */
public final class StoreSettings {

  private static final Duration MAX_TIMEOUT = Duration.ofMinutes(1);

  private StoreSettings() {}

  /**
   * Returns the value if there was none before.
   *
   * @throws IllegalArgumentException if there was
   */
  public static <T> T once(String name, @Nullable T before, T value) {
    if (before != null) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: set once, it is " + before + ")");
    }
    return value;
  }

  /**
   * Returns true, so that a builder records that it has built.
   *
   * @param built whether it has built before
   * @throws IllegalStateException if it has
   */
  public static boolean buildOnce(boolean built) {
    if (built) {
      throw new IllegalStateException("The builder has built already; start another one");
    }
    return true;
  }

  /**
   * Returns the timeout of a call.
   *
   * @throws IllegalArgumentException if it is not 1 ms..1 minute
   */
  public static Duration timeout(String name, Duration timeout) {
    if (!isTimeout(timeout)) {
      throw refusedTimeout(name, DurationText.write(timeout));
    }
    return timeout;
  }

  static IllegalArgumentException refusedTimeout(String name, String timeout) {
    return new IllegalArgumentException(name + ": " + timeout + " (expected: 1ms..1m)");
  }

  static boolean isTimeout(Duration timeout) {
    return timeout.compareTo(Duration.ofMillis(1)) >= 0 && timeout.compareTo(MAX_TIMEOUT) <= 0;
  }
}
