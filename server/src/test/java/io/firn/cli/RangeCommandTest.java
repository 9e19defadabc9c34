package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class RangeCommandTest {

  private final Session session = new Session();

  private String refusal(String... args) {
    assertThat(session.run(args)).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err()).endsWith("\nTry: firn range --help\n");
    return session.err().substring(0, session.err().indexOf('\n'));
  }

  @Test
  void showsTheSmallestAndTheLargestIdOfADay() {
    assertThat(session.run("range", "2026-11-01", "2026-11-02", "--layout", "twitter")).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            smallest  2116681624581046272  2026-11-01T00:00:00.000Z
            largest   2117044012446646271  2026-11-01T23:59:59.999Z
            """);
    long next = IdLayout.TWITTER.minId(Instant.parse("2026-11-02T00:00:00Z"));
    assertThat(next).isEqualTo(2117044012446646272L);
  }

  @Test
  void takesInstantsInAnyZoneAndTheDefaultLayout() {
    session.run("range", "--json", "2026-01-01T01:00:00.001+01:00", "2026-01-01T00:00:00.002Z");
    assertThat(session.out())
        .isEqualTo("{\"layout\":\"classic\",\"smallest\":\"4194304\",\"largest\":\"8388607\"}\n");
  }

  @Test
  void dividesNoTick() {
    session.run(
        "range", "--layout", "game", "2026-01-01T00:00:01.500Z", "2026-01-01T00:00:02.001Z");
    assertThat(session.out())
        .isEqualTo(
            """
            smallest  4294967296  2026-01-01T00:00:01.000Z
            largest   12884901887  2026-01-01T00:00:02.000Z
            """);
  }

  @Test
  void showsTheTickOfARangeThatIsShorter() {
    session.run("range", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.0005Z");
    assertThat(session.out())
        .isEqualTo(
            """
            smallest  0  2026-01-01T00:00:00.000Z
            largest   4194303  2026-01-01T00:00:00.000Z
            """);
  }

  @Test
  void showsTheTickThatHoldsAnEndWithinIt() {
    session.run("range", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00.0015Z");
    assertThat(session.out()).contains("largest   8388607  2026-01-01T00:00:00.001Z\n");
  }

  @Test
  void endsBeforeTheTickThatBeginsWithTheEnd() {
    session.run("range", "--layout", "game", "2026-01-01T00:00:01Z", "2026-01-01T00:00:02Z");
    assertThat(session.out()).contains("largest   8589934591  2026-01-01T00:00:01.000Z\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "2026-11-02 | 2026-11-02 | to: 2026-11-02T00:00:00.000Z (expected: later than"
            + " 2026-11-02T00:00:00.000Z)",
        "2026-11-02 | 2026-11-01 | to: 2026-11-01T00:00:00.000Z (expected: later than"
            + " 2026-11-02T00:00:00.000Z)",
        "tomorrow | 2026-11-01 | time: tomorrow (expected: 2026-11-01, in UTC, or"
            + " 2026-11-01T09:30:00Z)",
        "2026-11-01 | 2026-11-31 | time: 2026-11-31 (expected: 2026-11-01, in UTC, or"
            + " 2026-11-01T09:30:00Z)",
        "2026-11-01T09:30 | 2026-11-02 | time: 2026-11-01T09:30 (expected: 2026-11-01, in UTC, or"
            + " 2026-11-01T09:30:00Z)",
        "2025-12-31 | 2026-01-02 | instant: 2025-12-31T00:00:00Z (expected: from"
            + " 2026-01-01T00:00:00Z to before 2095-09-07T15:47:35.552Z)",
        "2026-01-01 | 2095-09-08 | instant: 2095-09-07T23:59:59.999999999Z (expected: from"
            + " 2026-01-01T00:00:00Z to before 2095-09-07T15:47:35.552Z)",
      })
  void refusesWhatIsNoStretchOfTheLayout(String from, String to, String message) {
    assertThat(refusal("range", from, to)).isEqualTo("firn: " + message);
  }

  @Test
  void refusesALayoutWhoseIdsDoNotSortByTime() {
    assertThat(refusal("range", "2026-11-01", "2026-11-02", "--layout", "seata"))
        .isEqualTo(
            "firn: layout: 10w+41t+12s@2020-05-02T16:00:00Z/1ms (expected: time as the highest"
                + " field, for a range of IDs)");
  }

  @Test
  void showsItsArgumentsIfNoneIsGiven() {
    assertThat(refusal("range")).isEqualTo("firn: from: none (expected: firn range FROM TO)");
  }

  @Test
  void needsBothEnds() {
    assertThat(refusal("range", "2026-11-01"))
        .isEqualTo("firn: to: none (expected: firn range FROM TO)");
  }
}
