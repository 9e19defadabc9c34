package io.firn.spec;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

final class LeaseSpecTest {

  private static final Pattern STATES = Pattern.compile("([0-9]+) distinct states found, 0 states");

  private static final String INVARIANTS = "NoIdTwice WindowsDisjoint FenceIsHighWater";

  @Test
  void twoProcessesOnTwoWorkersIssueNoIdTwice() throws Exception {
    small(new Model(2, 2, 1, 1, 0, 2, 1, false), 1_000);
    deep(new Model(2, 2, 1, 2, 0, 3, 1, false), 139_000);
    if (Boolean.getBoolean("firn.spec.large")) { // it takes minutes
      holds(new Model(2, 2, 1, 2, 1, 3, 1, false), 499_000);
    }
  }

  @Test
  void threeProcessesOnTwoWorkersIssueNoIdTwice() throws Exception {
    small(new Model(3, 2, 1, 2, 0, 1, 0, false), 1_400);
    deep(new Model(3, 2, 1, 2, 0, 2, 0, false), 10_000);
  }

  @Test
  void threeProcessesOnOneWorkerIssueNoIdTwice() throws Exception {
    small(new Model(3, 1, 1, 2, 0, 1, 0, false), 500);
    deep(new Model(3, 1, 1, 2, 1, 3, 0, false), 25_000);
  }

  @Test
  void windowsOfTwoTicksNeverOverlap() throws Exception {
    small(new Model(2, 1, 2, 3, 1, 2, 0, false), 1_000);
    deep(new Model(2, 1, 2, 3, 1, 3, 1, false), 85_000);
  }

  @Test
  void staleReadsDoNoHarm() throws Exception {
    small(new Model(2, 1, 2, 2, 0, 2, 0, true), 1_000);
    deep(new Model(2, 1, 2, 3, 0, 3, 1, true), 62_000);
  }

  @Test
  void releaseByAnOperatorThatKeepsTheFenceDoesNoHarm() throws Exception {
    small(new Model(2, 1, 2, 3, 0, 2, 0, false), 5_000, "operatorReleases");
    deep(new Model(2, 1, 2, 3, 1, 3, 0, false), 36_000, "operatorReleases");
    deep(new Model(2, 2, 1, 2, 0, 2, 1, false), 25_000, "operatorReleases");
  }

  @Test
  void aReservationKeepsTheIdsOfAnotherSystemApart() throws Exception {
    small(new Model(2, 1, 1, 2, 0, 2, 0, false), 1_000, "operatorReserves");
    deep(new Model(2, 1, 2, 3, 1, 3, 1, false), 36_000, "operatorReserves");
  }

  @Test
  void mistakesAreFound() throws Exception {
    finds(
        new Model(2, 1, 1, 2, 0, 2, 0, false),
        "acquireFromNow",
        "releaseWithoutVersion",
        "releaseWithoutClose",
        "releaseBelowWindow",
        "unknownAssumedApplied",
        "fenceNotChecked",
        "notBeforeNotChecked",
        "operatorLowersFence",
        "reservesWithoutFence",
        "reservationReleasedEarly");
    finds(new Model(2, 1, 2, 3, 1, 4, 1, false), "renewWithoutVersion", "incarnationReused");
  }

  private static void finds(Model model, String... mistakes) throws Exception {
    assertThat(model.check("Report", mistakes)).contains(Model.found(mistakes));
  }

  @Test
  void composingWithALaterSnapshotThanTheCheckedOneIsFound() throws Exception {
    Model model = new Model(2, 2, 1, 2, 0, 4, 0, false);
    assertThat(model.checkWithoutSkew(INVARIANTS, "twoSnapshots"))
        .contains("Invariant WindowsDisjoint is violated");
  }

  /** The deep build checks the larger models. */
  private static void small(Model model, int states, String... bugs) throws Exception {
    if (!Model.DEEP) {
      holds(model, states, bugs);
    }
  }

  private static void deep(Model model, int states, String... bugs) throws Exception {
    if (Model.DEEP) {
      holds(model, states, bugs);
    }
  }

  /** An empty model would hold too, so it must have had that many states. */
  private static void holds(Model model, int states, String... bugs) throws Exception {
    String output = model.check(INVARIANTS, bugs.length == 0 ? new String[] {"none"} : bugs);
    assertThat(output).contains(Model.HOLDS);
    Matcher found = STATES.matcher(output);
    assertThat(found.find()).as(output).isTrue();
    assertThat(Integer.parseInt(found.group(1))).isGreaterThan(states);
    System.out.println(model + ": " + found.group());
  }
}
