package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SegmentsCommandTest {

  @TempDir Path directory;

  private Session run(int exitCode, String... command) {
    Session session = new Session();
    String[] args = new String[command.length + 2];
    System.arraycopy(command, 0, args, 0, command.length);
    args[command.length] = "--store";
    args[command.length + 1] = "file:" + directory;
    assertThat(session.run(args)).as(session.err()).isEqualTo(exitCode);
    return session;
  }

  @Test
  void nextTakesTheNumbersOfACounterAndGivesTheRestBack() {
    assertThat(run(0, "next", "--segment", "orders", "-n", "3").out()).isEqualTo("1\n2\n3\n");
    assertThat(run(0, "next", "--segment", "orders").out()).isEqualTo("4\n");
    assertThat(run(0, "next", "--segment", "bills", "--format", "hex").out()).matches("0*1\n");
  }

  @Test
  void nextTakesMoreNumbersThanASegmentHas() {
    assertThat(run(0, "next", "--segment", "orders", "-n", "5000").out().lines())
        .hasSize(5_000)
        .last()
        .isEqualTo("5000");
  }

  @Test
  void showsTheCounters() {
    run(0, "next", "--segment", "orders", "-n", "3");
    run(0, "next", "--segment", "bills");
    assertThat(run(0, "segments").out())
        .isEqualTo(
            """
                            next  last step  key
                               2       1000  bills
                               4       1000  orders
            """);
    assertThat(run(0, "segments", "--namespace", "bills").out().lines()).hasSize(2);
    assertThat(run(0, "segments", "--json").out())
        .isEqualTo(
            """
            {"key":"bills","next":"2","step":"1000"}
            {"key":"orders","next":"4","step":"1000"}
            """);
  }

  @Test
  void movesACounterOnAndNeverBack() {
    assertThat(run(0, "segments", "--raise", "orders=51000").out()).contains(" 51000  ");
    assertThat(run(0, "next", "--segment", "orders").out()).isEqualTo("51000\n");
    assertThat(run(0, "segments", "--raise", "orders=7", "--raise", "bills=8").out())
        .contains(" 51001  ", " 8  ");
  }

  @Test
  void saysThatNothingWasCountedYet() {
    Session session = run(0, "segments");
    assertThat(session.out()).isEmpty();
    assertThat(session.err()).startsWith("No counter exists yet in file:");
    assertThat(run(0, "segments", "--json").err()).isEmpty();
  }

  @Test
  void refusesWhatItCannotDo() {
    assertThat(run(2, "next", "--segment", "a/b").err())
        .startsWith("firn: key: a/b (expected: 1..64 of A-Z a-z 0-9 . _ : -)\n");
    for (String[] beside :
        new String[][] {
          {"--layout", "twitter"}, {"--worker", "1"}, {"--datacenter", "1"}, {"--namespace", "n"}
        }) {
      assertThat(run(2, "next", "--segment", "orders", beside[0], beside[1]).err())
          .startsWith("firn: option: " + beside[0] + " (expected: not with type segment)\n");
    }
    assertThat(run(2, "segments", "--raise", "orders=-1").err())
        .startsWith("firn: number: -1 (expected: 0..9223372036854775807)\n");
    assertThat(run(2, "segments", "--raise", "orders=x").err())
        .startsWith("firn: raise: x (expected: a whole number)\n");
    assertThat(run(2, "segments", "--raise", "a/b=1").err()).startsWith("firn: key: a/b ");
  }

  /** It raises no counter of its own: each raise names its key. */
  @Test
  void refusesToFilterWhatItRaises() {
    assertThat(run(2, "segments", "--raise", "bills=20", "--namespace", "orders").err())
        .startsWith("firn: option: --namespace (expected: not with --raise)\n");
    assertThat(run(0, "segments").out()).isEmpty();
  }

  @Test
  void showsTheCounterOfOneKey() {
    run(0, "segments", "--raise", "orders=51000");
    assertThat(run(0, "segments", "--namespace", "orders").out()).contains(" 51000  ");
    assertThat(run(0, "segments", "--namespace", "bills").err())
        .startsWith("No counter of key bills exists yet in file:");
    assertThat(run(2, "segments", "--namespace", "a/b").err())
        .startsWith("firn: namespace: a/b (expected: 1..64 of A-Z a-z 0-9 . _ : -)\n");
    assertThat(run(0, "segments", "--help").out()).contains("Show the counter of this key only.");
  }
}
