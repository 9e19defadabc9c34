package io.firn;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory.Report;
import io.firn.testkit.Sizes;
import org.junit.jupiter.api.Test;

/** Two threads draw from one generator as fast as they can: in the deep build 200,000,000 IDs. */
class TwoHundredMillionIdsTest {

  private static final int IDS = Sizes.deep(2_000_000, 100_000_000);

  @Test
  void appearOnceEachAndInOrder() throws Exception {
    Snowflake generator =
        Snowflake.builder().layout(IdLayout.of("41t+22s@2026-01-01T00:00:00Z/1ms")).build();
    Callers.Caller caller =
        writer -> {
          for (int i = 0; i < IDS; i++) {
            writer.add(generator.nextId());
          }
        };
    Report report = Callers.together(caller, caller);
    assertThat(report.count()).isEqualTo(2L * IDS);
    assertThat(report.duplicates()).as("duplicates %s", report.firstDuplicates()).isZero();
    assertThat(report.disorders()).isZero();
    assertThat(generator.stats().issued()).isEqualTo(2L * IDS);
  }
}
