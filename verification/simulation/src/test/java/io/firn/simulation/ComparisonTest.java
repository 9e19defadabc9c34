package io.firn.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.simulation.schemes.Contest;
import io.firn.simulation.world.Loss;
import io.firn.testkit.Sizes;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

class ComparisonTest {

  @BeforeAll
  static void beQuiet() {
    Quiet.please();
  }

  @Test
  void firnAloneHasNoCollisionUnderTheSameFaults() {
    List<Contest> contests = Contest.all();
    LongStream.range(0, Sizes.deep(4, 12))
        .forEach(seed -> contests.forEach(contest -> contest.run(seed)));
    Contest firn = contests.get(contests.size() - 1);
    assertThat(firn.collisions()).isZero();
    assertThat(firn.ids()).isGreaterThan(10_000);
    assertThat(contests.stream().filter(contest -> contest.collisions() > 0).count())
        .isGreaterThanOrEqualTo(3);
  }

  @Test
  void aStoreThatForgetsOnceWhileClocksAreSaneCausesNoDuplicate() {
    for (Loss loss : List.of(Loss.ONE_FLUSH, Loss.ONE_FALL_BACK)) {
      for (long seed = 0; seed < Sizes.deep(15, 150); seed++) {
        Outcome outcome = Amnesia.run(seed, loss);
        assertThat(outcome.duplicates()).as("%s, seed %d", loss, seed).isZero();
      }
    }
  }
}
