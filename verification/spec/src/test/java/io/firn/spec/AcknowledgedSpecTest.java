package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Windows count only once they are acknowledged, on a store that shows what it may take back. */
final class AcknowledgedSpecTest {

  private static final String HOLDS = "Model checking completed. No error has been found.";

  @Test
  void noIdTwiceWhereReadsShowWritesThatAFailoverTakesBack() throws Exception {
    assertThat(check(Map.of("MaxWrites", "3"))).contains(HOLDS);
  }

  @Test
  void noIdTwiceWithLateWrites() throws Exception {
    assertThat(check(Map.of("MaxWrites", "2", "MaxLate", "1"))).contains(HOLDS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"readExtends", "confirmUnknownCounts", "versionsRepeat", "ackedBeforeKept"})
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check(Map.of("Horizon", "3", "Bugs", "{\"" + bug + "\"}")))
        .containsPattern("Invariant [A-Za-z]+ is violated");
  }

  @Test
  void rememberingAVersionThatWasOnlyReadGivesFalseAlarms() throws Exception {
    assertThat(check(Map.of("Bugs", "{\"holdKeepsReadVersion\"}")))
        .contains("Invariant NoFalseAlarm is violated");
  }

  private static String check(Map<String, String> bounds) throws Exception {
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
    constants.put("Bugs", "{}");
    constants.putAll(bounds);
    return Model.check(
        "Acknowledged",
        constants,
        "SYMMETRY Symmetry",
        "INVARIANTS NoIdTwice WindowsDisjoint KeptFenceIsHighWater NoFalseAlarm");
  }
}
