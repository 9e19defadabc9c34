package io.firn;

import io.firn.internal.Waiters;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The open scopes of one generator. Thread-safe.
 *
 * <h2>Why no ID is below a low mark</h2>
 *
 * A scope reads the word, enters this set, and then draws. The keeper moves the word up, looks at
 * this set, and then publishes the smaller of the word's tick and the first ticks of the scopes. If
 * it does not see a scope, the scope entered after the look, and so draws from a word that was
 * moved up before. If it sees the scope, all IDs of the scope are of its first tick or later. Both
 * settle the word as they read it: a draw that fails gives no number back that is before it.
 */
final class OpenScopes {

  /** The time for which closing the generator waits for scopes. */
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final TimeSource time;
  private final Consumer<String> log;
  private final Set<IdScope> open = ConcurrentHashMap.newKeySet();
  private final Waiters waiters = new Waiters();
  private volatile boolean used;
  private volatile boolean ended;

  OpenScopes(TimeSource time, Consumer<String> log) {
    this.time = time;
    this.log = log;
  }

  /** Returns a new scope of a generator whose word has that tick, under an acquisition. */
  IdScope open(Snowflake source, String acquisition, long firstTick, Duration limit) {
    used = true;
    IdScope scope = new IdScope(source, this, acquisition, firstTick, time.nanoTime(), limit);
    open.add(scope);
    if (ended) {
      open.remove(scope);
      throw new GeneratorClosedException();
    }
    return scope;
  }

  void remove(IdScope scope) {
    open.remove(scope);
    changed();
  }

  /** Wakes who waits for the end of scopes. */
  void changed() {
    if (ended) {
      waiters.wake();
    }
  }

  /** Returns whether there ever was one. */
  boolean isUsed() {
    return used;
  }

  boolean isEmpty() {
    return open.isEmpty();
  }

  /** Lets those expire that are open for too long, and returns the smallest tick of the others. */
  long lowTick(long wordTick) {
    long now = time.nanoTime();
    open.removeIf(scope -> scope.isDoubtOver(now));
    if (open.removeIf(scope -> scope.expireIfOverdue(now))) {
      log.accept("scopes that were open for too long have expired; their commits are refused");
    }
    return open.stream().mapToLong(IdScope::firstTick).reduce(wordTick, Math::min);
  }

  /** Lets all expire, because the lease of their IDs has ended. */
  void expireAll() {
    if (used && open.removeIf(scope -> scope.expire("the lease of its IDs was lost"))) {
      log.accept("scopes whose lease was lost have expired; their commits are refused");
    }
  }

  /**
   * Refuses new ones and waits for those that are open, except where the commit is in doubt; those
   * that stay open expire.
   */
  void end() {
    ended = true;
    if (!waiters.awaitUninterruptibly(
        () -> open.stream().allMatch(IdScope::isInDoubt), time, MAX_CLOSE_NANOS)) {
      open.forEach(scope -> scope.expireUnlessCommitting("its generator was closed"));
    }
  }
}
