package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class HumanTextTest {

  private static final Instant NOW = Session.NOW;

  @ParameterizedTest
  @CsvSource({
    "2016-04-30T11:18:25.796Z, 10 years 6 months ago",
    "2025-11-21T12:00:00Z, 1 year ago",
    "2025-11-21T12:00:00.001Z, 11 months 30 days ago",
    "2026-10-21T12:00:00Z, 1 month ago",
    "2026-11-20T12:00:00Z, 1 day ago",
    "2026-11-20T10:30:00Z, 1 day 1 h ago",
    "2026-11-21T11:59:00Z, 1 min ago",
    "2026-11-21T11:59:00.001Z, 59 s ago",
    "2026-11-21T11:59:59Z, 1 s ago",
    "2026-11-21T11:59:59.001Z, 999 ms ago",
    "2026-11-21T12:00:00Z, now",
    "2026-11-21T12:00:03Z, in 3 s",
    "2080-07-10T17:30:30.209Z, in 53 years 7 months",
  })
  void saysTheTwoLargestUnits(Instant then, String said) {
    assertThat(HumanText.age(then, NOW)).isEqualTo(said);
  }

  @Test
  void skipsASecondUnitThatIsZero() {
    assertThat(HumanText.age(NOW.minus(Duration.ofDays(2).plusMinutes(5)), NOW))
        .isEqualTo("2 days ago");
  }

  @Test
  void saysAgesOfTensOfThousandsOfYears() {
    assertThat(HumanText.age(Instant.parse("+73376-01-01T00:00:00Z"), NOW))
        .isEqualTo("in 71349 years 1 month");
  }
}
