package io.firn.simulation;

import io.firn.lease.Leaseholder;
import io.firn.lease.Register;
import io.firn.lease.RegisterSegments;
import io.firn.lease.RegisterStore;
import io.firn.lease.Window;
import io.firn.lease.WriteResult;
import io.firn.segment.SegmentSource;
import io.firn.time.TimeSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;

/** Bugs that the simulator has to find, put between the parts of the production code. */
enum Mutant {
  /** The production code as it is. */
  NONE,

  /** The generator goes on past its fence. */
  FENCE_NOT_CHECKED {
    @Override
    Leaseholder leaseholder(Leaseholder holder, Incarnation process) {
      return new Between(holder) {
        @Override
        public void permit(Window window) {
          super.permit(
              new Window(
                  window.worker(),
                  window.notBeforeMillis(),
                  Long.MAX_VALUE / 2,
                  window.leadMillis()));
        }
      };
    }
  },

  /** The newest tick is asked for a moment before the word is closed. */
  RELEASED_BEFORE_CLOSED {
    @Override
    Leaseholder leaseholder(Leaseholder holder, Incarnation process) {
      return new Between(holder) {
        @Override
        public long close() {
          long newest = newestMillis();
          process.linger();
          super.close();
          return newest;
        }
      };
    }
  },

  /** A renewal overwrites whatever is there. */
  RENEWED_WITHOUT_VERSION {
    @Override
    RegisterStore store(RegisterStore store) {
      return new Through(store) {
        @Override
        public WriteResult compareAndSet(String name, long expectedVersion, String value) {
          return super.compareAndSet(
              name,
              expectedVersion == 0 || !isRenewal(name, value)
                  ? expectedVersion
                  : read(name).map(Register::version).orElse(0L),
              value);
        }

        private String mine = "";

        private boolean isRenewal(String name, String value) {
          if (!name.contains("/worker/") || !WorkerText.parse(value).held()) {
            return false;
          }
          String token = WorkerText.parse(value).token();
          boolean renewal = token.equals(mine);
          mine = token;
          return renewal;
        }
      };
    }
  },

  /** A window begins now, though the worker's fence is later. */
  NOT_BEFORE_IGNORED {
    @Override
    RegisterStore store(RegisterStore store) {
      return new Through(store) {
        @Override
        public Optional<Register> read(String name) {
          return super.read(name).map(Mutant::withOldFence);
        }
      };
    }
  },

  // Of segments.

  /** A counter overwrites whatever is there. */
  COUNTED_WITHOUT_VERSION(Subject.SEGMENTS) {
    @Override
    RegisterStore store(RegisterStore store) {
      return new Through(store) {
        @Override
        public WriteResult compareAndSet(String name, long expectedVersion, String value) {
          long version = read(name).map(Register::version).orElse(0L);
          return super.compareAndSet(name, version, value);
        }
      };
    }
  },

  /** A write of unknown outcome is taken for applied. */
  UNKNOWN_TAKEN_FOR_APPLIED(Subject.SEGMENTS) {
    @Override
    RegisterStore store(RegisterStore store) {
      return new Through(store) {
        @Override
        public WriteResult compareAndSet(String name, long expectedVersion, String value) {
          WriteResult result = super.compareAndSet(name, expectedVersion, value);
          return result.outcome() == WriteResult.Outcome.UNKNOWN
              ? WriteResult.applied(expectedVersion + 1)
              : result;
        }
      };
    }
  },

  /** A process remembers nothing of what it was given. */
  COUNTED_WITHOUT_MEMORY(Subject.SEGMENTS) {
    @Override
    SegmentSource segments(RegisterStore store, TimeSource time) {
      return (key, count) -> super.segments(store, time).next(key, count);
    }
  };

  private final Subject subject;

  Mutant() {
    this(Subject.LEASES);
  }

  Mutant(Subject subject) {
    this.subject = subject;
  }

  /** Which code it is a bug of. */
  Subject subject() {
    return subject;
  }

  private static Register withOldFence(Register register) {
    return register.name().contains("/worker/")
        ? new Register(
            register.name(),
            register.version(),
            register.value().replaceFirst("fence=\\S+", "fence=2026-01-01T00:00:00Z"))
        : register;
  }

  SegmentSource segments(RegisterStore store, TimeSource time) {
    return RegisterSegments.builder(store).timeSource(time).build();
  }

  RegisterStore store(RegisterStore store) {
    return store;
  }

  Leaseholder leaseholder(Leaseholder holder, Incarnation process) {
    return holder;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }

  private static class Between implements Leaseholder {

    private final Leaseholder holder;

    Between(Leaseholder holder) {
      this.holder = holder;
    }

    @Override
    public long newestMillis() {
      return holder.newestMillis();
    }

    @Override
    public void permit(Window window) {
      holder.permit(window);
    }

    @Override
    public long close() {
      return holder.close();
    }
  }

  private static class Through implements RegisterStore {

    private final RegisterStore store;

    Through(RegisterStore store) {
      this.store = store;
    }

    @Override
    public Optional<Register> read(String name) {
      return store.read(name);
    }

    @Override
    public List<Register> scan(String prefix) {
      return store.scan(prefix);
    }

    @Override
    public WriteResult compareAndSet(String name, long expectedVersion, String value) {
      return store.compareAndSet(name, expectedVersion, value);
    }

    @Override
    public OptionalLong currentTimeMillis() {
      return store.currentTimeMillis();
    }

    @Override
    public boolean mayForget() {
      return store.mayForget();
    }

    @Override
    public void close() {
      store.close();
    }

    @Override
    public String toString() {
      return store.toString();
    }
  }
}
