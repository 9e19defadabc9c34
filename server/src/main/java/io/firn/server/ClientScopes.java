package io.firn.server;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.server.config.TokenScope;
import io.firn.time.TimeSource;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

/**
 * The scopes that clients of this server have open. The watermark of a namespace stays below the
 * IDs that were drawn in one until the client ends it, or its time is over. Thread-safe.
 */
final class ClientScopes {

  /** The longest time of a scope, in milliseconds. */
  static final int MAX_MILLIS = 60_000;

  /** A caller has half of them at most, because as many as it has are left to others. */
  private static final int MAX_OPEN = 20_000;

  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final Map<String, Open> open = new ConcurrentHashMap<>();
  private final Map<Caller, Integer> perCaller = new ConcurrentHashMap<>();
  private final EventExecutorGroup timers;
  private final TimeSource time;

  /**
   * A scope that is open.
   *
   * @param caller who opened it
   * @param namespace whose IDs are drawn in it
   * @param scope what holds the watermark back
   * @param end the task that ends it
   */
  private record Open(Caller caller, String namespace, IdScope scope, Future<?> end) {}

  ClientScopes(EventExecutorGroup timers, TimeSource time) {
    this.timers = timers;
    this.time = time;
  }

  /** Returns a name for a scope that cannot be guessed. */
  String newName() {
    return Long.toHexString(time.random(Long.MAX_VALUE))
        + Long.toHexString(time.random(Long.MAX_VALUE));
  }

  /**
   * Opens a scope. Draw its IDs afterwards.
   *
   * @throws RequestException if the namespace has none, or too many are open
   */
  void open(String name, Caller caller, OpenNamespace namespace, Duration limit) {
    int own = perCaller.getOrDefault(caller, 0);
    if (own >= MAX_OPEN - open.size()) {
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "Token "
              + caller.name()
              + " has "
              + own
              + " scopes open, as many as this server has left for others");
    }
    IdScope scope = namespace.scope(limit);
    perCaller.merge(caller, 1, Integer::sum);
    open.computeIfAbsent( // a timer that is faster waits for this
        name,
        absent ->
            new Open(
                caller,
                namespace.name(),
                scope,
                timers.schedule(() -> expire(name), limit.toMillis(), TimeUnit.MILLISECONDS)));
  }

  /** Waits until no scope is open or the thread is interrupted, for at most {@code nanos}. */
  void awaitEnds(long nanos) {
    long begin = time.nanoTime();
    while (!open.isEmpty()
        && time.nanoTime() - begin < nanos
        && !Thread.currentThread().isInterrupted()) {
      time.parkNanos(POLL_NANOS);
    }
  }

  /** Returns the namespaces that have open scopes. */
  Set<String> namespaces() {
    return open.values().stream().map(Open::namespace).collect(Collectors.toUnmodifiableSet());
  }

  private void forget(Open ended) {
    perCaller.computeIfPresent(ended.caller(), (caller, own) -> own == 1 ? null : own - 1);
    ended.end().cancel(false);
  }

  private void expire(String name) {
    Open expired = open.remove(name);
    if (expired != null) {
      forget(expired);
      try {
        expired.scope().close();
      } catch (ScopeExpiredException e) { // it expired before: it ends in either way
        return;
      }
    }
  }

  /**
   * Returns IDs that were drawn in a scope, if it covers them. After its lease was lost they may be
   * of the next one, which does not wait for this scope.
   *
   * @throws ScopeExpiredException if it expired: draw again
   */
  long[] covered(String name, long[] ids) {
    Open drawn = open.get(name);
    if (drawn == null) { // its time is over
      return ids;
    }
    try {
      drawn.scope().nextIds(ids, 0, 0);
    } catch (IllegalStateException e) { // it was closed meanwhile: its time is over
      return ids;
    }
    return ids;
  }

  /** Ends a scope whose IDs never reached its client. */
  void drop(String name) {
    expire(name);
  }

  /**
   * Ends a scope for its client.
   *
   * @throws RequestException if the caller may not, the scope is not open, or it expired
   */
  void end(Caller caller, String name) {
    caller.require(TokenScope.ISSUE);
    Open ended = open.get(name);
    if (ended != null) {
      caller.requirePermitted(ended.namespace());
    }
    if (ended == null || !open.remove(name, ended)) {
      throw new RequestException(
          RequestException.Kind.NOT_FOUND,
          "scope: "
              + name
              + " (expected: one that is open in this server; it ends at its time limit, and"
              + " readers may miss rows that were committed after that)");
    }
    forget(ended);
    try (IdScope scope = ended.scope()) {
      scope.beforeCommit(); // the keeper may not have noticed yet that the lease has run out
    } catch (ScopeExpiredException e) {
      throw new RequestException(
          RequestException.Kind.CONFLICT,
          "Scope "
              + name
              + " expired before, because its lease ended; readers may miss its rows unless they were committed within the grace of the watermark, 10 s unless a reader"
              + " set another, after their IDs were requested");
    }
  }
}
