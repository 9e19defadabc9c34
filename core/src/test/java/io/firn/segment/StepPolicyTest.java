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
    StepPolicy pace = adaptive();
    pace.judge(QUARTER - 1, 100, false);
    assertThat(pace.step()).isEqualTo(200);
  }

  @Test
  void stepStaysFromAQuarterToHalfAnHour() {
    StepPolicy pace = adaptive();
    pace.judge(1, 100, false);
    pace.judge(1 + QUARTER, 300, false);
    assertThat(pace.step()).isEqualTo(200);
    pace.judge(1 + QUARTER + HALF, 500, false);
    assertThat(pace.step()).isEqualTo(200);
  }

  @Test
  void stepHalvesWhenASegmentLastsMoreThanHalfAnHour() {
    StepPolicy pace = adaptive();
    pace.judge(1, 100, false);
    pace.judge(2 + HALF, 300, false);
    assertThat(pace.step()).isEqualTo(100);
  }

  @Test
  void stepStaysInsideItsBounds() {
    StepPolicy pace = adaptive();
    long issued = 0;
    for (int i = 0; i < 5; i++) {
      issued += pace.step();
      pace.judge(i, issued, false);
    }
    assertThat(pace.step()).isEqualTo(1_000);
    for (int i = 1; i <= 5; i++) {
      issued += pace.step();
      pace.judge(i * (HALF + 10), issued, false);
    }
    assertThat(pace.step()).isEqualTo(100);
  }

  @Test
  void stepIsJudgedOnceAsManyIdsWereIssued() {
    StepPolicy pace = adaptive();
    pace.judge(1, 99, false);
    assertThat(pace.step()).isEqualTo(100);
    pace.judge(1, 100, false);
    assertThat(pace.step()).isEqualTo(200);
  }

  @Test
  void segmentsThatWereFetchedTogetherLastAPartEach() {
    StepPolicy pace = adaptive();
    pace.judge(3 * QUARTER, 400, false);
    assertThat(pace.step()).isEqualTo(200);
    pace.judge(3 * QUARTER + 4 * QUARTER, 400 + 800, false);
    assertThat(pace.step()).isEqualTo(200);
  }

  @Test
  void fixedStepStays() {
    StepPolicy pace = new StepPolicy(100, 100, 100, 0);
    pace.judge(1, 1_000, false);
    pace.judge(HALF * 9, 1_100, false);
    assertThat(pace.step()).isEqualTo(100);
  }

  @Test
  void distanceDoublesUpToItsBoundWhenCallersWait() {
    StepPolicy pace = new StepPolicy(1_000, 1_000, 3_999, 0);
    assertThat(pace.distance()).isEqualTo(1_000);
    pace.judge(1, 0, true);
    assertThat(pace.distance()).isEqualTo(2_000);
    pace.judge(2, 0, true);
    assertThat(pace.distance()).isEqualTo(3_000);
    pace.judge(3, 0, true);
    assertThat(pace.distance()).isEqualTo(3_000);
  }

  @Test
  void distanceHalvesWhenMostOfItWasLeftAndNoCallerWaitedForAWhile() {
    StepPolicy pace = new StepPolicy(1_000, 1_000, 100_000, 0);
    pace.judge(0, 0, true);
    pace.judge(0, 0, true);
    pace.arrived(1_000, 1_000, 2_999);
    pace.judge(CALM, 0, false);
    assertThat(pace.distance()).isEqualTo(4_000);
    pace.arrived(1_000, 1_000, 3_000);
    pace.judge(CALM - 1, 0, false);
    assertThat(pace.distance()).isEqualTo(4_000);
    pace.judge(CALM, 0, false);
    assertThat(pace.distance()).isEqualTo(2_000);
    pace.judge(2 * CALM - 1, 0, false);
    assertThat(pace.distance()).isEqualTo(2_000);
    pace.judge(2 * CALM, 0, false);
    assertThat(pace.distance()).isEqualTo(1_000);
    pace.judge(3 * CALM, 0, false);
    assertThat(pace.distance()).isEqualTo(1_000);
  }

  @Test
  void asksForWholeStepsUpToTheDistance() {
    StepPolicy pace = new StepPolicy(1_000, 1_000, 100_000, 0);
    assertThat(pace.missing(0)).isEqualTo(1_000);
    assertThat(pace.missing(999)).isEqualTo(1_000);
    pace.judge(0, 0, true);
    pace.judge(0, 0, true);
    assertThat(pace.missing(0)).isEqualTo(4_000);
    assertThat(pace.missing(1_000)).isEqualTo(3_000);
    assertThat(pace.missing(1_001)).isEqualTo(3_000);
  }

  @Test
  void distanceNeverPassesItsBoundWhenTheStepGrows() {
    StepPolicy pace = new StepPolicy(100, 1_000, 1_000, 0);
    for (int i = 0; i < 20; i++) {
      pace.judge(i, 10_000L * i, true);
      assertThat(pace.distance()).isBetween(pace.step(), 1_000L);
    }
    assertThat(pace.distance()).isEqualTo(1_000);
  }

  @Test
  void distanceStaysAfterAnAnswerThatWasShorterThanAskedFor() {
    StepPolicy pace = new StepPolicy(1_000, 1_000, 100_000, 0);
    pace.arrived(1_000, 999, 0);
    pace.judge(1, 0, true);
    assertThat(pace.distance()).isEqualTo(1_000);
    pace.arrived(999, 999, 0); // as many as it is known to give
    pace.judge(2, 0, true);
    assertThat(pace.distance()).isEqualTo(1_000);
    pace.arrived(1_000, 1_000, 0);
    pace.judge(3, 0, true);
    assertThat(pace.distance()).isEqualTo(2_000);
  }

  @Test
  void distanceGrowsToOneStepPastWhatTheSourceGivesAtOnce() {
    StepPolicy pace = new StepPolicy(10, 10, 100_000, 0);
    for (int i = 0; i < 100; i++) {
      long asked = pace.missing(0);
      pace.arrived(asked, Math.min(asked, 100), 0);
      pace.judge(i, 0, true);
    }
    assertThat(pace.distance()).isEqualTo(160);
  }

  @Test
  void distanceIsAtMostTenThousandShortAnswers() {
    StepPolicy pace = new StepPolicy(1_000_000, 1_000_000, 10_000_000, 0);
    assertThat(pace.distance()).isEqualTo(1_000_000);
    pace.arrived(1_000_000, 1, 0);
    assertThat(pace.distance()).isEqualTo(10_000);
    pace.arrived(1_000_000, 99, 0);
    assertThat(pace.distance()).isEqualTo(990_000);
    pace.arrived(1_000_000, 999_999, 0);
    assertThat(pace.distance()).isEqualTo(1_000_000);
    pace.arrived(1_000_000, 1, 0);
    pace.arrived(1_000_000, 1_000_000, 0);
    assertThat(pace.distance()).isEqualTo(1_000_000);
  }

  @Test
  void distanceGrowsWhileTheSourceGivesWhatIsAskedFor() {
    StepPolicy pace = new StepPolicy(1_000, 1_000, 10_000_000, 0);
    for (int i = 0; i < 14; i++) {
      long asked = pace.missing(0);
      pace.arrived(asked, asked, 0);
      pace.judge(i, 0, true);
    }
    assertThat(pace.distance()).isEqualTo(10_000_000);
  }
}
