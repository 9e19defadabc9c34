package io.firn.lease;

/** The generator's side of a lease. Called by one thread at a time. */
public interface Leaseholder {

  /** The end of the newest tick that was drawn, in milliseconds since 1970-01-01T00:00Z. */
  long newestMillis();

  /**
   * Permits IDs of that window from now on, and of no other. Of a window that goes on with the same
   * worker and the same beginning only the end has moved. Any other window begins, for this
   * generator, after every tick that it has drawn.
   */
  void permit(Window window);

  /**
   * Ends drawing for good: after the return no ID is drawn.
   *
   * @return the end of the newest tick that was drawn, as {@link #newestMillis}
   */
  long close();
}
