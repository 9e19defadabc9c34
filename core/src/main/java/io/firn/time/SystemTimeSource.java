package io.firn.time;

/** Placeholder. */
final class SystemTimeSource implements TimeSource {
  @Override
  public long currentTimeMillis() {
    return System.currentTimeMillis();
  }
}
