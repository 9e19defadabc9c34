package io.firn.time;

/** Placeholder. */
public interface TimeSource {
  /**
   * Returns the time.
   *
   * @return milliseconds since 1970
   */
  long currentTimeMillis();
}
