package io.firn.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.firn.benchmarks.Contender.Race;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RunTest {

  private static Sample sample(double rate) {
    return new Sample(rate, 0.5, Double.NaN, 0);
  }

  static Run run() {
    Map<Row, List<Sample>> samples = new LinkedHashMap<>();
    samples.put(new Row(Contender.FIRN_12, 1), List.of(new Sample(4.05, 0.25, 1.5, 0)));
    samples.put(new Row(Contender.CLOCK, 1), List.of(sample(40), sample(50.0625), sample(1.25e-7)));
    samples.put(new Row(Contender.FIRN_22, 1), List.of(sample(30), sample(20), sample(5e-8)));
    samples.put(new Row(Contender.AGRONA_22, 1), List.of(sample(15), sample(20)));
    return new Run(
        "./firn bench --quick",
        Instant.parse("2026-11-23T22:00:00Z"),
        new Machine("a processor, 2 cores", "a \"JDK\"", 0.25),
        3,
        samples);
  }

  @Test
  void runComesBackFromItsJson() {
    assertThat(Run.parse(run().json())).isEqualTo(run());
    assertThat(Run.parse(run().json()).json()).isEqualTo(run().json());
  }

  @Test
  void jsonHasWhatOthersPlot() {
    assertThat(run().json())
        .startsWith(
            """
            {
              "format": 1,
              "command": "./firn bench --quick",
              "begin": "2026-11-23T22:00:00Z",
              "machine": {"hardware": "a processor, 2 cores", "jdk": "a \\"JDK\\"", "load": 0.25},
              "rounds": 3,
              "rows": [
                {
                  "race": "saturated",
                  "contender": "FIRN_12",
                  "title": "Firn `nextId()`",
                  "threads": 1,
                  "ceiling": 4.096,
                  "samples": [
                    {"rate": 4.05, "cores": 0.25, "worstMillis": 1.5, "bytes": 0}
                  ]
                },
            """);
    assertThat(run().json()).contains("\"rate\": 0.000000125, \"cores\": 0.5, \"bytes\": 0}");
  }

  @Test
  void invalidRunsAreRefused() {
    refuses("", "JSON: something else (expected: one object)");
    refuses("{\"format\": 1", "JSON: not readable, ");
    refuses("{} {}", "JSON: something else (expected: one object)");
    refuses("{}", "format: absent (expected: a number)");
    refuses("{\"format\": 2}", "format: 2.0 (expected: 1)");
    refuses("{\"format\": null}", "JSON: null (expected: a text, a number, an object or a list)");
    refuses("{\"format\": 1, \"rows\": 7}", "rows: 7.0 (expected: a list of objects)");
    refuses("{\"format\": 1, \"rows\": [7]}", "rows: 7.0 (expected: objects)");
    refuses(
        run().json().replace("AGRONA_22", "GONE"),
        "contender: GONE (expected: one that is still measured; run it again)");
  }

  private static void refuses(String json, String message) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Run.parse(json))
        .withMessageStartingWith(message);
  }

  @Test
  void ratiosShowTheirSpreadAndAreTakenInsideARound() {
    String table = new Report(run()).markdown();
    assertThat(table)
        .contains("- Machine: a processor, 2 cores\n- JDK: a \"JDK\"\n")
        .contains("- Command: `./firn bench --quick`, begun 2026-11-23T22:00:00Z\n")
        .contains("- Rounds: 3; load average before: 0.25\n")
        .contains("| 1 | Firn `nextId()` | 4.050 | 4.050–4.050 | 4.096 |")
        .as("of the clock: 30/40, 20/50 and 0.4; of Agrona in two rounds: 2 and 1")
        .contains("| 0.40 (0.40–0.75) | 1.00 (1.00–1.00) | 1.50 (1.00–2.00) | – |");
  }

  @Test
  void chartOfTheReadmeIsDrawnFromTheCommittedRun() throws Exception {
    Path module = Path.of("").toAbsolutePath();
    Run run = Run.parse(Files.readString(module.resolve("runs/speed.json")));
    assertThat(SpeedChart.svg(run))
        .as(
            "./firn bench --from verification/benchmarks/runs/speed.json --svg"
                + " docs/images/speed.svg")
        .isEqualTo(Files.readString(module.resolve("../../docs/images/speed.svg")));
  }

  @Test
  void chartHasTheLimitOfTheClockAndNoRowThatReadsItOnceForMany() {
    assertThat(SpeedChart.svg(run()))
        .contains("ceiling of what reads the clock for each ID: 40.0<")
        .contains(">Agrona<", "medians of 3 rounds, thin lines from least to most<")
        .doesNotContain("currentTimeMillis");
    Run none = new Run("", Instant.EPOCH, new Machine("", "", -1), 1, Map.of());
    assertThatIllegalArgumentException()
        .isThrownBy(() -> SpeedChart.svg(none))
        .withMessage("svg: nothing to draw (expected: saturated or uncapped)");
  }

  @Test
  void argumentsSayWhatToMeasure() {
    Arguments all = Arguments.parse();
    assertThat(all.quick()).isFalse();
    assertThat(all.races()).isEmpty();
    Arguments some = Arguments.parse("wide", "--quick", "--json", "a", "--svg", "b", "segments");
    assertThat(some.quick()).isTrue();
    assertThat(some.races()).isEqualTo(Set.of(Race.WIDE, Race.SEGMENTS));
    assertThat(some.json()).contains(Path.of("a"));
    assertThat(some.svg()).contains(Path.of("b"));
    assertThat(Arguments.parse("--from", "c", "--svg", "d").from()).contains(Path.of("c"));
  }

  @Test
  void argumentsThatMeanNothingAreRefused() {
    refusesArguments(
        "argument: quick (expected: --quick, --json, --svg, --from or one of [saturated,"
            + " uncapped, segments, wide])",
        "quick");
    refusesArguments("json: nothing (expected: a value behind it)", "--json");
    refusesArguments("svg: nothing (expected: a value behind it)", "--svg", "--quick");
    for (String with : new String[] {"--quick", "wide"}) {
      refusesArguments(
          "from: a (expected: alone or with --svg, it measures nothing)", "--from", "a", with);
    }
  }

  private static void refusesArguments(String message, String... arguments) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> Arguments.parse(arguments))
        .withMessage(message);
  }
}
