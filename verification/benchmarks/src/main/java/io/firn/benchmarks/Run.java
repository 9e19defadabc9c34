package io.firn.benchmarks;

import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run of the benchmarks: its samples, and under what circumstances they were taken.
 *
 * @param samples one for each round in which the row was measured
 */
record Run(
    String command, Instant begin, Machine machine, int rounds, Map<Row, List<Sample>> samples) {

  private static final int FORMAT = 1;

  String json() {
    List<Json> rows = new ArrayList<>();
    samples.forEach((row, each) -> rows.add(json(row, each)));
    return Json.object()
        .with("format", FORMAT)
        .with("command", command)
        .with("begin", begin.toString())
        .with("machine", machine.json())
        .with("rounds", rounds)
        .with("rows", rows)
        .toString();
  }

  private static Json json(Row row, List<Sample> samples) {
    return Json.object()
        .with("race", row.contender().race().label())
        .with("contender", row.contender().name())
        .with("title", row.contender().title())
        .with("threads", row.threads())
        .withNumber("ceiling", row.contender().ceiling())
        .with(
            "samples",
            samples.stream()
                .map(
                    sample ->
                        Json.object()
                            .withNumber("rate", sample.rate())
                            .withNumber("cores", sample.cores())
                            .withNumber("worstMillis", sample.worstMillis())
                            .withNumber("bytes", sample.bytes()))
                .toList());
  }

  /**
   * Reads a run that {@link #json} wrote.
   *
   * @throws IllegalArgumentException if that is not one
   */
  static Run parse(String text) {
    Json run = Json.parse(text);
    if (run.number("format") != FORMAT) {
      throw new IllegalArgumentException(
          "format: " + run.number("format") + " (expected: " + FORMAT + ")");
    }
    Map<Row, List<Sample>> samples = new LinkedHashMap<>();
    for (Json row : run.objects("rows")) {
      samples.put(
          new Row(contender(row.text("contender")), (int) row.number("threads")),
          row.objects("samples").stream().map(Run::sample).toList());
    }
    return new Run(
        run.text("command"),
        Instant.parse(run.text("begin")),
        Machine.parse(run.object("machine")),
        (int) run.number("rounds"),
        samples);
  }

  private static Sample sample(Json sample) {
    return new Sample(
        sample.number("rate"),
        sample.number("cores"),
        sample.optionalNumber("worstMillis").orElse(Double.NaN),
        sample.optionalNumber("bytes").orElse(Double.NaN));
  }

  private static Contender contender(String name) {
    for (Contender contender : Contender.values()) {
      if (contender.name().equals(name)) {
        return contender;
      }
    }
    throw new IllegalArgumentException(
        "contender: " + name + " (expected: one that is still measured; run it again)");
  }
}
