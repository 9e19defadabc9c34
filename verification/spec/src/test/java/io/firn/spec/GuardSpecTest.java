package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The guard of commits, and the mistakes with which a commit comes after a declaration. */
final class GuardSpecTest {

  @Test
  void noTransactionOfAHolderThatWasDeclaredDeadCommits() throws Exception {
    assertThat(check("NoRowMissed", Model.deep(3, 5), "none")).contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {
      "opensBeforeRenewal",
      "doesNotSaySo",
      "textRepeats",
      "lockNotKept",
      "doesNotWait",
      "endsBeforeReading",
      "declaresWithoutVersion"
    };
    assertThat(check("Report", 2, mistakes)).contains(Model.found(mistakes));
  }

  private static String check(String invariant, long texts, String... bugs) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Transactions", "{t1, t2}");
    constants.put("Readers", "{r1, r2}");
    constants.put("MaxTexts", String.valueOf(texts));
    constants.put("MaxVersion", String.valueOf(texts + 2));
    constants.put("Bugs", Model.setOf(bugs));
    return Model.check("Guard", constants, "SYMMETRY Symmetry", "INVARIANT " + invariant);
  }
}
