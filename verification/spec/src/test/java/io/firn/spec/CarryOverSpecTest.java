package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The carry-over file, and the mistakes with which a tick is used twice. */
final class CarryOverSpecTest {

  @Test
  void theRestOfAWindowIsUsedOnce() throws Exception {
    assertThat(check("{}", Sizes.deep(2, 3)))
        .contains("Model checking completed. No error has been found.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "releasesToo",
        "leavesWhole",
        "leavesBeforeClosed",
        "readNotRenamed",
        "copyCounts",
        "spentRemoved",
        "leftAgain"
      })
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check("{\"" + bug + "\"}", 2)).contains("Invariant NoTickTwice is violated");
  }

  private static String check(String bugs, long files) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Horizon", "3");
    constants.put("MaxWrites", "3");
    constants.put("MaxFiles", String.valueOf(files));
    constants.put("Bugs", bugs);
    return Model.check("CarryOver", constants, "SYMMETRY Symmetry", "INVARIANT NoTickTwice");
  }
}
