package io.firn.benchmarks;

import io.firn.benchmarks.Svg.Anchor;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * Curves over axes that are both logarithmic, so that what is flat is level and what is linear
 * climbs a decade in a decade. Each curve has its name at its end, and marks of its own shape.
 */
record LineChart(String title, String xLabel, String yLabel, List<Curve> curves) {

  private static final int HEIGHT = 460;
  private static final int LEFT = 70;
  private static final int RIGHT = 570;
  private static final int TOP = 76;
  private static final int BOTTOM = 400;

  /** The fewest pixels from one name to the next. */
  private static final int NAME_STEP = 17;

  private static final int MAX_TICKS = 8;

  /** The places of the values of an axis. */
  private record Axis(int from, int to, int fromPixel, int toPixel) {

    static Axis of(List<Curve> curves, ToDoubleFunction<Point> value, int fromPixel, int toPixel) {
      double[] values =
          curves.stream().flatMap(curve -> curve.points().stream()).mapToDouble(value).toArray();
      double least = Double.POSITIVE_INFINITY;
      double most = 0;
      for (double each : values) {
        least = Math.min(least, each);
        most = Math.max(most, each);
      }
      int from = (int) Math.floor(Math.log10(least) + 1e-9);
      int to = (int) Math.ceil(Math.log10(most) - 1e-9);
      return new Axis(from, Math.max(to, from + 1), fromPixel, toPixel);
    }

    double at(double value) {
      return atDecade(Math.log10(value));
    }

    double atDecade(double decade) {
      return fromPixel + (decade - from) / (to - from) * (toPixel - fromPixel);
    }

    int step() {
      return (to - from + MAX_TICKS - 1) / MAX_TICKS;
    }
  }

  /** A point; both are positive. */
  record Point(double x, double y) {
    Point {
      if (!(x > 0 && y > 0 && Double.isFinite(x) && Double.isFinite(y))) {
        throw new IllegalArgumentException(
            "point: "
                + x
                + ", "
                + y
                + " (expected: finite and positive, the axes are logarithmic)");
      }
    }
  }

  /** A curve; its points are in the order of their x. */
  record Curve(String name, List<Point> points) {
    Curve {
      if (points.isEmpty()) {
        throw new IllegalArgumentException("curve: " + name + " (expected: at least one point)");
      }
    }

    Point last() {
      return points.get(points.size() - 1);
    }
  }

  LineChart {
    if (curves.isEmpty()) {
      throw new IllegalArgumentException("curves: none (expected: at least one)");
    }
  }

  String svg() {
    Svg svg = new Svg(HEIGHT, title, description());
    Axis x = Axis.of(curves, Point::x, LEFT, RIGHT);
    Axis y = Axis.of(curves, Point::y, BOTTOM, TOP);
    svg.text(Svg.MARGIN, 56, "note", Anchor.START, yLabel);
    svg.text((LEFT + RIGHT) / 2.0, BOTTOM + 46, "note", Anchor.MIDDLE, xLabel);
    for (int decade = x.from(); decade <= x.to(); decade += x.step()) {
      double at = x.atDecade(decade);
      svg.line(at, TOP, at, BOTTOM, "grid");
      svg.text(at, BOTTOM + 20, "note", Anchor.MIDDLE, decade(decade));
    }
    for (int decade = y.from(); decade <= y.to(); decade += y.step()) {
      double at = y.atDecade(decade);
      svg.line(LEFT, at, RIGHT, at, "grid");
      svg.text(LEFT - 8, at + 5, "note", Anchor.END, decade(decade));
    }
    for (int i = 0; i < curves.size(); i++) {
      draw(svg, curves.get(i), i, x, y);
    }
    name(svg, x, y);
    return svg.toString();
  }

  private String description() {
    StringBuilder text = new StringBuilder(yLabel + " against " + xLabel + ". ");
    for (Curve curve : curves) {
      Point first = curve.points().get(0);
      text.append(curve.name() + ": " + plain(first.y()) + " at " + plain(first.x()));
      if (curve.points().size() > 1) {
        text.append(" to " + plain(curve.last().y()) + " at " + plain(curve.last().x()));
      }
      text.append(". ");
    }
    return text.toString().strip();
  }

  private static void draw(Svg svg, Curve curve, int index, Axis x, Axis y) {
    int color = index % Svg.COLORS;
    StringBuilder path = new StringBuilder();
    for (Point point : curve.points()) {
      path.append(path.isEmpty() ? "M" : " L")
          .append(Svg.number(x.at(point.x())))
          .append(' ')
          .append(Svg.number(y.at(point.y())));
    }
    svg.path(path.toString(), "curve stroke" + color);
    for (Point point : curve.points()) {
      svg.path(shape(index, x.at(point.x()), y.at(point.y())), "fill" + color);
    }
  }

  /** Returns a square, a diamond, a triangle or one upside down. */
  private static String shape(int index, double x, double y) {
    String at = "M" + Svg.number(x) + " " + Svg.number(y);
    return at
        + switch (index % 4) {
          case 0 -> " m-4 -4 h8 v8 h-8 z";
          case 1 -> " m0 -5.5 l5.5 5.5 l-5.5 5.5 l-5.5 -5.5 z";
          case 2 -> " m0 -5 l5 9 h-10 z";
          default -> " m0 5 l5 -9 h-10 z";
        };
  }

  /** Writes the names beside the ends of their curves, moved apart where they would overlap. */
  private void name(Svg svg, Axis x, Axis y) {
    List<Curve> downwards = new ArrayList<>(curves);
    downwards.sort(Comparator.comparingDouble(curve -> y.at(curve.last().y())));
    double[] at = new double[downwards.size()];
    for (int i = 0; i < at.length; i++) {
      double own = y.at(downwards.get(i).last().y()) + 5;
      at[i] = i == 0 ? own : Math.max(own, at[i - 1] + NAME_STEP);
    }
    for (int i = at.length - 1, room = BOTTOM + 5; i >= 0 && at[i] > room; i--) {
      at[i] = room;
      room -= NAME_STEP;
    }
    for (int i = 0; i < at.length; i++) {
      Curve curve = downwards.get(i);
      double end = x.at(curve.last().x());
      int color = curves.indexOf(curve) % Svg.COLORS;
      svg.line(end + 6, y.at(curve.last().y()), RIGHT + 12, at[i] - 5, "grid");
      svg.text(RIGHT + 16, at[i], "fill" + color, Anchor.START, curve.name());
    }
  }

  private static String decade(int decade) {
    return switch (Math.floorDiv(decade, 3)) {
      case 0 -> "1" + "0".repeat(decade);
      case 1 -> "1" + "0".repeat(decade - 3) + " k";
      case 2 -> "1" + "0".repeat(decade - 6) + " M";
      default -> decade < 0 && decade >= -4 ? "0." + "0".repeat(-decade - 1) + "1" : "1e" + decade;
    };
  }

  /** Returns a number in full, with three significant digits at least. */
  static String plain(double value) {
    String format = value >= 100 ? "%,.0f" : value >= 10 ? "%.1f" : value >= 1 ? "%.2f" : "%.2g";
    return String.format(Locale.ROOT, format, value);
  }
}
