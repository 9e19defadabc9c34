package io.firn;

import java.time.Instant;

/** Thrown when the time field of a layout is used up: a further ID would wrap or turn negative. */
public final class LayoutExpiredException extends FirnException {

  private static final long serialVersionUID = 1L;

  private LayoutExpiredException(String message) {
    super(message);
  }

  /** Returns the exception of an ID that would have a tick past the last one. */
  static LayoutExpiredException ofId(IdLayout layout, long tick) {
    return of(layout, "the next ID would have the time ", layout.instantAt(tick).toEpochMilli());
  }

  /** Returns the exception of a block that would end at a time, in milliseconds since 1970. */
  public static LayoutExpiredException ofBlock(IdLayout layout, long endMillis) {
    return of(layout, "the block would end at ", endMillis);
  }

  private static LayoutExpiredException of(IdLayout layout, String what, long millis) {
    return new LayoutExpiredException(
        "Layout "
            + layout
            + " ends at "
            + layout.positiveUntil()
            + ", and "
            + what
            + Instant.ofEpochMilli(millis)
            + "; change to a layout that ends later");
  }
}
