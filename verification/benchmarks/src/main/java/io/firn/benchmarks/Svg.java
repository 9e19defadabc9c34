package io.firn.benchmarks;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * A picture in SVG that is readable on light and on dark pages. It names its title and description
 * for screen readers, and needs no font but one of the system.
 */
final class Svg {

  static final int WIDTH = 760;
  static final int MARGIN = 20;

  /** Height of a line of text, and of what stands beside one. */
  static final int LINE = 20;

  /** The numbers of colors, of lines and their labels. */
  static final int COLORS = 6;

  private static final String STYLE =
      """
        <style>
          text { font: 14px system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif; fill: #24292f; }
          .title { font-size: 18px; font-weight: 600; }
          .panel { font-weight: 600; }
          .note { fill: #57606a; font-size: 13px; }
          .track { fill: #eaeef2; }
          .peer { fill: #8c959f; }
          .ours { fill: #0b6bcb; }
          .grid { stroke: #d0d7de; }
          .mark { stroke: #bc4c00; stroke-width: 2; stroke-dasharray: 5 4; }
          .spread { stroke: #24292f; stroke-width: 1.5; }
          .curve { fill: none; stroke-width: 2; }
          .stroke0 { stroke: #0b6bcb; } .fill0 { fill: #0b6bcb; }
          .stroke1 { stroke: #bc4c00; } .fill1 { fill: #bc4c00; }
          .stroke2 { stroke: #1a7f37; } .fill2 { fill: #1a7f37; }
          .stroke3 { stroke: #8250df; } .fill3 { fill: #8250df; }
          .stroke4 { stroke: #bf3989; } .fill4 { fill: #bf3989; }
          .stroke5 { stroke: #6e7781; } .fill5 { fill: #6e7781; }
          @media (prefers-color-scheme: dark) {
            text { fill: #e6edf3; }
            .note { fill: #9198a1; }
            .track { fill: #2a313c; }
            .peer { fill: #6e7681; }
            .ours { fill: #6cb6ff; }
            .grid { stroke: #3d444d; }
            .mark { stroke: #f0883e; }
            .spread { stroke: #e6edf3; }
            .stroke0 { stroke: #6cb6ff; } .fill0 { fill: #6cb6ff; }
            .stroke1 { stroke: #f0883e; } .fill1 { fill: #f0883e; }
            .stroke2 { stroke: #57ab5a; } .fill2 { fill: #57ab5a; }
            .stroke3 { stroke: #b083f0; } .fill3 { fill: #b083f0; }
            .stroke4 { stroke: #e275ad; } .fill4 { fill: #e275ad; }
            .stroke5 { stroke: #9198a1; } .fill5 { fill: #9198a1; }
          }
        </style>
      """;

  private final List<String> elements = new ArrayList<>();
  private final int height;
  private final String title;
  private final String description;

  /** The end of a text that its position names. */
  enum Anchor {
    START,
    MIDDLE,
    END
  }

  Svg(int height, String title, String description) {
    this.height = height;
    this.title = title;
    this.description = description;
    text(MARGIN, 32, "title", Anchor.START, title);
  }

  void text(double x, double y, String style, Anchor anchor, String text) {
    element(
        "<text class=\"%s\" x=\"%s\" y=\"%s\" text-anchor=\"%s\">%s</text>",
        style, number(x), number(y), anchor.name().toLowerCase(Locale.ROOT), escape(text));
  }

  void rect(double x, double y, double width, double height, String style) {
    element(
        "<rect class=\"%s\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" rx=\"3\"/>",
        style, number(x), number(y), number(width), number(height));
  }

  void line(double x1, double y1, double x2, double y2, String style) {
    element(
        "<line class=\"%s\" x1=\"%s\" y1=\"%s\" x2=\"%s\" y2=\"%s\"/>",
        style, number(x1), number(y1), number(x2), number(y2));
  }

  /** Draws a shape or a curve, from commands of SVG that the caller composes of numbers. */
  void path(String commands, String style) {
    element("<path class=\"%s\" d=\"%s\"/>", style, commands);
  }

  private void element(String format, Object... values) {
    elements.add("  " + String.format(Locale.ROOT, format, values) + "\n");
  }

  /** Returns a coordinate with one digit after the point. */
  static String number(double value) {
    if (!Double.isFinite(value)) {
      throw new IllegalArgumentException("coordinate: " + value + " (expected: a finite number)");
    }
    double rounded = Math.round(value * 10) / 10.0;
    return rounded == Math.rint(rounded) ? Long.toString((long) rounded) : Double.toString(rounded);
  }

  /** Returns a text as XML has it; characters that XML has not are replaced. */
  static String escape(String text) {
    StringBuilder escaped = new StringBuilder(text.length());
    text.codePoints()
        .forEach(
            character -> {
              switch (character) {
                case '&' -> escaped.append("&amp;");
                case '<' -> escaped.append("&lt;");
                case '>' -> escaped.append("&gt;");
                case '"' -> escaped.append("&quot;");
                default -> escaped.appendCodePoint(isXml(character) ? character : 0xfffd);
              }
            });
    return escaped.toString();
  }

  private static boolean isXml(int character) {
    return character == '\t'
        || character == '\n'
        || (character >= ' ' && character < Character.MIN_SURROGATE)
        || (character > Character.MAX_SURROGATE && character < 0xfffe)
        || character > 0xffff;
  }

  @Override
  public String toString() {
    StringBuilder svg = new StringBuilder();
    svg.append(
        String.format(
            Locale.ROOT,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\""
                + " height=\"%d\" role=\"img\" aria-labelledby=\"title desc\">\n",
            WIDTH,
            height,
            WIDTH,
            height));
    svg.append("  <title id=\"title\">").append(escape(title)).append("</title>\n");
    svg.append("  <desc id=\"desc\">").append(escape(description)).append("</desc>\n");
    svg.append(STYLE);
    elements.forEach(svg::append);
    return svg.append("</svg>\n").toString();
  }
}
