package io.firn.benchmarks;

import io.firn.benchmarks.Svg.Anchor;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.DoubleStream;

/**
 * Panels of bars, one below the other, each on a scale of its own that begins at 0.
 *
 * @param notes lines below the panels
 */
record BarChart(String title, List<Panel> panels, List<String> notes) {

  private static final int TOP = 62;
  private static final int LEFT = 264;
  private static final int BAR_WIDTH = 368;
  private static final int BAR_HEIGHT = 18;
  private static final int STEP = 28;

  /** The height above the bars of a panel. */
  private static final int HEAD = 32;

  private static final int FOOT = 14;

  /**
   * A group of bars.
   *
   * @param mark the limit that none of them should be past
   */
  record Panel(String title, List<Bar> bars, Optional<Mark> mark) {

    double most() {
      double most =
          DoubleStream.concat(
                  bars.stream().mapToDouble(Bar::high), mark.stream().mapToDouble(Mark::value))
              .max()
              .orElse(0);
      return most > 0 ? most : 1;
    }

    int height() {
      return HEAD + bars.size() * STEP + (mark.isPresent() ? LINE_OF_MARK : 0) + FOOT;
    }
  }

  private static final int LINE_OF_MARK = Svg.LINE;

  /**
   * A bar.
   *
   * @param value its length, at least 0
   * @param low the least value of any round
   * @param high the largest
   * @param ours whether it is Firn's
   * @param text what stands behind it
   */
  record Bar(String label, double value, double low, double high, boolean ours, String text) {
    Bar {
      if (!(value >= 0 && low >= 0 && low <= value && value <= high && Double.isFinite(high))) {
        throw new IllegalArgumentException(
            "bar: "
                + label
                + " "
                + low
                + ".."
                + value
                + ".."
                + high
                + " (expected: finite, not negative, in this order)");
      }
    }
  }

  /** A line across the bars. */
  record Mark(double value, String label) {}

  String svg() {
    int height = TOP + panels.stream().mapToInt(Panel::height).sum();
    Svg svg = new Svg(height + notes.size() * Svg.LINE + Svg.MARGIN, title, description());
    int top = TOP;
    for (Panel panel : panels) {
      draw(svg, panel, top);
      top += panel.height();
    }
    for (int i = 0; i < notes.size(); i++) {
      svg.text(Svg.MARGIN, top + 8 + i * Svg.LINE, "note", Anchor.START, notes.get(i));
    }
    return svg.toString();
  }

  /** Returns the figures in words. */
  private String description() {
    StringBuilder text = new StringBuilder();
    for (Panel panel : panels) {
      text.append(panel.title()).append(": ");
      panel.mark().ifPresent(mark -> text.append(mark.label()).append("; "));
      panel.bars().forEach(bar -> text.append(bar.label() + " " + bar.text() + "; "));
    }
    return text.toString().strip();
  }

  private static void draw(Svg svg, Panel panel, int top) {
    svg.text(Svg.MARGIN, top + 12, "panel", Anchor.START, panel.title());
    double scale = BAR_WIDTH / panel.most();
    int y = top + HEAD;
    for (Bar bar : panel.bars()) {
      svg.text(LEFT - 12, y + 14, "", Anchor.END, bar.label());
      svg.rect(LEFT, y, BAR_WIDTH, BAR_HEIGHT, "track");
      svg.rect(LEFT, y, bar.value() * scale, BAR_HEIGHT, bar.ours() ? "ours" : "peer");
      if (bar.high() > bar.low()) {
        double middle = y + BAR_HEIGHT / 2.0;
        svg.line(LEFT + bar.low() * scale, middle, LEFT + bar.high() * scale, middle, "spread");
      }
      svg.text(LEFT + BAR_WIDTH + 12, y + 14, "", Anchor.START, bar.text());
      y += STEP;
    }
    if (panel.mark().isPresent()) {
      Mark mark = panel.mark().get();
      double x = LEFT + mark.value() * scale;
      svg.line(x, top + HEAD - 6, x, y, "mark");
      svg.text(x, y + 10, "note", Anchor.END, mark.label());
    }
  }

  /** Returns a number with as many digits as one can compare. */
  static String digits(double value) {
    String format = value >= 1000 ? "%,.0f" : value >= 10 ? "%.1f" : "%.2f";
    return String.format(Locale.ROOT, format, value);
  }
}
