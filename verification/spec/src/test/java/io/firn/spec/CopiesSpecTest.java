package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Copies of a running process, made at any moment, also in the middle of a call. */
final class CopiesSpecTest {

  private static final String HOLDS = "Model checking completed. No error has been found.";

  @Test
  void noIdPastWhatWasHeldOrAskedForIsIssuedTwice() throws Exception {
    assertThat(check(Map.of("MaxLate", String.valueOf(Sizes.deep(0, 1))))).contains(HOLDS);
  }

  @Test
  void noIdPastThatIsIssuedTwiceThoughAThirdProcessTakesOver() throws Exception {
    assertThat(
            check(
                Map.of(
                    "Processes",
                    "{p1, p2, p3}",
                    "Horizon",
                    String.valueOf(Sizes.deep(2, 3)),
                    "MaxWrites",
                    String.valueOf(Sizes.deep(3, 4)))))
        .contains(HOLDS);
  }

  @ParameterizedTest
  @ValueSource(strings = {"tokenOnly", "noNonce"})
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check(Map.of("Bugs", "{\"" + bug + "\"}")))
        .containsPattern("Invariant [A-Za-z]+ is violated");
  }

  private static String check(Map<String, String> bounds) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Original", "p1");
    constants.put("Twin", "p2");
    constants.put("Clock", "{0}");
    constants.put("Window", "1");
    constants.put("Horizon", "2");
    constants.put("MaxLate", "0");
    constants.put("MaxWrites", "4");
    constants.put("Bugs", "{}");
    constants.putAll(bounds);
    return Model.check("Copies", constants, "INVARIANTS NoIdTwice WindowsDisjoint");
  }
}
