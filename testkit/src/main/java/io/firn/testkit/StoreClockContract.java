package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store with a {@linkplain RegisterStore#currentTimeMillis() clock} of its own. A
 * subclass of {@link RegisterStoreContract} implements it in addition. The store runs on the
 * machine of the test, so both clocks show the same time.
 */
public interface StoreClockContract {

  /** The largest difference between the clock of the store and the clock of this machine. */
  Duration MAX_ERROR = Duration.ofMillis(100);

  /** Returns the client that the test calls. {@link RegisterStoreContract} implements it. */
  RegisterStore store();

  /**
   * Checks the clock against this machine's clock, before and after each call. The calls lie more
   * than {@link #MAX_ERROR} apart, so that a clock that is stopped or shows whole seconds fails.
   */
  @Test
  default void clockOfTheStoreShowsTheTimeOfThisMachine() {
    TimeSource clock = TimeSource.system();
    for (int reading = 0; reading < 3; reading++) {
      long before = clock.currentTimeMillis();
      long shown = store().currentTimeMillis().orElseThrow();
      long after = clock.currentTimeMillis();
      assertTrue(
          shown >= before - MAX_ERROR.toMillis() && shown <= after + MAX_ERROR.toMillis(),
          () ->
              "clock of the store: "
                  + shown
                  + " ms (expected: "
                  + before
                  + ".."
                  + after
                  + " ms, at most "
                  + MAX_ERROR.toMillis()
                  + " ms off)");
      StoreFixture.park(MAX_ERROR.plusMillis(50));
    }
  }
}
