package io.firn.testkit;

import io.firn.time.TimeSource;

/** Placeholder. */
public final class ManualTimeSource implements TimeSource {
  private final long nowMillis;

  /**
   * Makes one.
   *
   * @param nowMillis milliseconds since 1970
   */
  public ManualTimeSource(long nowMillis) {
    this.nowMillis = nowMillis;
  }

  @Override
  public long currentTimeMillis() {
    return nowMillis;
  }
}
