package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Copies of a running process, made at any moment, also in the middle of a call. */
final class CopiesSpecTest {

  private static final String INVARIANTS = "NoIdTwice WindowsDisjoint";

  @Test
  void noIdPastWhatWasHeldOrAskedForIsIssuedTwice() throws Exception {
    assertThat(
            check(
                INVARIANTS,
                Map.of(
                    "MaxLate",
                    String.valueOf(Model.deep(0, 1)),
                    "MaxWrites",
                    String.valueOf(Model.deep(3, 4))),
                "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void noIdPastThatIsIssuedTwiceThoughAThirdProcessTakesOver() throws Exception {
    assertThat(
            check(
                INVARIANTS,
                Map.of(
                    "Processes",
                    "{p1, p2, p3}",
                    "Horizon",
                    String.valueOf(Model.deep(2, 3)),
                    "MaxWrites",
                    String.valueOf(Model.deep(2, 4))),
                "none"))
        .contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {"tokenOnly", "noNonce"};
    assertThat(check("Report", Map.of(), mistakes)).contains(Model.found(mistakes));
  }

  private static String check(String invariants, Map<String, String> bounds, String... bugs)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Original", "p1");
    constants.put("Twin", "p2");
    constants.put("Clock", "{0}");
    constants.put("Window", "1");
    constants.put("Horizon", "2");
    constants.put("MaxLate", "0");
    constants.put("MaxWrites", "4");
    constants.put("Bugs", Model.setOf(bugs));
    constants.putAll(bounds);
    return Model.check("Copies", constants, "INVARIANTS " + invariants);
  }
}
