package io.firn.simulation.schemes;

import java.util.List;
import java.util.Locale;

/** A bar a scheme: in how many of a hundred runs it issued an ID twice. SVG, for light and dark. */
public final class Chart {

  private static final int WIDTH = 760;
  private static final int LEFT = 216;
  private static final int BAR_WIDTH = 400;
  private static final int TOP = 84;
  private static final int STEP = 40;
  private static final int BAR_HEIGHT = 22;

  private static final String STYLE =
      """
        <style>
          text { font: 14px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f; }
          .title { font-size: 18px; font-weight: 600; }
          .note { fill: #57606a; font-size: 13px; }
          .track { fill: #eaeef2; }
          .bar { fill: #cf4f36; }
          .none { fill: #1a7f5a; font-weight: 600; }
          @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; }
            .note { fill: #9198a1; }
            .track { fill: #2a313c; }
            .bar { fill: #f0795f; }
            .none { fill: #4cc38a; }
          }
        </style>
      """;

  private Chart() {}

  static String of(List<Contest> contests) {
    int height = TOP + contests.size() * STEP + 16;
    StringBuilder svg = new StringBuilder();
    svg.append(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\" aria-label=\"Runs with a colliding ID, by scheme\">%n"
            .formatted(WIDTH, height, WIDTH, height)
            .replace("\r", ""));
    svg.append(STYLE);
    svg.append(text(20, 32, "title", "Runs in which an ID was issued twice"));
    svg.append(text(20, 56, "note", subtitle(contests.get(0))));
    for (int i = 0; i < contests.size(); i++) {
      svg.append(bar(contests.get(i), TOP + i * STEP));
    }
    return svg.append("</svg>\n").toString();
  }

  private static String subtitle(Contest any) {
    return grouped(any.runs())
        + " simulated runs of 20 minutes, 8 instances; the same faults for every scheme";
  }

  private static String bar(Contest contest, int y) {
    int width = (int) Math.round(BAR_WIDTH * contest.percent() / 100);
    String label = label(contest);
    return text(LEFT - 12, y + 16, "\" text-anchor=\"end", contest.name())
        + rect(LEFT, y, BAR_WIDTH, "track")
        + (contest.runsWithCollision() == 0 ? "" : rect(LEFT, y, Math.max(2, width), "bar"))
        + text(LEFT + BAR_WIDTH + 12, y + 16, contest.collisions() == 0 ? "none" : "", label);
  }

  private static String label(Contest contest) {
    return contest.collisions() == 0
        ? "none"
        : String.format(Locale.ROOT, "%.1f %%", contest.percent());
  }

  private static String rect(int x, int y, int width, String style) {
    return "  <rect class=\""
        + style
        + "\" x=\""
        + x
        + "\" y=\""
        + y
        + "\" width=\""
        + width
        + "\" height=\""
        + BAR_HEIGHT
        + "\" rx=\"3\"/>\n";
  }

  private static String text(int x, int y, String style, String text) {
    return "  <text class=\"" + style + "\" x=\"" + x + "\" y=\"" + y + "\">" + text + "</text>\n";
  }

  public static String grouped(long number) {
    return String.format(Locale.ROOT, "%,d", number);
  }
}
