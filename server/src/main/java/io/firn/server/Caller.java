package io.firn.server;

import io.firn.server.config.TokenConfig;
import io.firn.time.TimeSource;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * All connections that present one token. Thread-safe.
 *
 * <p>One number enforces the rate: the moment until which IDs are paid for. Each ID moves it
 * forward by the time between two IDs at that rate. It may be at most one second ahead of the
 * clock, so a burst is at most one second's worth of IDs.
 */
public final class Caller {

  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TokenConfig token;
  private final OptionalInt rate;
  private final TimeSource time;
  private final AtomicLong paidUntil;

  Caller(TokenConfig token, OptionalInt rate, TimeSource time) {
    this.token = token;
    this.rate = rate;
    this.time = time;
    paidUntil = new AtomicLong(rate.isPresent() ? time.nanoTime() : 0);
  }

  /** Returns the name of the token. It is not secret. */
  public String name() {
    return token.name();
  }

  /** Returns whether the caller may use a namespace. */
  public boolean permits(String namespace) {
    return token.permits(namespace);
  }

  /** Returns whether the caller's IDs per second are limited. */
  public boolean hasRate() {
    return rate.isPresent();
  }

  /**
   * Checks that the caller may use a namespace, and takes IDs from its rate.
   *
   * @throws RequestException if it may not use that namespace, or exceeds its rate; nothing is
   *     taken then
   */
  public void require(String namespace, int count) {
    if (!token.permits(namespace)) {
      throw new RequestException(
          RequestException.Kind.FORBIDDEN,
          "namespace: "
              + namespace
              + " (expected: one of "
              + String.join(", ", token.namespaces())
              + ", which token "
              + name()
              + " may use)");
    }
    if (rate.isPresent() && !pay(count, rate.getAsInt())) {
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "rate: " + count + " more (expected: at most " + rate.getAsInt() + " IDs a second)");
    }
  }

  private boolean pay(int count, int idsPerSecond) {
    long price = BURST_NANOS * count / idsPerSecond;
    while (true) {
      long now = time.nanoTime();
      long paid = paidUntil.get();
      long from = paid - now < 0 ? now : paid;
      if (from + price - now > BURST_NANOS) {
        return false;
      }
      if (paidUntil.compareAndSet(paid, from + price)) {
        return true;
      }
    }
  }
}
