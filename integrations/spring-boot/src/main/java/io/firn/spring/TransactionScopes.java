package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionExecutionListener;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * The scopes of one transaction, one for each generator that it draws from: opened before the first
 * ID, checked before the commit, and closed after the end. A scope that was given up has the
 * transaction rolled back. Used by the thread of the transaction alone.
 *
 * <h2>IDs that are drawn while the transaction commits</h2>
 *
 * Some IDs are drawn after the synchronizations of Spring were called: by a listener that one of
 * them calls, or by Hibernate, which looks for new entities when it commits. Such a draw is checked
 * itself. That a scope which is opened so late needs it is known from the {@link Listener} of the
 * transaction manager.
 */
final class TransactionScopes implements TransactionSynchronization {

  private static final Object KEY = TransactionScopes.class;

  /** Bound to the transaction that has ended, while Spring calls what comes after its end. */
  private static final Object ENDED = Ended.class;

  private record Ended(TransactionExecution transaction, @Nullable Object outer) {}

  private enum Phase {
    RUNNING,
    CHECKED,
    COMMITTING,
    COMMITTED
  }

  private final Map<Snowflake, Draws> draws = new LinkedHashMap<>();
  private Phase phase = Phase.RUNNING;

  /** The transaction whose end the {@link Listener} is notified of. */
  private @Nullable TransactionExecution ending;

  private TransactionScopes() {}

  /**
   * Returns what draws in the scope of the current transaction.
   *
   * @throws IllegalStateException if there is no transaction, or it is committed
   */
  static IdGenerator current(String namespace, Snowflake generator, ScopeCheck check) {
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.isSynchronizationActive()) {
      throw refusal("outside of a transaction", namespace);
    }
    boolean begun = TransactionSynchronizationManager.hasResource(KEY);
    if (!begun && TransactionSynchronizationManager.hasResource(ENDED)) {
      throw refusal("in a transaction that has ended", namespace); // this one participates in it
    }
    TransactionScopes current = current();
    if (current.phase == Phase.COMMITTED) {
      throw refusal("in a transaction that is committed", namespace);
    }
    return current.draws.computeIfAbsent(
        generator, source -> current.new Draws(source.scope(), check));
  }

  private static IllegalStateException refusal(String place, String namespace) {
    return new IllegalStateException(
        "An ID of namespace "
            + namespace
            + ", which has transaction-scopes, was requested "
            + place
            + "; request it in an active one, because readers of the watermark would miss the row");
  }

  private static TransactionScopes current() {
    if (TransactionSynchronizationManager.getResource(KEY) instanceof TransactionScopes bound) {
      return bound;
    }
    TransactionScopes begun = new TransactionScopes();
    begun.resume();
    TransactionSynchronizationManager.registerSynchronization(begun);
    return begun;
  }

  /** Returns the first place, so that no other synchronization draws after the commit. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }

  @Override
  public void suspend() {
    TransactionSynchronizationManager.unbindResource(KEY);
  }

  @Override
  public void resume() {
    TransactionSynchronizationManager.bindResource(KEY, this);
  }

  /** Lets scopes be checked again: the rollback may have freed the guard's lock in the database. */
  @Override
  public void savepointRollback(Object savepoint) {
    draws.values().forEach(each -> each.checked = false);
  }

  /** Refuses the commit if a scope expired; its exception rolls back the transaction. */
  @Override
  public void beforeCommit(boolean readOnly) {
    check(Phase.CHECKED);
  }

  private void check(Phase next) {
    draws.values().forEach(Draws::check);
    phase = next;
  }

  @Override
  public void afterCommit() {
    phase = Phase.COMMITTED;
  }

  @Override
  public void afterCompletion(int status) {
    TransactionSynchronizationManager.unbindResourceIfPossible(KEY);
    if (ending != null) {
      Object outer = TransactionSynchronizationManager.unbindResourceIfPossible(ENDED);
      TransactionSynchronizationManager.bindResource(ENDED, new Ended(ending, outer));
    }
    ScopeExpiredException failure = null;
    for (Draws each : draws.values()) {
      try {
        if (isInDoubt(status)) {
          each.scope.closeInDoubt();
        }
        each.scope.close();
      } catch (ScopeExpiredException e) {
        failure = e;
      }
    }
    if (failure != null && status != STATUS_ROLLED_BACK) {
      throw failure; // Spring logs it
    }
  }

  /**
   * Returns whether the database may still commit. A commit that fails is that, as after a timeout
   * of its connection; Spring may say that such a transaction was rolled back.
   */
  private boolean isInDoubt(int status) {
    return status == STATUS_UNKNOWN || (status == STATUS_ROLLED_BACK && phase == Phase.COMMITTING);
  }

  /** Returns the scopes with their states. */
  @Override
  public String toString() {
    return draws.values().stream().map(each -> each.scope.toString()).toList().toString();
  }

  /** Draws from the scope of one generator. */
  private final class Draws implements IdGenerator {
    private final IdScope scope;
    private final ScopeCheck check;
    private boolean checked;

    Draws(IdScope scope, ScopeCheck check) {
      this.scope = scope;
      this.check = check;
    }

    @Override
    public long nextId() {
      long id = scope.nextId();
      checkIfLate();
      return id;
    }

    @Override
    public void nextIds(long[] target, int from, int to) {
      scope.nextIds(target, from, to);
      checkIfLate();
    }

    private void checkIfLate() {
      if (phase != Phase.RUNNING) {
        check();
      }
    }

    /**
     * Checks the scope; in the database only once, which lasts until the transaction ends or rolls
     * back to a savepoint.
     */
    void check() {
      if (checked) {
        scope.beforeCommit();
      } else {
        check.beforeCommit(scope);
        checked = true;
      }
    }
  }

  /**
   * Checks the scopes of a transaction at the last moment before its commit. Distinguishes a
   * transaction that begins after the end of another one from one that participates in that: its
   * rows would be committed when the connection is given back.
   */
  static final class Listener implements TransactionExecutionListener {

    @Override
    public void afterBegin(TransactionExecution transaction, @Nullable Throwable beginFailure) {
      if (beginFailure == null
          && TransactionSynchronizationManager.isSynchronizationActive()
          && TransactionSynchronizationManager.hasResource(ENDED)) {
        TransactionScopes unused = current();
      }
    }

    @Override
    public void beforeCommit(TransactionExecution transaction) {
      if (!transaction.isNested() && TransactionSynchronizationManager.isSynchronizationActive()) {
        TransactionScopes current = current();
        current.ending = transaction;
        current.check(Phase.COMMITTING);
      }
    }

    @Override
    public void beforeRollback(TransactionExecution transaction) {
      if (!transaction.isNested() && TransactionSynchronizationManager.isSynchronizationActive()) {
        current().ending = transaction;
      }
    }

    @Override
    public void afterCommit(TransactionExecution transaction, @Nullable Throwable failure) {
      forget(transaction);
    }

    @Override
    public void afterRollback(TransactionExecution transaction, @Nullable Throwable failure) {
      forget(transaction);
    }

    private static void forget(TransactionExecution transaction) {
      if (TransactionSynchronizationManager.getResource(ENDED) instanceof Ended ended
          && ended.transaction().equals(transaction)) {
        TransactionSynchronizationManager.unbindResource(ENDED);
        if (ended.outer() != null) {
          TransactionSynchronizationManager.bindResource(ENDED, ended.outer());
        }
      }
    }
  }
}
