package io.firn.benchmarks;

import io.firn.benchmarks.Contender.Race;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/**
 * The tables, as Markdown. Each figure is the median over rounds; behind a ratio stand the least
 * and the largest of any round.
 */
final class Report {

  /** Two threads that only read the clock keep two cores busy, unless others take them away. */
  private static final Row QUIET = new Row(Contender.CLOCK, 2);

  private static final double QUIET_CORES = 1.95;

  private final Run run;
  private final Map<Row, List<Sample>> samples;

  Report(Run run) {
    this.run = run;
    samples = run.samples();
  }

  String markdown() {
    StringBuilder text = new StringBuilder();
    text.append("- Machine: ").append(run.machine().hardware()).append('\n');
    text.append("- JDK: ").append(run.machine().jdk()).append('\n');
    text.append("- Command: `").append(run.command()).append("`, begun ").append(run.begin());
    text.append("\n- Rounds: ").append(run.rounds());
    text.append("; load average before: ").append(run.machine().loadText()).append("\n");
    if (samples.containsKey(QUIET) && median(QUIET, Sample::cores) < QUIET_CORES) {
      text.append("- **The machine was not quiet, or has one core: the figures mean little.**\n");
    }
    table(
        text,
        Race.SATURATED,
        "At the layout's ceiling: 12 sequence bits",
        "threads | generator | M IDs/s | min–max | ceiling | of ceiling | cores busy"
            + " | of Twitter port's | worst call, ms",
        this::saturated);
    table(
        text,
        Race.UNCAPPED,
        "Uncapped: up to 22 sequence bits",
        "threads | generator | M IDs/s | min–max | ceiling | / clock | / Firn | / Agrona | /"
            + " tsid-creator | cores busy | bytes/ID",
        this::uncapped);
    table(
        text,
        Race.SEGMENTS,
        "Segments: a counter that is 1 ms away",
        "threads | generator | M IDs/s | min–max | / CosId chain | cores busy | worst call, ms"
            + " | bytes/ID",
        this::segments);
    table(
        text,
        Race.WIDE,
        "Wide IDs, and texts",
        "threads | | M/s | min–max | / Firn's first | cores busy | M/s a core | / Firn's first"
            + " | bytes each",
        this::wide);
    return text.toString();
  }

  /** Appends the table of a race, if it was run. Its first two columns are threads and names. */
  private void table(
      StringBuilder text, Race race, String title, String header, Function<Row, String> cells) {
    List<Row> rows = rows(race);
    if (rows.isEmpty()) {
      return;
    }
    text.append("\n### ").append(title).append("\n\n");
    line(text, header);
    int figures = header.split("\\|", -1).length - 2;
    line(text, "--: | ---" + " | --:".repeat(figures));
    rows.forEach(row -> line(text, cells.apply(row)));
  }

  private List<Row> rows(Race race) {
    return samples.keySet().stream().filter(row -> row.contender().race() == race).toList();
  }

  private static void line(StringBuilder text, String cells) {
    text.append("| ").append(cells).append(" |\n");
  }

  private String saturated(Row row) {
    double ceiling = row.contender().ceiling();
    return String.format(
        Locale.ROOT,
        "%s | %.3f | %.2f %% | %.2f | %s | %.2f",
        rate(row, 3),
        ceiling,
        100 * median(row, Sample::rate) / ceiling,
        median(row, Sample::cores),
        ratio(row, Contender.TWITTER_12, Sample::cores),
        median(row, Sample::worstMillis));
  }

  private String uncapped(Row row) {
    double ceiling = row.contender().ceiling();
    return String.format(
        Locale.ROOT,
        "%s | %s | %s | %s | %s | %s | %.2f | %.2f",
        rate(row, 1),
        Double.isInfinite(ceiling) ? "–" : String.format(Locale.ROOT, "%,.1f", ceiling),
        ratio(row, Contender.CLOCK, Sample::rate),
        ratio(row, Contender.FIRN_22, Sample::rate),
        ratio(row, Contender.AGRONA_22, Sample::rate),
        ratio(row, Contender.TSID_22, Sample::rate),
        median(row, Sample::cores),
        median(row, Sample::bytes));
  }

  private String segments(Row row) {
    return String.format(
        Locale.ROOT,
        "%s | %s | %.2f | %.2f | %.2f",
        rate(row, 1),
        ratio(row, row.contender().chain(), Sample::rate),
        median(row, Sample::cores),
        median(row, Sample::worstMillis),
        median(row, Sample::bytes));
  }

  private String wide(Row row) {
    return String.format(
        Locale.ROOT,
        "%s | %s | %.2f | %.1f | %s | %.0f",
        rate(row, 1),
        ratio(row, row.contender().firn(), Sample::rate),
        median(row, Sample::cores),
        median(row, Sample::ratePerCore),
        ratio(row, row.contender().firn(), Sample::ratePerCore),
        median(row, Sample::bytes));
  }

  private String rate(Row row, int decimals) {
    double[] rates = sorted(values(row, Sample::rate));
    String number = "%,." + decimals + "f";
    return String.format(
        Locale.ROOT,
        "%d | %s | " + number + " | " + number + "–" + number,
        row.threads(),
        row.contender().title(),
        median(row, Sample::rate),
        rates[0],
        rates[rates.length - 1]);
  }

  double median(Row row, ToDoubleFunction<Sample> figure) {
    return median(values(row, figure));
  }

  double least(Row row, ToDoubleFunction<Sample> figure) {
    return values(row, figure).min().orElseThrow();
  }

  double most(Row row, ToDoubleFunction<Sample> figure) {
    return values(row, figure).max().orElseThrow();
  }

  /**
   * Compares with the other contender at as many threads, in each round in which both were
   * measured.
   */
  private String ratio(Row row, Contender other, ToDoubleFunction<Sample> figure) {
    Row otherRow = new Row(other, row.threads());
    if (!samples.containsKey(otherRow)) {
      return "–";
    }
    double[] own = values(row, figure).toArray();
    double[] others = values(otherRow, figure).toArray();
    double[] ratios =
        IntStream.range(0, Math.min(own.length, others.length))
            .mapToDouble(i -> own[i] / others[i])
            .sorted()
            .toArray();
    String middle = String.format(Locale.ROOT, "%.2f", median(DoubleStream.of(ratios)));
    return ratios.length == 1
        ? middle
        : String.format(
            Locale.ROOT, "%s (%.2f–%.2f)", middle, ratios[0], ratios[ratios.length - 1]);
  }

  private DoubleStream values(Row row, ToDoubleFunction<Sample> figure) {
    List<Sample> rounds = samples.get(row);
    if (rounds == null) {
      throw new IllegalArgumentException("row: " + row + " (expected: one that was measured)");
    }
    return rounds.stream().mapToDouble(figure);
  }

  private static double median(DoubleStream values) {
    double[] sorted = sorted(values);
    int middle = sorted.length / 2;
    return sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
  }

  private static double[] sorted(DoubleStream values) {
    double[] sorted = values.toArray();
    Arrays.sort(sorted);
    return sorted;
  }
}
