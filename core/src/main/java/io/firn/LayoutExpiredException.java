package io.firn;

import java.time.Instant;

/** Thrown when the time field of a layout is used up: a further ID would wrap or turn negative. */
public final class LayoutExpiredException extends FirnException {

  private static final long serialVersionUID = 1L;

  private LayoutExpiredException(String message) {
    super(message);
  }

  static LayoutExpiredException of(IdLayout layout, long nowMillis) {
    return new LayoutExpiredException(
        "layout: "
            + layout
            + " (expected: a time before "
            + layout.positiveUntil()
            + ", the clock reads "
            + Instant.ofEpochMilli(nowMillis)
            + ")");
  }
}
