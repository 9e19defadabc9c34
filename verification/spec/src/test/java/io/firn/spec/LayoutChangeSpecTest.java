package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The change of a namespace's layout, and the mistakes that use a tick with both layouts. */
final class LayoutChangeSpecTest {

  private static final String INVARIANTS = "Apart";

  @Test
  void noTickIsUsedWithBothLayouts() throws Exception {
    assertThat(check(INVARIANTS, Map.of("Horizon", String.valueOf(Model.deep(2, 3))), "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void noTickOfOneWorkerIsUsedWithBothLayoutsByTwoProcesses() throws Exception {
    assertThat(
            check(
                INVARIANTS,
                Map.of("Processes", "{p1, p2}", "Workers", "{w1}", "MaxRuns", "2"),
                "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {
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
    };
    assertThat(check("Report", Map.of(), mistakes)).contains(Model.found(mistakes));
  }

  private static String check(String invariants, Map<String, String> bounds, String... bugs)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1}");
    constants.put("Workers", "{w1, w2}");
    constants.put("Horizon", "2");
    constants.put("MaxRuns", "3");
    constants.put("Bugs", Model.setOf(bugs));
    constants.putAll(bounds);
    return Model.check("LayoutChange", constants, "SYMMETRY Symmetry", "INVARIANTS " + invariants);
  }
}
