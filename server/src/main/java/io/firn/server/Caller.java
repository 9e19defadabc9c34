package io.firn.server;

import io.firn.server.config.TokenConfig;
import io.firn.server.config.TokenScope;
import io.firn.time.TimeSource;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** All connections that present one token. Thread-safe. */
public final class Caller {

  private final TimeSource time;
  private volatile Rights rights;
  private volatile boolean revoked;
  private final AtomicInteger connections = new AtomicInteger();

  /** The rights of the token and the rest of its IDs per second; null without a limit. */
  private record Rights(TokenConfig token, @Nullable Rate rate) {}

  Caller(TokenConfig token, TimeSource time) {
    this.time = time;
    rights = new Rights(token, rate(token));
  }

  private @Nullable Rate rate(TokenConfig token) {
    return token.rate().isPresent() ? new Rate(token.rate().getAsInt(), time) : null;
  }

  private TokenConfig token() {
    return rights.token();
  }

  /** Takes other rights of the same token. */
  void update(TokenConfig newest) {
    Rights before = rights;
    boolean sameRate = newest.rate().equals(before.token().rate());
    rights = new Rights(newest, sameRate ? before.rate() : rate(newest));
  }

  /** Ends all rights: the token is no longer known. */
  void revoke() {
    revoked = true;
  }

  /** Returns whether the token is no longer known. */
  boolean isRevoked() {
    return revoked;
  }

  /** Returns whether the caller was one of a server without tokens. */
  private boolean isAnonymous() {
    return token().secret().isEmpty();
  }

  /** Returns the name of the token. It is not secret. */
  public String name() {
    return token().name();
  }

  /** Returns whether the caller may use a namespace. */
  public boolean permits(String namespace) {
    return token().permits(namespace);
  }

  /** Returns whether the caller's token is for something. */
  public boolean has(TokenScope scope) {
    return token().scopes().contains(scope);
  }

  /** Returns whether the caller may use every namespace. */
  public boolean permitsAll() {
    return token().namespaces().contains("*");
  }

  /** Returns whether the caller opens namespaces on demand. */
  boolean opensNamespaces() {
    return token().onDemand();
  }

  /**
   * Checks that the caller's token is for something.
   *
   * @throws RequestException if it is not
   */
  public void require(TokenScope scope) {
    if (revoked && isAnonymous()) {
      throw new RequestException(
          RequestException.Kind.UNAUTHENTICATED,
          "token: none (expected: one, which this server needs since a reload)");
    }
    if (revoked) {
      throw new RequestException(
          RequestException.Kind.UNAUTHENTICATED,
          "token: " + name() + ", which was removed (expected: a current token)");
    }
    if (!has(scope)) {
      throw new RequestException(
          RequestException.Kind.FORBIDDEN,
          "token: "
              + name()
              + " (expected: a token with the scope "
              + scope.label()
              + " among its scopes)");
    }
  }

  /**
   * Adds a connection.
   *
   * @throws RequestException if there are as many as there may be
   */
  void connect() {
    int most = token().connections().orElse(Integer.MAX_VALUE);
    if (connections.incrementAndGet() > most) {
      connections.decrementAndGet();
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "connections: one more (expected: at most " + most + " with token " + name() + ")");
    }
  }

  void disconnect() {
    connections.decrementAndGet();
  }

  /** Returns whether the caller's IDs per second are limited. */
  public boolean hasRate() {
    return rights.rate() != null;
  }

  /**
   * Checks that the caller may use a namespace, and takes IDs from its rate.
   *
   * @throws RequestException if it may not use that namespace, exceeds its rate, or asks for more
   *     at once than its rate ever permits; nothing is taken then
   */
  public void require(String namespace, long count) {
    require(namespace);
    Rights now = rights;
    OptionalInt most = now.token().rate();
    if (most.isPresent() && count > most.getAsInt()) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "count: "
              + count
              + " (expected: 1.."
              + most.getAsInt()
              + ", the IDs a second of token "
              + name()
              + ")");
    }
    Rate limit = now.rate();
    if (limit != null && !limit.take((int) count)) {
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "rate: " + count + " more (expected: at most " + most.orElseThrow() + " IDs a second)");
    }
  }

  /**
   * Checks that the caller may use a namespace, whether or not there is one of that name.
   *
   * @throws RequestException if it may not
   */
  public void require(String namespace) {
    require(TokenScope.ISSUE);
    requirePermitted(namespace);
  }

  /**
   * Checks that the caller may see a namespace.
   *
   * @throws RequestException if it may not
   */
  void requirePermitted(String namespace) {
    if (!token().permits(namespace)) {
      throw new RequestException(
          RequestException.Kind.FORBIDDEN,
          "namespace: "
              + namespace
              + " (expected: one of "
              + String.join(", ", token().namespaces())
              + ", which token "
              + name()
              + " may use)");
    }
  }
}
