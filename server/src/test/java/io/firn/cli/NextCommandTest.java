package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.text.IdFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NextCommandTest {

  private final Session session = new Session();

  @BeforeEach
  void keepLeasesInADirectoryOfTheirOwn(@TempDir Path state) {
    session.state(state);
  }

  private List<Long> ids() {
    return session.out().lines().map(Long::valueOf).toList();
  }

  private String refusal(String... args) {
    assertThat(session.run(args)).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    assertThat(session.err()).endsWith("\nTry: firn next --help\n");
    return session.err().substring(0, session.err().indexOf('\n'));
  }

  @Test
  void issuesOneIdByDefault() {
    assertThat(session.run("next", "--worker", "7")).isZero();
    assertThat(ids()).hasSize(1);
    IdParts parts = IdLayout.CLASSIC.parse(ids().get(0));
    assertThat(parts.worker()).isEqualTo(7);
    assertThat(parts.instant()).isEqualTo(Session.NOW.plusMillis(1));
    assertThat(session.err()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 4095, 4096, 4097, 100_000})
  void issuesThatManyIncreasingIds(int count) {
    assertThat(session.run("next", "-n", "" + count, "--worker", "7")).isZero();
    assertThat(ids()).hasSize(count).isSorted().doesNotHaveDuplicates();
  }

  @Test
  void issuesIdsOfANamedLayout() {
    assertThat(
            session.run(
                "next", "--layout", "twitter", "--datacenter", "11", "--worker", "26", "-n", "3"))
        .isZero();
    assertThat(ids())
        .allSatisfy(
            id -> {
              assertThat(IdLayout.TWITTER.parse(id).datacenter()).isEqualTo(11);
              assertThat(IdLayout.TWITTER.parse(id).worker()).isEqualTo(26);
            });
  }

  @Test
  void issuesIdsOfALayoutInTextForm() {
    String layout = "40t+4w+4s@2026-01-01T00:00:00Z/10ms";
    assertThat(session.run("next", "--layout", layout, "--worker", "15", "-n", "100")).isZero();
    assertThat(ids()).hasSize(100).allMatch(id -> IdLayout.of(layout).parse(id).worker() == 15);
  }

  @Test
  void issuesIdsOfALayoutWithoutWorkers() {
    assertThat(session.run("next", "--layout", "mastodon", "-n", "2")).isZero();
    assertThat(ids()).hasSize(2);
  }

  @ParameterizedTest
  @EnumSource(IdFormat.class)
  void writesIdsInEachFormat(IdFormat format) {
    String name = format.name().toLowerCase(java.util.Locale.ROOT);
    assertThat(session.run("next", "-n", "5000", "--worker", "7", "--format", name)).isZero();
    assertThat(session.out().lines().map(format::parse).toList())
        .hasSize(5000)
        .isSorted()
        .doesNotHaveDuplicates();
  }

  @Test
  void flushesEachTickSoThatAReaderNeedNotWaitForTheLast() {
    Flushes flushes = new Flushes();
    String layout = "31t+20w+2s@2026-01-01T00:00:00Z/1s";
    session.out(flushes).run("next", "--layout", layout, "--worker", "1", "-n", "9");
    assertThat(flushes.linesAtEach).containsExactly(4, 8, 9);
  }

  private static final class Flushes extends java.io.OutputStream {
    final List<Integer> linesAtEach = new java.util.ArrayList<>();
    private int lines;

    @Override
    public void write(int b) {
      lines += b == '\n' ? 1 : 0;
    }

    @Override
    public void flush() {
      linesAtEach.add(lines);
    }
  }

  @Test
  void leasesAWorkerUnlessOneIsGiven() {
    assertThat(session.run("next", "-n", "3")).isZero();
    assertThat(ids()).hasSize(3).isSorted().doesNotHaveDuplicates();
    assertThat(ids().stream().map(id -> IdLayout.CLASSIC.parse(id).worker()).distinct()).hasSize(1);
    assertThat(session.err()).isEmpty();
  }

  @Test
  void refusesToGuessADatacenter() {
    assertThat(refusal("next", "--layout", "twitter", "--worker", "1"))
        .isEqualTo("firn: datacenter: not set (expected: 0..31, it is never guessed)");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "-1 | worker: -1 (expected: 0 or more)",
        "1024 | worker: 1024 (expected: 0..1023, the layout has 10 worker bits)",
        "x | worker: x (expected: a whole number, ordinal or lease)",
        "+3 | worker: +3 (expected: a whole number, ordinal or lease)",
        "\u0663 | worker: \u0663 (expected: a whole number, ordinal or lease)",
        "9223372036854775808 | worker: 9223372036854775808 (expected: a whole number,"
            + " ordinal or lease)",
      })
  void refusesAWorkerThatTheLayoutDoesNotHave(String worker, String message) {
    assertThat(refusal("next", "--worker", worker)).isEqualTo("firn: " + message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "1023"})
  void acceptsTheFirstAndTheLastWorker(String worker) {
    assertThat(session.run("next", "--worker", worker)).isZero();
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "3"})
  void refusesADatacenterThatTheLayoutDoesNotHave(String datacenter) {
    String message =
        "firn: datacenter: "
            + datacenter
            + " (expected: none, the layout is 41t+10w+12s@2026-01-01T00:00:00Z/1ms)";
    assertThat(refusal("next", "--datacenter", datacenter, "--worker", "1")).isEqualTo(message);
    assertThat(refusal("next", "--datacenter", datacenter, "--store", "memory:"))
        .isEqualTo(message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"0", "-1", "9223372036854775808", "1e6", "", "\u0663", "+1"})
  void refusesACountOutOfRange(String count) {
    assertThat(refusal("next", "-n", count, "--worker", "1"))
        .isEqualTo("firn: count: " + count + " (expected: 1..9223372036854775807)");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--step", "--block"})
  void refusesOtherDigitsThanThoseOfAscii(String option) {
    assertThat(refusal("next", "--segment", "k", "--store", "memory:", option, "\u0663"))
        .isEqualTo("firn: " + option.substring(2) + ": \u0663 (expected: a whole number)");
  }

  @Test
  void namesTheNextLayoutThatItCannotRead() {
    assertThat(refusal("next", "--next-layout", "foo"))
        .startsWith("firn: next-layout: foo (expected: a name such as twitter, or a form such as");
  }

  @Test
  void refusesToIssueOutsideTheWatermarkWhatIsNoBlock() {
    assertThat(refusal("next", "--worker", "1", "--outside-watermark"))
        .isEqualTo("firn: option: --outside-watermark (expected: only with --block)");
    Session help = new Session();
    assertThat(help.run("next", "--help")).isZero();
    assertThat(help.out()).contains("--outside-watermark");
  }

  @Test
  void refusesAnUnknownFormat() {
    assertThat(refusal("next", "--format", "base64", "--worker", "1"))
        .isEqualTo(
            "firn: format: base64 (expected: decimal, hex, binary, base62, base58, base36, base32,"
                + " base64url)");
  }

  @Test
  void refusesAnUnknownLayout() {
    assertThat(refusal("next", "--layout", "twiter", "--worker", "1"))
        .isEqualTo("firn: layout: twiter (expected: twitter)");
  }

  @Test
  void refusesALayoutThatResemblesNone() {
    assertThat(refusal("next", "--layout", "nobody's", "--worker", "1"))
        .isEqualTo(
            "firn: layout: nobody's (expected: a name such as twitter, or a form such as"
                + " 41t+10w+12s@2026-01-01T00:00:00Z/1ms)");
  }

  @Test
  void refusesALayoutThatHasEnded() {
    assertThat(refusal("next", "--layout", "baidu", "--worker", "1"))
        .isEqualTo(
            "firn: layout: 28t+22w+13s@2016-05-19T16:00:00Z/1s (expected: a layout that has not"
                + " ended;"
                + " it ended on 2024-11-20T13:24:16Z)");
  }

  @Test
  void refusesALayoutThatEndsSoonUnlessAskedFor() {
    String layout = "37t+10w+16s@2026-01-01T00:00:00Z/1ms";
    assertThat(refusal("next", "--layout", layout, "--worker", "1"))
        .isEqualTo(
            "firn: layout: 37t+10w+16s@2026-01-01T00:00:00Z/1ms (expected: ten years left or"
                + " allow-under-ten-years, it ends on 2030-05-10T17:29:13.472Z)");
    assertThat(session.run("next", "--layout", layout, "--worker", "1", "--allow-under-ten-years"))
        .isZero();
  }

  @Test
  void failsInOneLineWhenTheClockStepsBackTooFar() {
    session.out(new StepsBackAtTheFirstFlush());
    assertThat(session.run("next", "-n", "5000", "--worker", "1")).isEqualTo(1);
    assertThat(session.err())
        .isEqualTo(
            "firn: The clock moved backwards by 60000 ms (max-lead is 0 ms, max-wait is 1000 ms);"
                + " synchronize it, or raise max-lead\n");
  }

  private final class StepsBackAtTheFirstFlush extends java.io.ByteArrayOutputStream {
    @Override
    public void flush() {
      session.time.step(Duration.ofMinutes(-1));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"uuid7", "ulid", "objectid"})
  void issuesIdsOfOtherTypes(String type) {
    assertThat(session.run("next", "--type", type, "-n", "3000")).isZero();
    assertThat(session.out().lines().toList()).hasSize(3000).isSorted().doesNotHaveDuplicates();
    String json = new Session().in(session.out()).decoded("--json");
    assertThat(json.lines()).hasSize(3000).allMatch(line -> line.contains("\"type\":\"" + type));
  }

  @Test
  void issuesRandomUuids() {
    assertThat(session.run("next", "--type", "uuid", "-n", "2")).isZero();
    String json = new Session().in(session.out()).decoded("--json");
    assertThat(json.lines()).hasSize(2).allMatch(line -> line.contains("\"type\":\"uuid4\""));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--type guid | type: guid (expected: one of snowflake, segment, uuid, uuid7, ulid,"
            + " objectid)",
        "--type ulid --layout twitter | option: --layout (expected: not with type ulid)",
        "--type ulid --format hex | option: --format (expected: not with type ulid)",
        "--type uuid --segment a | option: --segment (expected: not with type uuid)",
        "--type segment | segment: not set (expected: a key of the store)",
        "--type segment --segment a --worker 1 |"
            + " option: --worker (expected: not with type segment)",
        "--type snowflake --segment a | option: --segment (expected: not with type snowflake)",
        "--step 5 | option: --step (expected: not with type snowflake)",
      })
  void refusesWhatTheTypeDoesNotHave(String options, String message) {
    String[] args = ("next " + options).split(" ", -1);
    assertThat(refusal(args)).isEqualTo("firn: " + message);
  }

  @Test
  void issuesSnowflakesAndNumbersByTheNamesOfTheirTypes(@TempDir Path directory) {
    assertThat(session.run("next", "--type", "snowflake", "--worker", "5")).isZero();
    assertThat(IdLayout.CLASSIC.parse(ids().get(0)).worker()).isEqualTo(5);
    String store = "file:" + directory;
    Session other = new Session();
    other.run(
        "next",
        "-n",
        "3",
        "--type",
        "segment",
        "--store",
        store,
        "--segment",
        "orders",
        "--step",
        "5");
    assertThat(other.out()).isEqualTo("1\n2\n3\n");
    Session counters = new Session();
    counters.run("segments", "--store", store);
    assertThat(counters.out()).containsPattern(" 4 +5 +orders\n");
  }

  @Test
  void hasAFlagForeverySettingOfAGenerator(@TempDir Path directory) {
    assertThat(
            session.run(
                "next",
                "--store=file:" + directory,
                "--layout=37t+5d+5w+16s@2026-01-01T00:00:00Z/1ms",
                "--datacenter=3",
                "--worker=4",
                "--window=20s",
                "--max-lead=1s",
                "--max-wait=0ms",
                "--sequence-start=zero",
                "--instance=till-3",
                "--acquire-timeout=1s",
                "--max-clock-skew=4s",
                "--max-split=5s",
                "--allow-under-ten-years"))
        .isZero();
    IdLayout layout = IdLayout.of("37t+5d+5w+16s@2026-01-01T00:00:00Z/1ms");
    IdParts parts = layout.parse(ids().get(0));
    assertThat(parts.datacenter()).isEqualTo(3);
    assertThat(parts.worker()).isEqualTo(4);
    assertThat(parts.sequence()).isZero();
    Session policy = new Session();
    assertThat(policy.run("next", "--worker", "1", "--clock-policy", "twitter")).isZero();
    long id = Long.parseLong(policy.out().strip());
    assertThat(IdLayout.CLASSIC.parse(id).sequence()).isZero();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "--worker 1 --instance till-3 | instance: till-3 (expected: only with a lease)",
        "--worker 1 --max-split 4s | max-split: 4s (expected: only with a lease)",
        "--store memory: --max-clock-skew 25h | max-clock-skew: 25h (expected: 0ms..24h)",
        "--worker 1 --window 20s | window: 20s (expected: only with a lease)",
        "--worker 1 --max-wait 5 | max-wait: 5 (expected: a time, as 500ms or 5s or 2m or 1h)",
        "--worker 1 --max-wait 25h | max-wait: 25h (expected: 0ms..1s)",
        "--worker 1 --max-wait 1001ms | max-wait: 1001ms (expected: 0ms..1s)",
        "--worker 5 --max-lead 25h | max-lead: 25h (expected: 0ms..24h)",
        "--worker 5 --clock-policy baidu(25h) | clock-policy: baidu(25h) (expected: a wait of at"
            + " most 1s and a lead of at most 24h)",
        "--worker 1 --clock-policy shardingsphere(1001ms,1) | clock-policy:"
            + " shardingsphere(1001ms,1) (expected: a wait of at most 1s and a lead of at most 24h)",
        "--worker 1 --clock-policy leaf --max-lead 1ms | max-lead: 1ms (expected: not set beside"
            + " clock-policy)",
        "--max-lead 16s | max-lead: 16s (expected: at most half the lease's window of 30s)",
        "--store memory: --layout twitter --worker 1 |"
            + " datacenter: not set (expected: both datacenter and worker)",
      })
  void refusesSettingsThatContradictEachOther(String options, String message) {
    String[] args = ("next " + options).split(" ", -1);
    assertThat(refusal(args)).isEqualTo("firn: " + message);
  }
}
