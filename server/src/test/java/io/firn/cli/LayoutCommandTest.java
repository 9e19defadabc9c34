package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class LayoutCommandTest {

  private final Session session = new Session();

  static Iterable<String> names() {
    return IdLayout.named().keySet();
  }

  @Test
  void showsBitsCapacityAndLife() {
    assertThat(session.run("layout", "twitter")).isZero();
    assertThat(session.out())
        .isEqualTo(
            """
            twitter  41t+5d+5w+12s@2010-11-04T01:42:54.657Z/1ms

              - ttttttttttttttttttttttttttttttttttttttttt ddddd wwwww ssssssssssss

              time        41 bits  ticks of 1 ms since the epoch
              datacenter   5 bits  0..31
              worker       5 bits  0..31
              sequence    12 bits  0..4095

              a worker    4,096,000 IDs/s
              the fleet   4,194,304,000 IDs/s from 1,024 workers
              epoch       2010-11-04T01:42:54.657Z
              end         2080-07-10T17:30:30.209Z, in 53 years 7 months
            """);
  }

  @Test
  void showsWhenTheSignOfAnUnsignedLayoutFlips() {
    assertThat(session.run("layout", "instagram")).isZero();
    assertThat(session.out())
        .endsWith(
            """
              end         2046-06-27T17:00:49.497Z, in 19 years 7 months
                          there the sign flips, and Firn issues none after it;
                          the bits last until 2081-04-30T12:54:37.273Z
            """);
  }

  /** As the server and the console say it. */
  @Test
  void endsAnUnsignedLayoutInTheTableWhereItsSignFlips() {
    session.run("layout");
    assertThat(session.out()).containsPattern("(?m)^discord .* 2084-09-06$");
  }

  @Test
  void showsTheTableWithoutCapacityOnANarrowTerminal() {
    session.environment(Map.of("COLUMNS", "80")).run("layout");
    assertThat(session.out().lines()).allMatch(line -> line.length() <= 80);
    assertThat(session.out())
        .containsPattern("(?m)^name +layout +ends$")
        .containsPattern("(?m)^baidu +28t[^ ]+ +2024-11-20 \\*$");
  }

  @Test
  void breaksTheBitsOnANarrowTerminal() {
    session.environment(Map.of("COLUMNS", "60")).run("layout", "twitter");
    assertThat(session.out())
        .contains(
            """

              - ttttttttttttttttttttttttttttttt
              tttttttttt ddddd wwwww ssssssssssss

            """);
  }

  @Test
  void showsALayoutInTextFormThatHasNoName() {
    assertThat(session.run("layout", "40t+4w+1s@2026-01-01T00:00:00Z/10s")).isZero();
    assertThat(session.out())
        .startsWith("40t+4w+1s@2026-01-01T00:00:00Z/10s\n")
        .contains("a worker    0.2 IDs/s\n", "the fleet   3.2 IDs/s from 16 workers\n");
  }

  @Test
  void paintsAnEndInThePastRed() {
    session.colored().run("layout", "baidu");
    assertThat(session.out()).contains("\u001b[31m2024-11-20T13:24:16.000Z, 2 years ago");
  }

  @ParameterizedTest
  @MethodSource("names")
  void showsEveryNamedLayoutInItsTableAndByItself(String name) {
    session.run("layout");
    assertThat(session.out()).containsPattern("(?m)^" + name + " +[0-9]+[tw]\\+.*$");
    assertThat(new Session().run("layout", name)).isZero();
  }

  @Test
  void keepsTheTableWithinAHundredColumns() {
    assertThat(session.run("layout")).isZero();
    assertThat(session.out().lines()).allMatch(line -> line.length() <= 100);
  }

  @Test
  void marksExactlyTheLayoutsThatHaveEnded() {
    session.colored().run("layout");
    assertThat(session.out().lines().filter(line -> line.contains("\u001b[31m")))
        .singleElement()
        .asString()
        .contains("baidu", "2024-11-20 *");
  }

  @Test
  void refusesALayoutThatIsTooWideAndNamesOneThatIsNot() {
    assertThat(session.run("layout", "37t+20w+16s@2026-01-01T00:00:00Z/1ms")).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err())
        .isEqualTo(
            """
            firn: layout: 37t+20w+16s (expected: at most 63 bits, or 64 with time first; \
            37 + 20 + 16 = 73; 37 bits of 1ms last 4.4 years); \
            a million workers fit into game, 31t+20w+12s@2026-01-01T00:00:00Z/1s
            Try: firn layout --help
            """);
  }

  @Test
  void givesNoHintForOtherMistakes() {
    assertThat(session.run("layout", "10w+12s@2026-01-01T00:00:00Z/1ms")).isEqualTo(2);
    assertThat(session.err())
        .isEqualTo(
            """
            firn: layout: 10w+12s (expected: a time field)
            Try: firn layout --help
            """);
  }
}
