package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Named blocks, and the mistakes that give a name two blocks or a block two names. */
final class BlocksSpecTest {

  private static final String HOLDS = "Model checking completed. No error has been found.";

  @Test
  void aNameHasOneBlockAndABlockOneName() throws Exception {
    String lease = Sizes.isDeep() ? "1" : "0";
    assertThat(check("", 5, Sizes.isDeep() ? "p1, p2" : "p1", "s1, s2", "1", "1", lease))
        .contains(HOLDS);
  }

  @ParameterizedTest
  @CsvSource({
    "shapeIgnored, 6, p1, 's1, s2', 0, 0, 0",
    "jobAfterPage, 6, 'p1, p2', 's1, s2', 0, 0, 0",
    "pageReadTrusted, 6, p1, s1, 1, 0, 0",
    "pageBeforeBlock, 6, p1, s1, 1, 0, 1",
    "pageWrittenBlindly, 7, p1, s1, 0, 0, 0",
    "oldGenerationCounts, 7, p1, s1, 0, 1, 0",
    "ownBlockKept, 7, p1, s1, 0, 1, 0",
    "blockBelowFence, 6, p1, s1, 0, 0, 1",
    "unknownBlockCounts, 6, p1, s1, 1, 0, 1",
    "unknownPageCounts, 7, p1, s1, 1, 0, 0"
  })
  void mistakeIsFound(
      String bug,
      int writes,
      String pages,
      String shapes,
      String failovers,
      String forgets,
      String leases)
      throws Exception {
    assertThat(check('"' + bug + '"', writes, pages, shapes, failovers, forgets, leases))
        .containsPattern("Invariant [A-Za-z]+ is violated");
  }

  private static String check(
      String bugs,
      int writes,
      String pages,
      String shapes,
      String failovers,
      String forgets,
      String leases)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Tasks", "{t1, t2}");
    constants.put("Pages", "{" + pages + "}");
    constants.put("Shapes", "{" + shapes + "}");
    constants.put("Horizon", "3");
    constants.put("MaxWrites", String.valueOf(writes));
    constants.put("MaxFailovers", failovers);
    constants.put("MaxForgets", forgets);
    constants.put("MaxLeases", leases);
    constants.put("MaxTail", "2");
    constants.put("Bugs", "{" + bugs + "}");
    return Model.check(
        "Blocks", constants, "SYMMETRY Symmetry", "INVARIANTS Unique Stable OneShape OneName");
  }
}
