package io.firn.testkit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/**
 * The contract of a store with an {@linkplain RegisterStore#snapshot identity}. A subclass of
 * {@link RegisterStoreContract} implements it in addition.
 */
public interface StoreIdentityContract {

  /** The longest that a store takes to answer again after a restart. */
  Duration MAX_RESTART = Duration.ofSeconds(60);

  /** Returns the client that the test calls. {@link RegisterStoreContract} implements it. */
  RegisterStore store();

  /** Returns a name that no other test uses. {@link RegisterStoreContract} implements it. */
  String name(String rest);

  /** Restarts the store with the data that it has. */
  void restartStore();

  /** Checks that a snapshot has the registers that were asked for and were written. */
  @Test
  default void snapshotHasTheRegistersTheIdentityAndTheClock() {
    long version = store().compareAndSet(name("a"), 0, "one two").version();
    store().compareAndSet(name("b"), 0, "other");

    long before = store().currentTimeMillis().orElseThrow();
    Snapshot snapshot = store().snapshot(List.of(name("a"), name("c"))).orElseThrow();
    long after = store().currentTimeMillis().orElseThrow();

    Register written = new Register(name("a"), version, "one two");
    assertEquals(List.of(written), snapshot.registers());
    assertEquals(Optional.of(written), snapshot.register(name("a")));
    assertEquals(Optional.empty(), snapshot.register(name("c")));
    assertTrue(before <= snapshot.timeMillis() && snapshot.timeMillis() <= after);
    assertFalse(snapshot.identity().isEmpty());
    assertFalse(snapshot.identity().contains(" "), snapshot.identity());
    Snapshot all = store().snapshot(List.of(name("a"), name("b"))).orElseThrow();
    assertEquals(Set.of("one two", "other"), values(all));
    assertEquals(snapshot.identity(), store().snapshot(List.of()).orElseThrow().identity());
  }

  private static Set<String> values(Snapshot snapshot) {
    return Set.copyOf(snapshot.registers().stream().map(Register::value).toList());
  }

  /** Checks that the identity stays the same while the store runs. */
  @Test
  default void identityStaysTheSameAsLongAsTheStoreRuns() {
    String first = identity();
    for (int i = 0; i < 15; i++) {
      StoreFixture.park(Duration.ofMillis(100));
      assertEquals(first, identity());
    }
  }

  /** Checks that each condition of a bound write is judged. */
  @Test
  default void boundWriteIsAppliedOnlyIfEachConditionHolds() {
    String mark = name("mark");
    String identity = identity();
    long marked = store().compareAndSet(mark, 0, "mark").version();
    Binding holds = new Binding(identity, mark, marked);

    WriteResult created = store().compareAndSet(name("a"), 0, "one", holds);
    assertEquals(WriteResult.Outcome.APPLIED, created.outcome());
    long version = store().compareAndSet(name("a"), created.version(), "two", holds).version();
    assertEquals(Optional.of(new Register(name("a"), version, "two")), store().read(name("a")));

    for (Binding broken :
        List.of(
            new Binding(identity + "x", mark, marked),
            new Binding(identity, mark, marked + 1),
            new Binding(identity, mark, 0),
            new Binding(identity, name("none"), marked))) {
      for (String register : List.of("a", "b")) {
        long expected = register.equals("a") ? version : 0;
        assertEquals(
            WriteResult.CONFLICT,
            store().compareAndSet(name(register), expected, "no", broken),
            broken::toString);
      }
    }
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(name("a"), 0, "no", holds));
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(name("b"), 1, "no", holds));
    assertEquals(version, store().read(name("a")).orElseThrow().version());
    assertEquals(Optional.empty(), store().read(name("b")));
  }

  /** Checks a binding to the register that is written, also if that does not exist yet. */
  @Test
  default void writeMayBeBoundToItsOwnRegister() {
    String mark = name("mark");
    Binding absent = new Binding(identity(), mark, 0);
    WriteResult first = store().compareAndSet(mark, 0, "one", absent);
    assertEquals(WriteResult.Outcome.APPLIED, first.outcome());
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(mark, 0, "two", absent));
    Binding own = new Binding(identity(), mark, first.version());
    WriteResult second = store().compareAndSet(mark, first.version(), "two", own);
    assertEquals(WriteResult.Outcome.APPLIED, second.outcome());
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(mark, first.version(), "no", own));
    assertEquals("two", store().read(mark).orElseThrow().value());
    assertEquals(
        WriteResult.CONFLICT,
        store()
            .compareAndSet(
                mark, second.version(), "no", new Binding("other", mark, second.version())));
  }

  /** Checks that names and values of bound calls have the same limits. */
  @Test
  default void boundCallsRefuseWhatOthersRefuse() {
    Binding binding = new Binding(identity(), name("mark"), 0);
    assertThrows(IllegalArgumentException.class, () -> store().compareAndSet("", 0, "x", binding));
    assertThrows(
        IllegalArgumentException.class,
        () ->
            store()
                .compareAndSet(
                    name("a"), 0, "x".repeat(RegisterStore.MAX_VALUE_LENGTH + 1), binding));
    assertThrows(IllegalArgumentException.class, () -> store().snapshot(List.of("")));
  }

  /**
   * Checks that a restart changes the identity, and refuses writes that are bound to the old one.
   */
  @Test
  default void restartChangesTheIdentityAndRefusesWritesBoundToTheOldOne() {
    String mark = name("mark");
    String before = identity();
    long marked = store().compareAndSet(mark, 0, "mark").version();
    Binding old = new Binding(before, mark, marked);
    assertEquals(
        WriteResult.Outcome.APPLIED, store().compareAndSet(name("a"), 0, "x", old).outcome());

    restartStore();

    String after = identityAfterRestart();
    assertNotEquals(before, after);
    assertEquals(WriteResult.CONFLICT, store().compareAndSet(name("b"), 0, "x", old));
    assertEquals(after, identity());
  }

  private String identity() {
    return store().snapshot(List.of()).orElseThrow().identity();
  }

  private String identityAfterRestart() {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (true) {
      try {
        return identity();
      } catch (StoreException e) {
        if (time.nanoTime() - begin > MAX_RESTART.toNanos()) {
          throw e;
        }
        StoreFixture.park(Duration.ofMillis(100));
      }
    }
  }
}
