package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The watermark of a namespace, and the mistakes that hide rows from its readers. */
final class WatermarkSpecTest {

  private static final String HOLDS = "Model checking completed. No error has been found.";

  @Test
  void noRowCommitsBelowAPublishedWatermark() throws Exception {
    assertThat(check(Map.of("Horizon", String.valueOf(Sizes.deep(1, 2))))).contains(HOLDS);
  }

  @Test
  void noRowIsMissedThoughTwoThreadsWriteAndTheirKeeperLooksMeanwhile() throws Exception {
    assertThat(check(Map.of("Processes", "{p1}", "Threads", "{t1, t2}", "Horizon", "1")))
        .contains(HOLDS);
  }

  @Test
  void noRowIsMissedThoughAProcessCrashesAndIsDeclaredDead() throws Exception {
    assertThat(check(Map.of("Horizon", "1", "MaxCrashes", "1"))).contains(HOLDS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
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
        "takesOverHeld",
        "releasesWithOpenScope",
        "declaresPausedDead",
        "staleScan"
      })
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check(Map.of("Bugs", "{\"" + bug + "\"}")))
        .containsPattern("Invariant (NoRowMissed|Quiet) is violated");
  }

  private static String check(Map<String, String> bounds) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Threads", "{t1}");
    constants.put("Workers", "{w1}");
    constants.put("Nobody", "Nobody");
    constants.put("Window", "2");
    constants.put("Horizon", "2");
    constants.put("MaxCrashes", "0");
    constants.put("Bugs", "{}");
    constants.putAll(bounds);
    return Model.check("Watermark", constants, "SYMMETRY Symmetry", "INVARIANTS NoRowMissed Quiet");
  }
}
