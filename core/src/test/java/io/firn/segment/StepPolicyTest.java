package io.firn.segment;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class StepPolicyTest {

  private static final long QUARTER = Duration.ofMinutes(15).toNanos();
  private static final long HALF = Duration.ofMinutes(30).toNanos();
  private static final long CALM = Duration.ofSeconds(10).toNanos();

  private static StepPolicy adaptive() {
    return new StepPolicy(100, 1_000, 100_000, 0);
  }

  @Test
  void stepDoublesWhenASegmentLastsLessThanAQuarterOfAnHour() {
    StepPolicy policy = adaptive();
    policy.adapt(QUARTER - 1, 100, false);
    assertThat(policy.step()).isEqualTo(200);
  }

  @Test
  void stepStaysFromAQuarterToHalfAnHour() {
    StepPolicy policy = adaptive();
    policy.adapt(1, 100, false);
    policy.adapt(1 + QUARTER, 300, false);
    assertThat(policy.step()).isEqualTo(200);
    policy.adapt(1 + QUARTER + HALF, 500, false);
    assertThat(policy.step()).isEqualTo(200);
  }

  @Test
  void stepHalvesWhenASegmentLastsMoreThanHalfAnHour() {
    StepPolicy policy = adaptive();
    policy.adapt(1, 100, false);
    policy.adapt(2 + HALF, 300, false);
    assertThat(policy.step()).isEqualTo(100);
  }

  @Test
  void stepStaysInsideItsBounds() {
    StepPolicy policy = adaptive();
    long issued = 0;
    for (int i = 0; i < 5; i++) {
      issued += policy.step();
      policy.adapt(i, issued, false);
    }
    assertThat(policy.step()).isEqualTo(1_000);
    for (int i = 1; i <= 5; i++) {
      issued += policy.step();
      policy.adapt(i * (HALF + 10), issued, false);
    }
    assertThat(policy.step()).isEqualTo(100);
  }

  @Test
  void stepIsAdaptedOnceAsManyIdsWereIssued() {
    StepPolicy policy = adaptive();
    policy.adapt(1, 99, false);
    assertThat(policy.step()).isEqualTo(100);
    policy.adapt(1, 100, false);
    assertThat(policy.step()).isEqualTo(200);
  }

  @Test
  void segmentsThatWereFetchedTogetherLastAPartEach() {
    StepPolicy policy = adaptive();
    policy.adapt(3 * QUARTER, 400, false);
    assertThat(policy.step()).isEqualTo(200);
    policy.adapt(3 * QUARTER + 4 * QUARTER, 400 + 800, false);
    assertThat(policy.step()).isEqualTo(200);
  }

  @Test
  void fixedStepStays() {
    StepPolicy policy = new StepPolicy(100, 100, 100, 0);
    policy.adapt(1, 1_000, false);
    policy.adapt(HALF * 9, 1_100, false);
    assertThat(policy.step()).isEqualTo(100);
  }

  @Test
  void distanceDoublesUpToItsBoundWhenCallersWait() {
    StepPolicy policy = new StepPolicy(1_000, 1_000, 3_999, 0);
    assertThat(policy.distance()).isEqualTo(1_000);
    policy.adapt(1, 0, true);
    assertThat(policy.distance()).isEqualTo(2_000);
    policy.adapt(2, 0, true);
    assertThat(policy.distance()).isEqualTo(3_000);
    policy.adapt(3, 0, true);
    assertThat(policy.distance()).isEqualTo(3_000);
  }

  @Test
  void distanceHalvesWhenMostOfItWasLeftAndNoCallerWaitedForAWhile() {
    StepPolicy policy = new StepPolicy(1_000, 1_000, 100_000, 0);
    policy.adapt(0, 0, true);
    policy.adapt(0, 0, true);
    policy.arrived(1_000, 1_000, 2_999);
    policy.adapt(CALM, 0, false);
    assertThat(policy.distance()).isEqualTo(4_000);
    policy.arrived(1_000, 1_000, 3_000);
    policy.adapt(CALM - 1, 0, false);
    assertThat(policy.distance()).isEqualTo(4_000);
    policy.adapt(CALM, 0, false);
    assertThat(policy.distance()).isEqualTo(2_000);
    policy.adapt(2 * CALM - 1, 0, false);
    assertThat(policy.distance()).isEqualTo(2_000);
    policy.adapt(2 * CALM, 0, false);
    assertThat(policy.distance()).isEqualTo(1_000);
    policy.adapt(3 * CALM, 0, false);
    assertThat(policy.distance()).isEqualTo(1_000);
  }

  @Test
  void asksForWholeStepsUpToTheDistance() {
    StepPolicy policy = new StepPolicy(1_000, 1_000, 100_000, 0);
    assertThat(policy.missing(0)).isEqualTo(1_000);
    assertThat(policy.missing(999)).isEqualTo(1_000);
    policy.adapt(0, 0, true);
    policy.adapt(0, 0, true);
    assertThat(policy.missing(0)).isEqualTo(4_000);
    assertThat(policy.missing(1_000)).isEqualTo(3_000);
    assertThat(policy.missing(1_001)).isEqualTo(3_000);
  }

  @Test
  void distanceNeverPassesItsBoundWhenTheStepGrows() {
    StepPolicy policy = new StepPolicy(100, 1_000, 1_000, 0);
    for (int i = 0; i < 20; i++) {
      policy.adapt(i, 10_000L * i, true);
      assertThat(policy.distance()).isBetween(policy.step(), 1_000L);
    }
    assertThat(policy.distance()).isEqualTo(1_000);
  }

  @Test
  void distanceStaysAfterAnAnswerThatWasShorterThanAskedFor() {
    StepPolicy policy = new StepPolicy(1_000, 1_000, 100_000, 0);
    policy.arrived(1_000, 999, 0);
    policy.adapt(1, 0, true);
    assertThat(policy.distance()).isEqualTo(1_000);
    policy.arrived(999, 999, 0); // as many as it is known to give
    policy.adapt(2, 0, true);
    assertThat(policy.distance()).isEqualTo(1_000);
    policy.arrived(1_000, 1_000, 0);
    policy.adapt(3, 0, true);
    assertThat(policy.distance()).isEqualTo(2_000);
  }

  @Test
  void distanceGrowsToOneStepPastWhatTheSourceGivesAtOnce() {
    StepPolicy policy = new StepPolicy(10, 10, 100_000, 0);
    for (int i = 0; i < 100; i++) {
      long asked = policy.missing(0);
      policy.arrived(asked, Math.min(asked, 100), 0);
      policy.adapt(i, 0, true);
    }
    assertThat(policy.distance()).isEqualTo(160);
  }

  @Test
  void distanceIsAtMostTenThousandShortAnswers() {
    StepPolicy policy = new StepPolicy(1_000_000, 1_000_000, 10_000_000, 0);
    assertThat(policy.distance()).isEqualTo(1_000_000);
    policy.arrived(1_000_000, 1, 0);
    assertThat(policy.distance()).isEqualTo(10_000);
    policy.arrived(1_000_000, 99, 0);
    assertThat(policy.distance()).isEqualTo(990_000);
    policy.arrived(1_000_000, 999_999, 0);
    assertThat(policy.distance()).isEqualTo(1_000_000);
    policy.arrived(1_000_000, 1, 0);
    policy.arrived(1_000_000, 1_000_000, 0);
    assertThat(policy.distance()).isEqualTo(1_000_000);
  }

  @Test
  void distanceGrowsWhileTheSourceGivesWhatIsAskedFor() {
    StepPolicy policy = new StepPolicy(1_000, 1_000, 10_000_000, 0);
    for (int i = 0; i < 14; i++) {
      long asked = policy.missing(0);
      policy.arrived(asked, asked, 0);
      policy.adapt(i, 0, true);
    }
    assertThat(policy.distance()).isEqualTo(10_000_000);
  }
}
