package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The watermark of a namespace, and the mistakes that hide rows from its readers. */
final class WatermarkSpecTest {

  private static final String INVARIANTS = "NoRowMissed Quiet";

  @Test
  void noRowCommitsBelowAPublishedWatermark() throws Exception {
    assertThat(check(INVARIANTS, Map.of("Horizon", String.valueOf(Model.deep(1, 2))), "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void noRowIsMissedThoughTwoThreadsWriteAndTheirKeeperLooksMeanwhile() throws Exception {
    assertThat(
            check(
                INVARIANTS,
                Map.of("Processes", "{p1}", "Threads", "{t1, t2}", "Horizon", "1"),
                "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void noRowIsMissedThoughAProcessCrashesAndIsDeclaredDead() throws Exception {
    assertThat(check(INVARIANTS, Map.of("Horizon", "1", "MaxCrashes", "1"), "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {
      "floorReadBefore",
      "floorNotRead",
      "floorNotRaised",
      "workersReadBefore",
      "lowWithoutMove",
      "looksBeforeMove",
      "entersLate",
      "scopeNotKept",
      "givesUpCommitting",
      "closesBeforeCommit",
      "commitsGivenUp",
      "releasesWithOpenScope",
      "declaresPausedDead",
      "staleScan"
    };
    assertThat(check("Report", Map.of("Horizon", "1"), mistakes)).contains(Model.found(mistakes));
    assertThat(check("Report", Map.of(), "takesOverHeld")).contains(Model.found("takesOverHeld"));
  }

  private static String check(String invariants, Map<String, String> bounds, String... bugs)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Threads", "{t1}");
    constants.put("Workers", "{w1}");
    constants.put("Nobody", "Nobody");
    constants.put("Window", "2");
    constants.put("Horizon", "2");
    constants.put("MaxCrashes", "0");
    constants.put("Bugs", Model.setOf(bugs));
    constants.putAll(bounds);
    return Model.check("Watermark", constants, "SYMMETRY Symmetry", "INVARIANTS " + invariants);
  }
}
