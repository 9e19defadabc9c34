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
    assertThat(check("", 5, Sizes.isDeep() ? "p1, p2" : "p1", "s1, s2", "1", "1", lease, 3))
        .contains(HOLDS);
  }

  @ParameterizedTest
  @CsvSource({
    "shapeIgnored, 6, p1, 's1, s2', 0, 0, 0, 3",
    "jobAfterPage, 6, 'p1, p2', 's1, s2', 0, 0, 0, 3",
    "pageReadTrusted, 6, p1, s1, 1, 0, 0, 3",
    "pageBeforeBlock, 6, p1, s1, 1, 0, 1, 3",
    "pageWrittenBlindly, 7, p1, s1, 0, 0, 0, 3",
    "oldGenerationCounts, 7, p1, s1, 0, 1, 0, 3",
    "ownBlockKept, 8, p1, s1, 0, 1, 0, 1",
    "blockBelowFence, 6, p1, s1, 0, 0, 1, 3",
    "unknownBlockCounts, 6, p1, s1, 1, 0, 1, 3",
    "unknownPageCounts, 7, p1, s1, 1, 0, 0, 3"
  })
  void mistakeIsFound(
      String bug,
      int writes,
      String pages,
      String shapes,
      String failovers,
      String forgets,
      String leases,
      int horizon)
      throws Exception {
    assertThat(check('"' + bug + '"', writes, pages, shapes, failovers, forgets, leases, horizon))
        .containsPattern("Invariant [A-Za-z]+ is violated");
  }

  private static String check(
      String bugs,
      int writes,
      String pages,
      String shapes,
      String failovers,
      String forgets,
      String leases,
      int horizon)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Tasks", "{t1, t2}");
    constants.put("Pages", "{" + pages + "}");
    constants.put("Shapes", "{" + shapes + "}");
    constants.put("Horizon", String.valueOf(horizon));
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
