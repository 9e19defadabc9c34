package io.firn;

import io.firn.store.LockedRead;
import io.firn.store.Register;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The time in which the rows of one transaction get their IDs and are committed. As long as a scope
 * is open, the watermark of its namespace stays below its IDs; see {@link io.firn.lease.Watermark}.
 * Open it before the first ID is drawn, and close it after the commit or the rollback:
 *
 * <pre>{@code
 * try (IdScope scope = orders.scope()) {
 *   insert(scope.nextId(), "a row");
 *   scope.commit(connection::commit);
 * }
 * }</pre>
 *
 * <p>A scope that is open for longer than its limit expires, so that one transaction that hangs
 * does not stop every reader. So do the scopes of a lease that is lost. {@link #beforeCommit} then
 * throws, and the transaction must be rolled back. From a successful {@link #beforeCommit} on, a
 * scope is kept until it is closed, however long the commit takes. It is lost only with the lease.
 * A commit that fails may still be applied, as after a timeout of its connection. {@link #commit}
 * keeps the scope for a while then; a caller that commits in another way calls {@link
 * #closeInDoubt}.
 *
 * <p>Thread-safe: several threads may draw from one scope.
 */
public final class IdScope implements IdGenerator, AutoCloseable {

  private enum State {
    OPEN,
    COMMITTING,
    IN_DOUBT,
    EXPIRED,
    CLOSED
  }

  /**
   * Commits a transaction.
   *
   * @param <E> thrown by that
   */
  @FunctionalInterface
  public interface Commit<E extends Exception> {
    /**
     * Runs the commit.
     *
     * @throws E if the transaction was not committed, or its outcome is unknown
     */
    void run() throws E;
  }

  private final Snowflake source;
  private final OpenScopes scopes;
  private final String acquisition;
  private final long firstTick;
  private final long beganNanos;
  private final Duration limit;
  private final AtomicReference<State> state = new AtomicReference<>(State.OPEN);
  private volatile @Nullable String reason;
  private volatile boolean refused;
  private volatile long doubtedNanos;

  IdScope(
      Snowflake source,
      OpenScopes scopes,
      String acquisition,
      long firstTick,
      long beganNanos,
      Duration limit) {
    this.source = source;
    this.scopes = scopes;
    this.acquisition = acquisition;
    this.firstTick = firstTick;
    this.beganNanos = beganNanos;
    this.limit = limit;
  }

  /**
   * Issues an ID, as {@link Snowflake#nextId} does.
   *
   * @throws ScopeExpiredException if this scope has expired, also while this waited for a lease
   * @throws IllegalStateException if this scope is closed
   */
  @Override
  public long nextId() {
    requireNotEnded();
    long id = source.nextId();
    requireNotEnded(); // else the ID may be of the lease after the one of this scope
    return id;
  }

  /** Issues IDs, as {@link Snowflake#nextIds} does; see {@link #nextId}. */
  @Override
  public void nextIds(long[] target, int from, int to) {
    requireNotEnded();
    source.nextIds(target, from, to);
    requireNotEnded();
  }

  /**
   * Commits after a check; see {@link #beforeCommit()}. If the commit fails, it may still be
   * applied: this scope then ends as {@link #closeInDoubt} says.
   *
   * @param commit as {@code connection::commit}
   * @param <E> thrown by that
   * @throws ScopeExpiredException if this scope has expired, or the lease has nearly run out: roll
   *     back
   * @throws IllegalStateException if this scope is closed
   * @throws E if the commit failed
   */
  public <E extends Exception> void commit(Commit<E> commit) throws E {
    beforeCommit();
    boolean committed = false;
    try {
      commit.run();
      committed = true;
    } finally {
      if (!committed) {
        closeInDoubt();
      }
    }
  }

  /**
   * Checks that the rows of this scope may be committed. Call it right before the commit. A commit
   * that begins long after this returns, as that of a process which is stopped in between, is not
   * covered: see {@link #beforeCommit(LockedRead)} for the check inside the database.
   *
   * @throws ScopeExpiredException if this scope has expired, or the lease has nearly run out: roll
   *     back
   * @throws IllegalStateException if this scope is closed
   */
  public void beforeCommit() {
    if (isOver(source.nanoTime())) {
      expireUnlessCommitting(overdue());
    }
    if (!state.compareAndSet(State.OPEN, State.COMMITTING)) {
      requireNotEnded();
    }
    // Only now: from here on the keeper does not let the scope expire.
    Optional<String> refusal = source.commitRefusal();
    if (refusal.isPresent() && expire(refusal.get())) {
      scopes.remove(this);
    }
    requireNotEnded();
  }

  /**
   * Checks as {@link #beforeCommit()}, and once more inside the database of the rows, which must be
   * that of the register store. A commit that is checked in this way is not missed, however late it
   * is: no reader passes the IDs of this scope before the transaction ends. {@code CommitGuard} of
   * firn-jdbc makes such reads. The first call under a lease waits for a renewal, for up to 10 s.
   *
   * @param guard reads in the transaction
   * @param <E> thrown by that
   * @throws ScopeExpiredException if this scope has expired, or readers may be past it: roll back
   * @throws io.firn.store.StoreException if the store cannot be asked: roll back
   * @throws IllegalStateException if this scope is closed
   * @throws E if the database refuses: roll back
   */
  public <E extends Exception> void beforeCommit(LockedRead<E> guard) throws E {
    beforeCommit();
    Register open = source.guard(acquisition).orElse(null);
    boolean found = open != null && open.value().equals(guard.value(open.name()));
    if (!found && open != null) {
      source.replaceGuard(open);
    }
    String lost = "its guard is not in the database of its rows, or its holder was declared dead";
    if (!found && expire(lost)) {
      scopes.remove(this);
    }
    requireNotEnded(); // also if the lease was lost meanwhile
  }

  /**
   * Ends this scope. A second call has no effect.
   *
   * @throws ScopeExpiredException if this scope has expired and no method of it has thrown that
   *     yet: rows that were committed without {@link #beforeCommit} may be missed
   */
  @Override
  public void close() {
    State before =
        state.getAndUpdate(
            old -> old == State.EXPIRED || old == State.IN_DOUBT ? old : State.CLOSED);
    if (before == State.IN_DOUBT) {
      return; // it is kept for a while
    }
    scopes.remove(this);
    if (before == State.EXPIRED && !refused) {
      throw refusal();
    }
  }

  /**
   * Ends this scope where the outcome of its transaction is unknown, as after a connection that was
   * lost during the commit: the database may still apply it. The watermark stays below the IDs of
   * this scope for the grace of the readers, and at least 10 s. A second call, or a call after
   * {@link #close}, has no effect.
   */
  public void closeInDoubt() {
    if (isInDoubt()) {
      return; // the doubt lasts from the first call on
    }
    doubtedNanos = source.nanoTime();
    state.updateAndGet(old -> old == State.OPEN || old == State.COMMITTING ? State.IN_DOUBT : old);
    scopes.changed();
  }

  private void requireNotEnded() {
    State now = state.get();
    if (now == State.EXPIRED) {
      throw refusal();
    }
    if (now == State.CLOSED || now == State.IN_DOUBT) {
      throw new IllegalStateException("The scope is closed; draw IDs inside of it");
    }
  }

  private ScopeExpiredException refusal() {
    refused = true;
    return new ScopeExpiredException(
        "The scope expired: "
            + reason
            + "; roll its transaction back, because readers of the watermark may be past its IDs");
  }

  // For OpenScopes.

  /** Returns the tick of the word when this scope was opened: its IDs are of it or later ones. */
  long firstTick() {
    return firstTick;
  }

  /**
   * Lets this scope expire if it is open for too long and is not being committed.
   *
   * @return whether it has expired
   */
  boolean expireIfOverdue(long nowNanos) {
    if (isOver(nowNanos)) {
      expireUnlessCommitting(overdue());
    }
    return state.get() == State.EXPIRED;
  }

  boolean isInDoubt() {
    return state.get() == State.IN_DOUBT;
  }

  /** Returns whether a commit in doubt is applied by now, or never will be. */
  boolean isDoubtOver(long nowNanos) {
    return isInDoubt() && nowNanos - doubtedNanos >= source.commitGraceNanos();
  }

  void expireUnlessCommitting(String why) {
    if (state.get() == State.OPEN) {
      reason = why;
      state.compareAndSet(State.OPEN, State.EXPIRED);
    }
  }

  /**
   * Lets this scope expire, also while it is being committed, unless it has ended.
   *
   * @return whether it has expired
   */
  boolean expire(String why) {
    if (state.get() != State.EXPIRED) {
      reason = why;
    }
    return state.updateAndGet(
            old -> old == State.CLOSED || old == State.IN_DOUBT ? old : State.EXPIRED)
        == State.EXPIRED;
  }

  private boolean isOver(long nowNanos) {
    return nowNanos - beganNanos >= limit.toNanos();
  }

  private String overdue() {
    return "it was open for longer than its limit of " + limit.toMillis() + " ms";
  }

  @Override
  public String toString() {
    return "scope of " + source + ", " + state.get();
  }
}
