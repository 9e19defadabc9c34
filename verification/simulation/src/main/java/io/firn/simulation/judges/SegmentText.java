package io.firn.simulation.judges;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The record of a counter, read anew from its text: the simulator judges the production code and
 * must not believe its parser.
 */
public record SegmentText(long next) {

  private static final Pattern FORM = Pattern.compile("firn-segment/1 next=(\\d+) .*");

  public static SegmentText parse(String value) {
    Matcher matcher = FORM.matcher(value);
    if (!matcher.matches()) {
      throw new Violation("a counter's register holds: " + value);
    }
    return new SegmentText(Long.parseLong(matcher.group(1)));
  }

  /** The text of a counter that was moved on by hand. */
  public static String movedTo(long next, String value) {
    return value.replaceFirst("next=\\d+", "next=" + next);
  }
}
