package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The guard of commits, and the mistakes with which a commit comes after a declaration. */
final class GuardSpecTest {

  @Test
  void noTransactionOfAHolderThatWasDeclaredDeadCommits() throws Exception {
    assertThat(check("{}", Sizes.deep(3, 5)))
        .contains("Model checking completed. No error has been found.");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "opensBeforeRenewal",
        "doesNotSaySo",
        "textRepeats",
        "lockNotKept",
        "doesNotWait",
        "endsBeforeReading",
        "declaresWithoutVersion"
      })
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check("{\"" + bug + "\"}", 2)).contains("Invariant NoRowMissed is violated");
  }

  private static String check(String bugs, long texts) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Transactions", "{t1, t2}");
    constants.put("Readers", "{r1, r2}");
    constants.put("MaxTexts", String.valueOf(texts));
    constants.put("MaxVersion", String.valueOf(texts + 2));
    constants.put("Bugs", bugs);
    return Model.check("Guard", constants, "SYMMETRY Symmetry", "INVARIANT NoRowMissed");
  }
}
