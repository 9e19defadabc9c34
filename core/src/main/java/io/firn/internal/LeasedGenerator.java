package io.firn.internal;

/** The generator that draws under a lease. Called by one thread at a time. */
public interface LeasedGenerator {

  /** Returns the end of the newest tick drawn, in milliseconds since 1970-01-01T00:00Z. */
  long newestMillis();

  /**
   * Permits IDs of that window from now on, and of no other. A window with the same worker and the
   * same beginning continues the current one with another end. Any other window begins, for this
   * generator, after every tick that it has drawn.
   */
  void permit(LeaseWindow window);

  /**
   * Permits IDs of that window in another layout, once the windows of the current one are used up.
   * From then on, every call concerns the other layout.
   *
   * @param layout its text form
   * @param window begins where the current layout has ended, or later
   */
  void switchTo(String layout, LeaseWindow window);

  /** Returns how far IDs may run ahead of the clock, in milliseconds. */
  long maxLeadMillis();

  /** Returns whether a scope was ever opened, so that the low mark must be published. */
  boolean usesScopes();

  /** Returns whether a scope is open. */
  boolean hasOpenScopes();

  /**
   * Moves the word up to a time, lets the scopes expire that are open for too long, and returns the
   * low mark: no ID before it is in an open scope, or is drawn any more.
   *
   * @param nowMillis the clock, in milliseconds since 1970-01-01T00:00Z; at the fence it ends
   * @return the low mark, in milliseconds since 1970-01-01T00:00Z
   */
  long lowMillis(long nowMillis);

  /**
   * Ends drawing permanently: after the return no ID is drawn.
   *
   * @return the end of the newest tick drawn, as {@link #newestMillis}
   */
  long close();
}
