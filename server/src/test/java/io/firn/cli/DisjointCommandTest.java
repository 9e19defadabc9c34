package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DisjointCommandTest {

  private final Session session = new Session();

  @Test
  void showsANumberThatBothCanIssueAndHow() {
    assertThat(
            session.run(
                "disjoint", "leaf", "classic", "--from-a", "2010-11-10", "--from-b", "2027-01-01"))
        .isEqualTo(1);
    assertThat(session.out())
        .isEqualTo(
            """
            not disjoint: both can issue 132271570944000000
              a  leaf            at 2011-11-04T01:42:54.657Z, worker 0, sequence 0
              b  classic         at 2027-01-01T00:00:00.000Z, worker 0, sequence 0
            """);
    assertThat(session.err()).isEmpty();
  }

  @Test
  void saysThatTwoSetsOfWorkersNeverMeet() {
    assertThat(
            session.run("disjoint", "leaf", "leaf", "--workers-a", "0-9", "--workers-b", "10-1023"))
        .isZero();
    assertThat(session.out()).isEqualTo("disjoint: they never issue the same number\n");
  }

  @Test
  void writesAnObject() {
    assertThat(session.run("disjoint", "--json", "game", "twitter", "--workers-a", "4096,7"))
        .isEqualTo(1);
    assertThat(session.out())
        .isEqualTo(
            "{\"disjoint\":false,\"id\":\"28672\",\"a_layout\":\"game\","
                + "\"a_time\":\"2026-01-01T00:00:00.000Z\",\"a_worker\":7,\"a_sequence\":0,"
                + "\"b_layout\":\"twitter\",\"b_time\":\"2010-11-04T01:42:54.657Z\","
                + "\"b_worker\":7,\"b_sequence\":0}\n");
    Session other = new Session();
    assertThat(
            other.run("disjoint", "--json", "game", "game", "--workers-a", "1", "--workers-b", "2"))
        .isZero();
    assertThat(other.out()).isEqualTo("{\"disjoint\":true}\n");
  }

  @Test
  void refusesAnIntervalThatEndsBeforeItBegins() {
    assertThat(
            session.run(
                "disjoint", "leaf", "leaf", "--from-a", "2027-01-01", "--to-a", "2026-12-01"))
        .isEqualTo(2);
    assertThat(session.err())
        .startsWith(
            "firn: from-a: 2027-01-01T00:00:00.000Z (expected: before to-a:"
                + " 2026-12-01T00:00:00.000Z)\n");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--workers-a | 1024 | workers-a: 1024 (expected: within 0-1023, the layout is"
            + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)",
        "--workers-b | 9-1 | workers-b: 9-1 (expected: a range such as 0-31)",
        "--workers-b | x | workers-b: x (expected: worker IDs and ranges such as 0-31,40, at most"
            + " 4096)",
        "--to-a | 2026-01-01 | to-a: 2026-01-01T00:00:00.000Z (expected: times of classic, from"
            + " 2026-01-01T00:00:00.000Z to before 2095-09-07T15:47:35.552Z)",
        "--from-b | 2095-09-08 | from-b: 2095-09-08T00:00:00.000Z (expected: times of classic, from"
            + " 2026-01-01T00:00:00.000Z to before 2095-09-07T15:47:35.552Z)",
      })
  void refusesWhatTheLayoutDoesNotHave(String option, String value, String message) {
    assertThat(session.run("disjoint", "classic", "classic", option, value)).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err()).startsWith("firn: " + message + "\n");
  }
}
