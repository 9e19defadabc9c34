package io.firn.lease;

import io.firn.time.TimeSource;
import java.util.concurrent.atomic.AtomicLong;

/** Names for the writes of one process, which no other process gives. Thread-safe. */
final class Tokens {

  private final String process;
  private final AtomicLong given = new AtomicLong();

  Tokens(TimeSource time) {
    process =
        Long.toHexString(time.random(Long.MAX_VALUE))
            + Long.toHexString(time.random(Long.MAX_VALUE));
  }

  String next() {
    return process + "." + given.incrementAndGet();
  }

  boolean isOwn(String token) {
    return token.startsWith(process + ".");
  }
}
