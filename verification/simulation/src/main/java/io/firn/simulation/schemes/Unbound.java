package io.firn.simulation.schemes;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import java.util.List;
import java.util.function.LongPredicate;

/** Binds some writes of workers to whatever mark stands. */
final class Unbound extends InterposedStore {
  private final LongPredicate versions;

  Unbound(RegisterStore store, LongPredicate versions) {
    super(store);
    this.versions = versions;
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    boolean unbound = name.contains("/worker/") && versions.test(expectedVersion);
    return super.compareAndSet(
        name, expectedVersion, value, unbound ? bindingTo(binding.register()) : binding);
  }

  private Binding bindingTo(String mark) {
    Snapshot now = snapshot(List.of(mark)).orElseThrow();
    return new Binding(now.identity(), mark, now.register(mark).map(Register::version).orElse(0L));
  }
}
