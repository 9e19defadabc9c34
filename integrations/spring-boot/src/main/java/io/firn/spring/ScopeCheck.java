package io.firn.spring;

import io.firn.IdScope;
import io.firn.Snowflake;

/** Checks scopes right before the transactions of their rows are committed. */
@FunctionalInterface
interface ScopeCheck {

  /**
   * Returns if the transaction may be committed.
   *
   * @throws RuntimeException if it must be rolled back
   */
  void beforeCommit(IdScope scope);

  /**
   * Prepares for the scopes of a generator.
   *
   * @throws RuntimeException if they cannot be checked
   */
  default void prepare(Snowflake generator) {}
}
