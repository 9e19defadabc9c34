package io.firn.server;

import io.firn.server.config.TokenConfig;
import io.firn.time.TimeSource;
import java.util.OptionalInt;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Whoever presents one token, on however many connections. Thread-safe.
 *
 * <p>Its rate is kept by one number: the moment until which IDs are paid for. Each ID moves it on
 * by the time that the rate gives it; it may be one second ahead of the clock, and so much can be
 * had at once.
 */
public final class Client {

  private static final long BURST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private final TokenConfig token;
  private final OptionalInt rate;
  private final TimeSource time;
  private final AtomicLong paidUntil;

  Client(TokenConfig token, OptionalInt rate, TimeSource time) {
    this.token = token;
    this.rate = rate;
    this.time = time;
    paidUntil = new AtomicLong(rate.isPresent() ? time.nanoTime() : 0);
  }

  /** Its name, which is no secret. */
  public String name() {
    return token.name();
  }

  /** Whether it may use a namespace. */
  public boolean permits(String namespace) {
    return token.permits(namespace);
  }

  /**
   * Refuses what it may not have.
   *
   * @throws Refusal if it may not use that namespace, or not so many IDs now
   */
  public void require(String namespace, int count) {
    if (!token.permits(namespace)) {
      throw new Refusal(
          Refusal.Kind.FORBIDDEN,
          "namespace: "
              + namespace
              + " (expected: one of "
              + String.join(", ", token.namespaces())
              + ", which token "
              + name()
              + " may use)");
    }
    take(count);
  }

  /** Whether its IDs a second are limited. */
  public boolean hasRate() {
    return rate.isPresent();
  }

  /**
   * Refuses what comes too fast.
   *
   * @throws Refusal if it may not have so many IDs now
   */
  public void take(int count) {
    if (rate.isPresent() && !pay(count, rate.getAsInt())) {
      throw new Refusal(
          Refusal.Kind.TOO_MANY,
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
