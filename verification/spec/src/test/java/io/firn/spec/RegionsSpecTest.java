package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A datacenter that moves to another store, and the mistakes with which both use a tick. */
final class RegionsSpecTest {

  @Test
  void noTickIsUsedUnderTwoStores() throws Exception {
    assertThat(check(false, "Apart", Model.deep(2, 4), "none")).contains(Model.HOLDS);
  }

  /** Even if a datacenter comes back to a store while a process there stands still. */
  @Test
  void storesWithAnIdentityNeedNoSecondRead() throws Exception {
    assertThat(check(true, "Apart", Model.deep(2, 3), "none", "comesBack")).contains(Model.HOLDS);
  }

  @Test
  void mistakesAreFound() throws Exception {
    String[] mistakes = {
      "listNotReadAgain",
      "registersReadBefore",
      "addedBeforeRemoved",
      "blocksNotRead",
      "noGrace",
      "listForgotten",
      "comesBack"
    };
    assertThat(check(false, "Report", 3, mistakes)).contains(Model.found(mistakes));
    assertThat(check(true, "Report", 3, "notBound")).contains(Model.found("notBound"));
  }

  private static String check(boolean bound, String invariant, long horizon, String... bugs)
      throws Exception {
    Map<String, String> constants = new LinkedHashMap<>();
    constants.put("Processes", "{p1, p2}");
    constants.put("Horizon", String.valueOf(horizon));
    constants.put("Error", "1");
    constants.put("Grace", "1");
    constants.put("MaxChanges", String.valueOf(horizon - 1));
    constants.put("Bound", bound ? "TRUE" : "FALSE");
    constants.put("Bugs", Model.setOf(bugs));
    return Model.check("Regions", constants, "SYMMETRY Symmetry", "INVARIANT " + invariant);
  }
}
