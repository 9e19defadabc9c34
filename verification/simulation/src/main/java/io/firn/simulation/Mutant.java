package io.firn.simulation;

import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentSource;
import io.firn.simulation.judges.WorkerText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import io.firn.time.TimeSource;
import java.util.Locale;
import java.util.Optional;

/** Bugs that the simulator has to find, put between the parts of the production code. */
public enum Mutant {
  /** The production code as it is. */
  NONE,

  /** The generator goes on past its fence. */
  FENCE_NOT_CHECKED {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public void permit(long worker, long notBeforeMillis, long fenceMillis, long leadMillis) {
          super.permit(worker, notBeforeMillis, Long.MAX_VALUE / 2, leadMillis);
        }
      };
    }
  },

  /** The newest tick is asked for a moment before the word is closed. */
  RELEASED_BEFORE_CLOSED {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public long closeGenerator() {
          long newest = newestMillis();
          process.linger();
          super.closeGenerator();
          return newest;
        }
      };
    }
  },

  /** A renewal overwrites whatever is there. */
  RENEWED_WITHOUT_VERSION {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
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

    @Override
    public Settings settings(Settings drawn) {
      return drawn.with(Fault.COPY);
    }
  },

  /** A window begins now, though the worker's fence is later. */
  NOT_BEFORE_IGNORED {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public Optional<Register> read(String name) {
          return super.read(name).map(Mutant::withOldFence);
        }
      };
    }
  },

  /** A write of one's own that is read is taken for acknowledged. */
  READ_TAKEN_FOR_ACKNOWLEDGED {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
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

    @Override
    public Settings settings(Settings drawn) {
      return drawn.with(Fault.UNKEPT_WRITE);
    }
  },

  /** A record with one's own token is taken for one's own, though a copy has written it. */
  RECOGNIZED_BY_TOKEN {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        private String written = "";

        @Override
        public Optional<Register> read(String name) {
          return super.read(name).map(this::asIfWritten);
        }

        private Register asIfWritten(Register register) {
          boolean mine =
              register.name().contains("/worker/")
                  && !written.isEmpty()
                  && WorkerText.parse(register.value())
                      .token()
                      .equals(WorkerText.parse(written).token());
          return mine ? new Register(register.name(), register.version(), written) : register;
        }

        @Override
        public WriteResult compareAndSet(String name, long expectedVersion, String value) {
          written = name.contains("/worker/") ? value : written;
          return super.compareAndSet(name, expectedVersion, value);
        }
      };
    }

    @Override
    public Settings settings(Settings drawn) {
      return drawn.with(Fault.COPY);
    }
  },

  // Of segments.

  /** A counter overwrites whatever is there. */
  COUNTED_WITHOUT_VERSION(Subject.SEGMENTS) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
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
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
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
    public SegmentSource segments(RegisterStore store, TimeSource time) {
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

  /** Returns the run in which it can be found, of one that was drawn. */
  public Settings settings(Settings drawn) {
    return drawn.with(subject);
  }

  /** Returns which code it is a bug of. */
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

  /** Returns the source of segments in that store. */
  public SegmentSource segments(RegisterStore store, TimeSource time) {
    return RegisterSegments.builder(store).timeSource(time).build();
  }

  /** Returns what a process uses in the place of that store. */
  public RegisterStore store(RegisterStore store, Incarnation process) {
    return store;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
