package io.firn.server;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.server.config.TokenScope;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * The scopes that clients of this server have open. The watermark of a namespace stays below the
 * IDs that were drawn in one until the client ends it, or its time is over. Thread-safe.
 */
final class ClientScopes {

  /** The longest time of a scope, in milliseconds. */
  static final int MAX_MILLIS = 60_000;

  private static final int MAX_OPEN = 10_000;

  private final Map<String, Open> open = new ConcurrentHashMap<>();
  private final ScheduledThreadPoolExecutor timer;
  private final TimeSource time;

  /**
   * A scope that is open.
   *
   * @param namespace whose IDs are drawn in it
   * @param scope what holds the watermark back
   * @param end the task that ends it
   */
  private record Open(String namespace, IdScope scope, Future<?> end) {}

  ClientScopes(ScheduledThreadPoolExecutor timer, TimeSource time) {
    this.timer = timer;
    this.time = time;
    timer.setRemoveOnCancelPolicy(true);
  }

  /** Returns a name for a scope that nobody guesses. */
  String newName() {
    return Long.toHexString(time.random(Long.MAX_VALUE))
        + Long.toHexString(time.random(Long.MAX_VALUE));
  }

  /**
   * Opens a scope. Draw its IDs afterwards.
   *
   * @throws RequestException if the namespace has none, or too many are open
   */
  void open(String name, OpenNamespace namespace, Duration limit) {
    if (open.size() >= MAX_OPEN) {
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "Scopes of clients: " + MAX_OPEN + " are open, which is the limit of this server");
    }
    IdScope scope = namespace.scope(limit);
    Future<?> end = timer.schedule(() -> expire(name), limit.toMillis(), TimeUnit.MILLISECONDS);
    open.put(name, new Open(namespace.name(), scope, end));
    if (end.isDone()) { // before it was put
      expire(name);
    }
  }

  private void expire(String name) {
    Open expired = open.remove(name);
    if (expired != null) {
      try {
        expired.scope().close();
      } catch (ScopeExpiredException e) { // it was abandoned before: it ends in either way
        return;
      }
    }
  }

  /**
   * Returns IDs that were drawn in a scope, if it covers them. After its lease was lost they may be
   * of the next one, which does not wait for this scope.
   *
   * @throws ScopeExpiredException if it was abandoned: draw again
   */
  long[] covered(String name, long[] ids) {
    Open drawn = open.get(name);
    if (drawn != null) { // else its time is over
      drawn.scope().nextIds(ids, 0, 0);
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
   * @throws RequestException if the caller may not, the scope is not open, or it was abandoned
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
              + name.substring(0, Math.min(name.length(), 40))
              + " (expected: one that is open in this server; it ends at its time limit, and"
              + " readers may miss rows that were committed after that)");
    }
    ended.end().cancel(false);
    try (IdScope scope = ended.scope()) {
      scope.beforeCommit(); // the keeper may not have noticed yet that the lease has run out
    } catch (ScopeExpiredException e) {
      throw new RequestException(
          RequestException.Kind.CONFLICT,
          "Scope "
              + name
              + " was abandoned before, because its lease was lost; readers may miss its rows"
              + " unless they were committed within 10 s after their IDs were requested");
    }
  }
}
