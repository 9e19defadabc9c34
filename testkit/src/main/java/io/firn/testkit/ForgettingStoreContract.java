package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.segment.RegisterSegments;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store that {@linkplain RegisterStore#mayForget() may forget}. A subclass of
 * {@link RegisterStoreContract} implements it in addition.
 */
public interface ForgettingStoreContract {

  /** Returns the client that the test calls. {@link RegisterStoreContract} implements it. */
  RegisterStore store();

  /** Returns a name that no other test uses. {@link RegisterStoreContract} implements it. */
  String name(String rest);

  /** Deletes every register without using a client of the store. */
  void forgetAll() throws Exception;

  /** Checks that a register that was lost never gets one of its old versions again. */
  @Test
  default void forgottenRegisterNeverComesBackToAVersionThatItHad() throws Exception {
    String name = name("a");
    long version = 0;
    for (int i = 0; i < 10; i++) {
      version = store().compareAndSet(name, version, "before " + i).version();
    }
    assertEquals(version, store().read(name).orElseThrow().version());

    forgetAll();

    assertEquals(Optional.empty(), store().read(name));
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(name, version, "x"));
    WriteResult after = store().compareAndSet(name, 0, "after");
    assertEquals(WriteResult.Outcome.APPLIED, after.outcome());
    assertTrue(after.version() > version, () -> after + " uses a version again, after " + name);
  }

  /** Checks that counters, whose numbers may be lost, are refused unless the owner allows them. */
  @Test
  default void countersAreRefused() {
    RegisterSegments counters = RegisterSegments.of(store());
    IllegalArgumentException refused =
        assertThrows(IllegalArgumentException.class, () -> counters.next("refused", 1));
    assertTrue(("" + refused.getMessage()).startsWith("store: " + store()), refused::toString);
  }
}
