package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Windows count only once they are acknowledged, on a store that shows what it may take back. */
final class AcknowledgedSpecTest {

  private static final String INVARIANTS =
      "NoIdTwice WindowsDisjoint KeptFenceIsHighWater NoFalseAlarm";

  @Test
  void noIdTwiceWhereReadsShowWritesThatAFailoverTakesBack() throws Exception {
    assertThat(check(INVARIANTS, Map.of("MaxWrites", String.valueOf(Model.deep(2, 3))), "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void noIdTwiceWithLateWrites() throws Exception {
    assertThat(
            check(
                INVARIANTS,
                Map.of(
                    "MaxWrites", "2", "MaxLate", "1", "Horizon", String.valueOf(Model.deep(1, 2))),
                "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {
      "readExtends", "confirmUnknownCounts", "versionsRepeat", "ackedBeforeKept"
    };
    assertThat(check("Report", Map.of("Horizon", "3"), mistakes)).contains(Model.found(mistakes));
  }

  @Test
  void rememberingAVersionThatWasOnlyReadGivesFalseAlarms() throws Exception {
    assertThat(check(INVARIANTS, Map.of(), "holdKeepsReadVersion"))
        .contains("Invariant NoFalseAlarm is violated");
  }

  private static String check(String invariants, Map<String, String> bounds, String... bugs)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Nobody", "Nobody");
    constants.put("Clock", "{0}");
    constants.put("Window", "1");
    constants.put("Horizon", "2");
    constants.put("MaxLate", "0");
    constants.put("MaxWrites", "4");
    constants.put("MaxCrashes", "0");
    constants.put("MaxFailovers", "1");
    constants.put("MaxTail", "3");
    constants.put("Releases", "FALSE");
    constants.put("Bugs", Model.setOf(bugs));
    constants.putAll(bounds);
    return Model.check("Acknowledged", constants, "SYMMETRY Symmetry", "INVARIANTS " + invariants);
  }
}
