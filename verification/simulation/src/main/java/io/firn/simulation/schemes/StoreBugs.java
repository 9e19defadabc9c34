package io.firn.simulation.schemes;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;

/** Bugs that leases, counters, blocks and reservations have in common. */
final class StoreBugs {

  private StoreBugs() {}

  /** Returns a store in which a read is taken for an acknowledgment of the reader's write. */
  static RegisterStore acknowledgingWhatIsRead(RegisterStore store) {
    return new InterposedStore(store) {
      @Override
      public WriteResult compareAndSet(String name, long expectedVersion, String value) {
        WriteResult result = super.compareAndSet(name, expectedVersion, value);
        return result.outcome() == WriteResult.Outcome.UNKNOWN
            ? read(name)
                .filter(register -> register.value().equals(value))
                .map(register -> WriteResult.applied(register.version()))
                .orElse(result)
            : result;
      }
    };
  }

  /** Returns a store in which a write of unknown outcome is taken for applied. */
  static RegisterStore acknowledgingTheUnknown(RegisterStore store, Predicate<String> names) {
    return new InterposedStore(store) {
      @Override
      public WriteResult compareAndSet(String name, long expectedVersion, String value) {
        WriteResult result = super.compareAndSet(name, expectedVersion, value);
        return names.test(name) && result.outcome() == WriteResult.Outcome.UNKNOWN
            ? WriteResult.applied(expectedVersion + 1)
            : result;
      }
    };
  }

  /** Returns a store that shows registers otherwise than they are. */
  static RegisterStore reading(RegisterStore store, UnaryOperator<Register> edit) {
    return new InterposedStore(store) {
      @Override
      public Optional<Register> read(String name) {
        return super.read(name).map(edit);
      }
    };
  }

  /** Returns a store that shows the registers of a list of names otherwise than they are. */
  static RegisterStore readingAll(RegisterStore store, UnaryOperator<Register> edit) {
    return new InterposedStore(store) {
      @Override
      public List<Register> readAll(List<String> names) {
        return super.readAll(names).stream().map(edit).toList();
      }
    };
  }

  /** Returns a store that also shows the registers of a scan otherwise than they are. */
  static RegisterStore readingAndScanning(RegisterStore store, UnaryOperator<Register> edit) {
    return new InterposedStore(store) {
      @Override
      public Optional<Register> read(String name) {
        return super.read(name).map(edit);
      }

      @Override
      public List<Register> scan(String prefix) {
        return super.scan(prefix).stream().map(edit).toList();
      }
    };
  }

  /** Returns a worker's register with a fence that has passed. */
  static Register withOldFence(Register register) {
    return register.name().contains("/worker/")
        ? edited(register, "fence=\\S+", "fence=2026-01-01T00:00:00Z")
        : register;
  }

  /** Returns a register with its first match of a pattern replaced. */
  static Register edited(Register register, String pattern, String replacement) {
    return new Register(
        register.name(), register.version(), register.value().replaceFirst(pattern, replacement));
  }
}
