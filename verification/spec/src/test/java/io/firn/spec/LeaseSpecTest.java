package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.Sizes;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LeaseSpecTest {

  private static final Pattern STATES = Pattern.compile("([0-9]+) distinct states found, 0 states");

  private static final Model ONE_WORKER = new Model(2, 1, 2, 3, 1, 4, 1, false, "");

  @Test
  void twoProcessesOnTwoWorkersIssueNoIdTwice() throws Exception {
    holds(new Model(2, 2, 1, 2, 0, 2, 1, false, ""), 19_000);
    deep(new Model(2, 2, 1, 2, 0, 3, 1, false, ""), 139_000);
    if (Boolean.getBoolean("firn.spec.large")) { // it takes minutes
      holds(new Model(2, 2, 1, 2, 1, 3, 1, false, ""), 499_000);
    }
  }

  @Test
  void threeProcessesOnTwoWorkersIssueNoIdTwice() throws Exception {
    holds(new Model(3, 2, 1, 2, 0, 1, 0, false, ""), 1_400);
    deep(new Model(3, 2, 1, 2, 0, 2, 0, false, ""), 10_000);
  }

  @Test
  void threeProcessesOnOneWorkerIssueNoIdTwice() throws Exception {
    holds(new Model(3, 1, 1, 2, 0, 2, 0, false, ""), 5_800);
    deep(new Model(3, 1, 1, 2, 1, 3, 0, false, ""), 25_000);
  }

  @Test
  void windowsOfTwoTicksNeverOverlap() throws Exception {
    holds(new Model(2, 1, 2, 3, 1, 3, 0, false, ""), 12_000);
    deep(new Model(2, 1, 2, 3, 1, 3, 1, false, ""), 85_000);
  }

  @Test
  void staleReadsDoNoHarm() throws Exception {
    holds(new Model(2, 1, 2, 3, 0, 2, 0, true, ""), 9_000);
    deep(new Model(2, 1, 2, 3, 0, 3, 1, true, ""), 62_000);
  }

  @Test
  void releaseByAnOperatorThatKeepsTheFenceDoesNoHarm() throws Exception {
    holds(new Model(2, 1, 2, 3, 1, 3, 0, false, "operatorReleases"), 36_000);
    deep(new Model(2, 2, 1, 2, 0, 2, 1, false, "operatorReleases"), 25_000);
  }

  @Test
  void aReservationKeepsTheIdsOfAnotherSystemApart() throws Exception {
    holds(new Model(2, 1, 1, 3, 1, 2, 0, false, "operatorReserves"), 10_000);
    deep(new Model(2, 1, 2, 3, 1, 3, 1, false, "operatorReserves"), 36_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "acquireFromNow",
        "renewWithoutVersion",
        "releaseWithoutVersion",
        "releaseWithoutClose",
        "releaseBelowWindow",
        "unknownAssumedApplied",
        "incarnationReused",
        "fenceNotChecked",
        "notBeforeNotChecked",
        "operatorLowersFence",
        "reservesWithoutFence",
        "reservationReleasedEarly"
      })
  void mistakeIsFound(String bug) throws Exception {
    assertThat(ONE_WORKER.with(bug).check()).containsPattern("Invariant [A-Za-z]+ is violated");
  }

  @Test
  void composingWithALaterSnapshotThanTheCheckedOneIsFound() throws Exception {
    assertThat(new Model(2, 2, 1, 2, 0, 4, 0, false, "twoSnapshots").check())
        .contains("Invariant WindowsDisjoint is violated");
  }

  /** The deep build checks a larger model too. */
  private static void deep(Model model, int states) throws Exception {
    if (Sizes.isDeep()) {
      holds(model, states);
    }
  }

  /** An empty model would hold too, so it must have had that many states. */
  private static void holds(Model model, int states) throws Exception {
    String output = model.check();
    assertThat(output).contains("Model checking completed. No error has been found.");
    Matcher found = STATES.matcher(output);
    assertThat(found.find()).as(output).isTrue();
    assertThat(Integer.parseInt(found.group(1))).isGreaterThan(states);
    System.out.println(model + ": " + found.group());
  }
}
