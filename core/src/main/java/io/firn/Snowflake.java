package io.firn;

import java.util.concurrent.atomic.AtomicLong;

/** Placeholder. */
final class Snowflake implements IdGenerator {
  private final AtomicLong word = new AtomicLong();

  @Override
  public long nextId() {
    return word.incrementAndGet();
  }
}
