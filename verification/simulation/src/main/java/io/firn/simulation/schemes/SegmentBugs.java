package io.firn.simulation.schemes;

import io.firn.simulation.world.SegmentText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/** Bugs of counters, put between a counter and its store. */
final class SegmentBugs {

  private SegmentBugs() {}

  /** Returns a store in which a write overwrites whatever is there. */
  static RegisterStore writingWithoutVersion(RegisterStore store) {
    return new InterposedStore(store) {
      @Override
      public WriteResult compareAndSet(String name, long expectedVersion, String value) {
        long version = read(name).map(Register::version).orElse(0L);
        return super.compareAndSet(name, version, value);
      }
    };
  }

  /** Returns a store in which a confirmation keeps the token of the write before it. */
  static RegisterStore confirmingUnderTheSameToken(RegisterStore store) {
    return new InterposedStore(store) {
      private final Map<String, String> names = new HashMap<>();
      private String seen = "";

      @Override
      public Optional<Register> read(String name) {
        return super.read(name).map(this::renamed);
      }

      private Register renamed(Register register) {
        String value = register.value();
        seen = value;
        for (Map.Entry<String, String> entry : names.entrySet()) {
          value = value.replace(entry.getKey(), entry.getValue());
        }
        return new Register(register.name(), register.version(), value);
      }

      @Override
      public WriteResult compareAndSet(String name, long expectedVersion, String value) {
        if (isConfirmation(value)) {
          rename(value);
          return super.compareAndSet(name, expectedVersion, seen);
        }
        return super.compareAndSet(name, expectedVersion, value);
      }

      private boolean isConfirmation(String value) {
        return !seen.isEmpty()
            && tokens(value).length == tokens(seen).length
            && SegmentText.parse(value).next() == SegmentText.parse(seen).next();
      }

      private void rename(String value) {
        for (int i = 0; i < tokens(value).length; i++) {
          names.put(tokens(seen)[i], tokens(value)[i]);
        }
      }

      private String[] tokens(String value) {
        return value.replaceFirst(".*recent=", "").split(",", -1);
      }
    };
  }

  /** Returns a store in which each counter seems written under the identity that the store has. */
  static RegisterStore ignoringTheIdentity(RegisterStore store) {
    return new EditedSnapshot(store) {
      @Override
      Register edited(Register register, String identity) {
        return StoreBugs.edited(register, " store=\\S+", " store=" + identity);
      }
    };
  }
}
