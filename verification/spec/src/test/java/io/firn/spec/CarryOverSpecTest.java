package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The carry-over file, and the mistakes with which a tick is used twice. */
final class CarryOverSpecTest {

  @Test
  void theRestOfAWindowIsUsedOnce() throws Exception {
    assertThat(check("NoTickTwice", Model.deep(2, 3), "none")).contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {
      "releasesToo",
      "leavesWhole",
      "leavesBeforeClosed",
      "readNotRenamed",
      "copyCounts",
      "spentRemoved",
      "leftAgain"
    };
    assertThat(check("Report", 2, mistakes)).contains(Model.found(mistakes));
  }

  private static String check(String invariant, long files, String... bugs) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Horizon", String.valueOf(Model.deep(2, 3)));
    constants.put("MaxWrites", "3");
    constants.put("MaxFiles", String.valueOf(files));
    constants.put("Bugs", Model.setOf(bugs));
    return Model.check("CarryOver", constants, "SYMMETRY Symmetry", "INVARIANT " + invariant);
  }
}
