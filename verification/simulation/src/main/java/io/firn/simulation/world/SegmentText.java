package io.firn.simulation.world;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The record of a counter, read again from its text: the simulator judges the production code and
 * must not believe its parser.
 */
public record SegmentText(long next) {

  private static final Pattern FORM = Pattern.compile("firn-segment/[12] next=(\\d+) .*");

  public static SegmentText parse(String value) {
    Matcher matcher = FORM.matcher(value);
    if (!matcher.matches()) {
      throw new Violation("a counter's register holds: " + value);
    }
    return new SegmentText(Long.parseLong(matcher.group(1)));
  }

  /**
   * Returns the text of a counter that was raised by hand.
   *
   * @param identity the identity of the store; empty if it has none
   */
  public static String raisedTo(long next, String value, String identity) {
    String raised = value.replaceFirst("next=\\d+", "next=" + next).replaceFirst(" store=\\S+", "");
    return identity.isEmpty()
        ? raised
        : raised.replaceFirst("^firn-segment/1 ", "firn-segment/2 ") + " store=" + identity;
  }
}
