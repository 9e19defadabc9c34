package io.firn.key;

import java.util.concurrent.atomic.AtomicLong;

/** A type of a user's own. */
public final class CountingKeys implements KeyGeneratorProvider {

  @Override
  public String type() {
    return "counting";
  }

  @Override
  public KeyGenerator open(KeyProperties properties) {
    AtomicLong next = new AtomicLong(properties.allow("first").number("first").orElse(1L));
    return next::getAndIncrement;
  }
}
