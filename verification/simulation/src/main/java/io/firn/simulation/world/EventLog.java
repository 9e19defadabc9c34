package io.firn.simulation.world;

import org.jspecify.annotations.Nullable;

/** One readable line an event, without anything that differs from machine to machine. */
public final class EventLog {

  private static final int MILLIS_DIGITS = 6;

  private final @Nullable StringBuilder text;

  private EventLog(@Nullable StringBuilder text) {
    this.text = text;
  }

  public static EventLog kept() {
    return new EventLog(new StringBuilder());
  }

  public static EventLog none() {
    return new EventLog(null);
  }

  public void head(Object line) {
    if (text != null) {
      text.append(line).append('\n');
    }
  }

  /** A line: the time in milliseconds, indented by how deep inside other calls it happens. */
  void line(long nanos, int depth, Object who, Object... what) {
    if (text == null) {
      return;
    }
    String fraction = Long.toString(1_000_000 + nanos % World.NANOS_PER_MILLI).substring(1);
    String millis = Long.toString(nanos / World.NANOS_PER_MILLI);
    text.append(" ".repeat(Math.max(0, MILLIS_DIGITS - millis.length())))
        .append(millis)
        .append('.')
        .append(fraction)
        .append(' ')
        .append("  ".repeat(depth))
        .append(who);
    for (Object part : what) {
      text.append(' ').append(part);
    }
    text.append('\n');
  }

  @Override
  public String toString() {
    return text == null ? "" : text.toString();
  }
}
