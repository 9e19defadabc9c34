package io.firn.benchmarks;

import io.firn.benchmarks.LineChart.Curve;
import io.firn.benchmarks.LineChart.Point;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;

/**
 * The results of {@code firn bench scale}, and the circumstances of the run.
 *
 * @param limits why curves end earlier than others
 */
record Figures(
    String command, Instant begin, Machine machine, List<LineChart> charts, List<String> limits) {

  private static final int FORMAT = 1;

  String json() {
    return Json.object()
        .with("format", FORMAT)
        .with("command", command)
        .with("begin", begin.toString())
        .with("machine", machine.json())
        .with("limits", limits)
        .with("figures", charts.stream().map(Figures::json).toList())
        .toString();
  }

  private static Json json(LineChart chart) {
    return Json.object()
        .with("title", chart.title())
        .with("x", chart.xLabel())
        .with("y", chart.yLabel())
        .with("curves", chart.curves().stream().map(Figures::json).toList());
  }

  private static Json json(Curve curve) {
    return Json.object()
        .with("name", curve.name())
        .with(
            "points",
            curve.points().stream()
                .map(point -> Json.object().with("x", point.x()).with("y", point.y()))
                .toList());
  }

  /**
   * Reads what {@link #json} wrote.
   *
   * @throws IllegalArgumentException if that is something else
   */
  static Figures parse(String text) {
    Json run = Json.parse(text);
    if (run.number("format") != FORMAT) {
      throw new IllegalArgumentException(
          "format: " + run.number("format") + " (expected: " + FORMAT + ")");
    }
    return new Figures(
        run.text("command"),
        Instant.parse(run.text("begin")),
        Machine.parse(run.object("machine")),
        run.objects("figures").stream().map(Figures::chart).toList(),
        run.texts("limits"));
  }

  private static LineChart chart(Json chart) {
    List<Curve> curves = new ArrayList<>();
    for (Json curve : chart.objects("curves")) {
      List<Point> points =
          curve.objects("points").stream()
              .map(point -> new Point(point.number("x"), point.number("y")))
              .toList();
      curves.add(new Curve(curve.text("name"), points));
    }
    return new LineChart(chart.text("title"), chart.text("x"), chart.text("y"), curves);
  }

  /** Returns the name of the file of a chart. */
  static String fileName(LineChart chart) {
    return "scale-" + chart.title().toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-") + ".svg";
  }

  /** Returns the figures as tables, each below its chart. */
  String markdown(String directoryOfCharts) {
    StringBuilder text = new StringBuilder();
    text.append("- Machine: ").append(machine.hardware()).append('\n');
    text.append("- JDK: ").append(machine.jdk()).append('\n');
    text.append("- Command: `").append(command).append("`, begun ").append(begin).append('\n');
    text.append("- Load average before: ").append(machine.loadText()).append('\n');
    limits.forEach(limit -> text.append("- ").append(limit).append('\n'));
    for (LineChart chart : charts) {
      text.append("\n### ").append(chart.title()).append("\n\n");
      text.append("![" + chart.title() + "](" + directoryOfCharts + fileName(chart) + ")\n\n");
      table(chart, text);
    }
    return text.toString();
  }

  private static void table(LineChart chart, StringBuilder text) {
    text.append("| ").append(chart.xLabel());
    chart.curves().forEach(curve -> text.append(" | ").append(curve.name()));
    text.append(" |\n|").append(" --: |".repeat(chart.curves().size() + 1)).append('\n');
    TreeSet<Double> places = new TreeSet<>();
    List<Map<Double, Double>> columns = new ArrayList<>();
    for (Curve curve : chart.curves()) {
      Map<Double, Double> column = new LinkedHashMap<>();
      curve.points().forEach(point -> column.put(point.x(), point.y()));
      places.addAll(column.keySet());
      columns.add(column);
    }
    for (double place : places) {
      text.append(String.format(Locale.ROOT, "| %,.0f", place));
      for (Map<Double, Double> column : columns) {
        Double value = column.get(place);
        text.append(" | ").append(value == null ? "" : LineChart.plain(value));
      }
      text.append(" |\n");
    }
  }
}
