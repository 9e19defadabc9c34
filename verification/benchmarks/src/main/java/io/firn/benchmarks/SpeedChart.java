package io.firn.benchmarks;

import io.firn.benchmarks.BarChart.Bar;
import io.firn.benchmarks.BarChart.Mark;
import io.firn.benchmarks.BarChart.Panel;
import io.firn.benchmarks.Contender.Race;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Stream;

/** The chart of a run: Firn and its peers, and the limit that the clock or the layout sets. */
final class SpeedChart {

  private final Run run;
  private final Report report;

  private SpeedChart(Run run) {
    this.run = run;
    report = new Report(run);
  }

  /**
   * Draws the races in which generators of 64-bit IDs compete.
   *
   * @throws IllegalArgumentException if the run has none of them
   */
  static String svg(Run run) {
    return new SpeedChart(run).chart().svg();
  }

  private BarChart chart() {
    List<Panel> panels =
        Stream.of(
                uncapped(1, "One thread, million IDs a second"),
                uncapped(2, "Two threads on one generator, million IDs a second"),
                saturated(
                    "At the ceiling of 12 sequence bits, one thread: cores busy, IDs of the"
                        + " ceiling"))
            .flatMap(Optional::stream)
            .toList();
    if (panels.isEmpty()) {
      throw new IllegalArgumentException("svg: nothing to draw (expected: saturated or uncapped)");
    }
    List<String> notes = new ArrayList<>();
    notes.add(
        String.format(
            Locale.ROOT,
            "Every generator in a JVM of its own; medians of %d %s%s",
            run.rounds(),
            run.rounds() == 1 ? "round" : "rounds",
            run.rounds() == 1 ? "" : ", thin lines from least to most"));
    for (int threads : new int[] {1, 2}) {
      rows(Race.UNCAPPED, threads)
          .filter(this::isPastTheScale)
          .forEach(row -> notes.add(past(row)));
    }
    notes.add(run.machine().hardware());
    notes.add(run.machine().jdk() + ", load before: " + run.machine().loadText());
    return new BarChart("Speed of ID generators", panels, notes);
  }

  private Optional<Panel> uncapped(int threads, String title) {
    Row clock = new Row(Contender.CLOCK, threads);
    Optional<Mark> mark =
        run.samples().containsKey(clock)
            ? Optional.of(
                new Mark(
                    report.median(clock, Sample::rate),
                    "ceiling of what reads the clock for each ID: "
                        + BarChart.digits(report.median(clock, Sample::rate))))
            : Optional.empty();
    List<Bar> bars =
        rows(Race.UNCAPPED, threads)
            .filter(row -> row.contender().sequenceBits() > 0)
            .filter(row -> !isPastTheScale(row))
            .map(row -> bar(row, BarChart.digits(report.median(row, Sample::rate))))
            .sorted(Comparator.comparingDouble(Bar::value).reversed())
            .toList();
    return bars.isEmpty() ? Optional.empty() : Optional.of(new Panel(title, bars, mark));
  }

  /** Returns whether a bar is cut off: one clock reading for many IDs dwarfs the other bars. */
  private boolean isPastTheScale(Row row) {
    Row clock = new Row(Contender.CLOCK, row.threads());
    return row.contender().sequenceBits() > 0
        && run.samples().containsKey(clock)
        && report.median(row, Sample::rate) > 4 * report.median(clock, Sample::rate);
  }

  private String past(Row row) {
    return String.format(
        Locale.ROOT,
        "Not drawn, %d %s: %s, %s",
        row.threads(),
        row.threads() == 1 ? "thread" : "threads",
        row.contender().title().replace("`", ""),
        BarChart.digits(report.median(row, Sample::rate)));
  }

  private Bar bar(Row row, String text) {
    return bar(row, Sample::rate, text);
  }

  private Optional<Panel> saturated(String title) {
    List<Bar> bars =
        rows(Race.SATURATED, 1)
            .map(
                row ->
                    bar(
                        row,
                        Sample::cores,
                        String.format(
                            Locale.ROOT,
                            "%.2f, %.1f %%",
                            report.median(row, Sample::cores),
                            100 * report.median(row, Sample::rate) / row.contender().ceiling())))
            .sorted(Comparator.comparingDouble(Bar::value))
            .toList();
    return bars.isEmpty()
        ? Optional.empty()
        : Optional.of(new Panel(title, bars, Optional.empty()));
  }

  private Stream<Row> rows(Race race, int threads) {
    return run.samples().keySet().stream()
        .filter(row -> row.contender().race() == race && row.threads() == threads);
  }

  private Bar bar(Row row, Function<Sample, Double> figure, String text) {
    String label = row.contender().title().replace("`", "");
    return new Bar(
        label,
        report.median(row, figure::apply),
        report.least(row, figure::apply),
        report.most(row, figure::apply),
        label.startsWith("Firn"),
        text);
  }
}
