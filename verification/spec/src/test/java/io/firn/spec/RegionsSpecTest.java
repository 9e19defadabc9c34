package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A datacenter that moves to another store, and the mistakes with which both use a tick. */
final class RegionsSpecTest {

  private static final String HOLDS = "Model checking completed. No error has been found.";
  private static final String FAILS = "Invariant Apart is violated";

  @Test
  void noTickIsUsedUnderTwoStores() throws Exception {
    assertThat(check(false, "{}", Sizes.deep(3, 4))).contains(HOLDS);
  }

  @Test
  void storesWithAnIdentityNeedNoSecondRead() throws Exception {
    assertThat(check(true, "{}", Sizes.deep(3, 4))).contains(HOLDS);
  }

  /** Even if a datacenter comes back to a store while a process there stands still. */
  @Test
  void storesWithAnIdentityAllowADatacenterToComeBack() throws Exception {
    assertThat(check(true, "{\"comesBack\"}", 3)).contains(HOLDS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "listNotReadAgain",
        "registersReadBefore",
        "addedBeforeRemoved",
        "blocksNotRead",
        "noGrace",
        "listForgotten",
        "comesBack"
      })
  void mistakeIsFound(String bug) throws Exception {
    assertThat(check(false, "{\"" + bug + "\"}", 3)).contains(FAILS);
  }

  @Test
  void writeThatIsNotBoundIsFound() throws Exception {
    assertThat(check(true, "{\"notBound\"}", 3)).contains(FAILS);
  }

  private static String check(boolean bound, String bugs, long horizon) throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Horizon", String.valueOf(horizon));
    constants.put("Error", "1");
    constants.put("Grace", "1");
    constants.put("MaxChanges", String.valueOf(horizon - 1));
    constants.put("Bound", bound ? "TRUE" : "FALSE");
    constants.put("Bugs", bugs);
    return Model.check("Regions", constants, "SYMMETRY Symmetry", "INVARIANT Apart");
  }
}
