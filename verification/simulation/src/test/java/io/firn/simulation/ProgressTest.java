package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class ProgressTest {

  private final StringWriter out = new StringWriter();
  private long now = 1;

  /** Runs a hundred seeds of half a second each. */
  private String afterAHundredSeeds(boolean terminal) {
    try (Progress progress = new Progress(100, new PrintWriter(out), terminal, () -> now)) {
      for (int i = 0; i < 100; i++) {
        now += TimeUnit.MILLISECONDS.toNanos(500);
        progress.step();
      }
    }
    return out.toString();
  }

  @Test
  void printsALineEachTenSecondsIntoAPipe() {
    assertThat(afterAHundredSeeds(false).lines())
        .containsExactly(
            "20 of 100 seeds, 2 a second",
            "40 of 100 seeds, 2 a second",
            "60 of 100 seeds, 2 a second",
            "80 of 100 seeds, 2 a second",
            "100 of 100 seeds, 2 a second");
  }

  @Test
  void movesABarOnATerminalAndWipesItOut() {
    assertThat(afterAHundredSeeds(true))
        .contains("\r████░", "░ 10 of 100 seeds, 2 a second \r")
        .endsWith(" \r")
        .doesNotContain("\n");
  }
}
