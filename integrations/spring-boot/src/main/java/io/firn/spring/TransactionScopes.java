package io.firn.spring;

import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * A scope for each transaction that draws IDs: opened before its first ID, checked before its
 * commit, and closed after its end. A scope that was given up has the transaction rolled back.
 */
final class TransactionScopes {

  private TransactionScopes() {}

  /**
   * Returns the scope of the current transaction.
   *
   * @throws IllegalStateException if there is no transaction
   */
  static IdScope current(String namespace, Snowflake generator) {
    Object bound = TransactionSynchronizationManager.getResource(generator);
    if (bound instanceof IdScope scope) {
      return scope;
    }
    if (!TransactionSynchronizationManager.isActualTransactionActive()
        || !TransactionSynchronizationManager.isSynchronizationActive()) {
      throw new IllegalStateException(
          "transaction: none (expected: an active one, for an ID of namespace "
              + namespace
              + " with transaction-scopes: readers of its watermark would miss the row)");
    }
    IdScope scope = generator.scope();
    TransactionSynchronizationManager.bindResource(generator, scope);
    TransactionSynchronizationManager.registerSynchronization(new Ending(generator, scope));
    return scope;
  }

  /** Ends the scope of one transaction with it. */
  private record Ending(Snowflake generator, IdScope scope) implements TransactionSynchronization {

    @Override
    public void suspend() {
      TransactionSynchronizationManager.unbindResource(generator);
    }

    @Override
    public void resume() {
      TransactionSynchronizationManager.bindResource(generator, scope);
    }

    /** Refuses the commit if the scope was abandoned; its exception rolls back the transaction. */
    @Override
    public void beforeCommit(boolean readOnly) {
      scope.beforeCommit();
    }

    @Override
    public void afterCompletion(int status) {
      TransactionSynchronizationManager.unbindResourceIfPossible(generator);
      try {
        scope.close();
      } catch (ScopeExpiredException e) {
        if (status != STATUS_ROLLED_BACK) {
          throw e; // Spring logs it
        }
      }
    }
  }
}
