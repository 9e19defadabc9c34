package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The change of a namespace's layout, and the mistakes that use a tick with both layouts. */
final class LayoutChangeSpecTest {

  private static final String HOLDS = "Model checking completed. No error has been found.";

  @Test
  void noTickIsUsedWithBothLayouts() throws Exception {
    assertThat(check(Map.of("Horizon", String.valueOf(Sizes.deep(2, 3))))).contains(HOLDS);
  }

  @Test
  void noTickOfOneWorkerIsUsedWithBothLayoutsByTwoProcesses() throws Exception {
    assertThat(check(Map.of("Processes", "{p1, p2}", "Workers", "{w1}", "MaxRuns", "2")))
        .contains(HOLDS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "readsBefore",
        "newNotReadAgain",
        "onlyFixedEnds",
        "beginsEarly",
        "newOnProposal",
        "readsRegistersBefore",
        "callsOffUnread",
        "recallsNothing",
        "recallsToProposal",
        "fixesProposals"
      })
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check(Map.of("Bugs", "{\"" + bug + "\"}"))).contains("Invariant Apart is violated");
  }

  private static String check(Map<String, String> bounds) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1}");
    constants.put("Workers", "{w1, w2}");
    constants.put("Horizon", "2");
    constants.put("MaxRuns", "3");
    constants.put("Bugs", "{}");
    constants.putAll(bounds);
    return Model.check("LayoutChange", constants, "SYMMETRY Symmetry", "INVARIANTS Apart");
  }
}
