package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Named blocks, and the mistakes that give a name two blocks or a block two names. */
final class BlocksSpecTest {

  @Test
  void aNameHasOneBlockAndABlockOneName() throws Exception {
    Map<String, String> bounds =
        Map.of(
            "Pages",
            Model.DEEP ? "{p1, p2}" : "{p1}",
            "Shapes",
            "{s1, s2}",
            "MaxWrites",
            String.valueOf(Model.deep(4, 5)),
            "MaxFailovers",
            "1",
            "MaxForgets",
            "1",
            "MaxLeases",
            String.valueOf(Model.deep(0, 1)));
    assertThat(check("Unique Stable OneShape OneName", bounds, "none")).contains(Model.HOLDS);
  }

  @Test
  void mistakesOfTasksAreFound() throws Exception {
    finds(Map.of("Pages", "{p1, p2}", "Shapes", "{s1, s2}"), "shapeIgnored", "jobAfterPage");
    finds(Map.of("MaxWrites", "7"), "pageWrittenBlindly");
  }

  @Test
  void mistakesOnAStoreThatTakesWritesBackAreFound() throws Exception {
    finds(Map.of("MaxFailovers", "1"), "pageReadTrusted");
    finds(
        Map.of("MaxFailovers", "1", "MaxLeases", "1"),
        "pageBeforeBlock",
        "blockBelowFence",
        "unknownBlockCounts");
    finds(Map.of("MaxWrites", "7", "MaxFailovers", "1"), "unknownPageCounts");
  }

  @Test
  void mistakesAfterAJobWasForgottenAreFound() throws Exception {
    finds(Map.of("MaxWrites", "7", "MaxForgets", "1"), "oldGenerationCounts");
    finds(Map.of("MaxWrites", "8", "MaxForgets", "1", "Horizon", "1"), "ownBlockKept");
  }

  private static void finds(Map<String, String> bounds, String... mistakes) throws Exception {
    assertThat(check("Report", bounds, mistakes)).contains(Model.found(mistakes));
  }

  private static String check(String invariants, Map<String, String> bounds, String... bugs)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Tasks", "{t1, t2}");
    constants.put("Pages", "{p1}");
    constants.put("Shapes", "{s1}");
    constants.put("Horizon", "3");
    constants.put("MaxWrites", "6");
    constants.put("MaxFailovers", "0");
    constants.put("MaxForgets", "0");
    constants.put("MaxLeases", "0");
    constants.put("MaxTail", "2");
    constants.put("Bugs", Model.setOf(bugs));
    constants.putAll(bounds);
    return Model.check("Blocks", constants, "SYMMETRY Symmetry", "INVARIANTS " + invariants);
  }
}
