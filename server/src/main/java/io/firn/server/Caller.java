package io.firn.server;

import io.firn.server.config.TokenConfig;
import io.firn.time.TimeSource;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** All connections that present one token. Thread-safe. */
public final class Caller {

  private final TokenConfig token;
  private final OptionalInt idsPerSecond;
  private final @Nullable Rate rate;

  Caller(TokenConfig token, OptionalInt idsPerSecond, TimeSource time) {
    this.token = token;
    this.idsPerSecond = idsPerSecond;
    rate = idsPerSecond.isPresent() ? new Rate(idsPerSecond.getAsInt(), time) : null;
  }

  /** Returns the name of the token. It is not secret. */
  public String name() {
    return token.name();
  }

  /** Returns whether the caller may use a namespace. */
  public boolean permits(String namespace) {
    return token.permits(namespace);
  }

  /** Returns whether the caller may use every namespace. */
  public boolean permitsAll() {
    return token.namespaces().contains("*");
  }

  /** Returns whether the caller's IDs per second are limited. */
  public boolean hasRate() {
    return rate != null;
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
    if (rate != null && !rate.take(count)) {
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "rate: "
              + count
              + " more (expected: at most "
              + idsPerSecond.getAsInt()
              + " IDs a second)");
    }
  }
}
