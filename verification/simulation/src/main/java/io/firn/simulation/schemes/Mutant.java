package io.firn.simulation.schemes;

import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentSource;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.SegmentText;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.simulation.world.WorkerText;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import io.firn.testkit.InterposedStore;
import io.firn.time.TimeSource;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Bugs that the simulator has to find, put between the parts of the production code. */
public enum Mutant {
  /** The production code as it is. */
  NONE,

  /** The generator continues past its fence. */
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

  /** A write of its own that a process reads back counts as acknowledged. */
  READ_TAKEN_FOR_ACKNOWLEDGED {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return acknowledgingWhatIsRead(store);
    }

    @Override
    public Settings settings(Settings drawn) {
      return drawn.with(Fault.UNKEPT_WRITE);
    }
  },

  /** A process takes a record with its token for its own, though a copy has written it. */
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

  // Of a store that loses what it acknowledged, and has an identity.

  /** The settling time leaves out the window. */
  SETTLES_WITHOUT_WINDOW {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new EarlierMark(store, process.cluster().settings().terms().windowMillis());
    }
  },

  /** The settling time leaves out how far clocks may be apart. */
  SETTLES_WITHOUT_SKEW(Fault.CLOCK_ERROR) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new EarlierMark(store, process.cluster().settings().terms().skewMillis());
    }
  },

  /** The settling time leaves out the time for which a store that was lost continues. */
  SETTLES_WITHOUT_SPLIT(Fault.SPLIT) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new EarlierMark(store, process.cluster().settings().splitMillis());
    }
  },

  /** The settling time leaves out how far IDs may lead; here they lead by all of that. */
  SETTLES_WITHOUT_LEAD {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      long lead = process.cluster().settings().terms().leadMillis();
      return new EarlierMark(store, lead) {
        @Override
        public long newestMillis() {
          return Math.max(super.newestMillis(), process.time().currentTimeMillis() + lead);
        }
      };
    }
  },

  /** Writes are not bound to the mark. */
  WRITES_UNBOUND {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new Unbound(store, version -> true);
    }
  },

  /** Writes of a register that is absent are not bound to the mark. */
  WRITES_UNBOUND_WHERE_ABSENT {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new Unbound(store, version -> version == 0);
    }
  },

  /** Writes of a register that is there are bound to its version alone. */
  WRITES_UNBOUND_WHERE_PRESENT(Fault.FLUSH) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new Unbound(store, version -> version != 0);
    }
  },

  /** A counter continues under another identity of the store. */
  COUNTED_UNDER_ANY_IDENTITY(Subject.SEGMENTS) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public Optional<Snapshot> snapshot(List<String> names) {
          return super.snapshot(names)
              .map(
                  read ->
                      new Snapshot(
                          read.identity(),
                          read.timeMillis(),
                          read.registers().stream()
                              .map(
                                  register ->
                                      new Register(
                                          register.name(),
                                          register.version(),
                                          register
                                              .value()
                                              .replaceFirst(
                                                  " store=\\S+", " store=" + read.identity())))
                              .toList()));
        }
      };
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

  /** Numbers of a write of its own that a process reads back are used without another write. */
  COUNTED_BY_READING(Subject.SEGMENTS) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return acknowledgingWhatIsRead(store);
    }

    @Override
    public Settings settings(Settings drawn) {
      return super.settings(drawn).with(Fault.UNKEPT_WRITE);
    }
  },

  /** A confirmation keeps the token, so that each copy confirms the same numbers. */
  CONFIRMED_UNDER_THE_SAME_TOKEN(Subject.SEGMENTS) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
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

    @Override
    public Settings settings(Settings drawn) {
      return super.settings(drawn).with(Fault.COPY).with(Fault.LOST_REPLY);
    }
  },

  /** A process remembers nothing of what it was given. */
  COUNTED_WITHOUT_MEMORY(Subject.SEGMENTS) {
    @Override
    public SegmentSource segments(RegisterStore store, TimeSource time) {
      return (key, count) -> super.segments(store, time).next(key, count);
    }
  },

  /** A holder says that it has no ID before now, whatever scopes are open. */
  LOW_MARK_OF_NOW(Subject.WATERMARK) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public long lowMillis(long nowMillis) {
          return nowMillis;
        }
      };
    }
  },

  /** A generator that acquires a worker ID does not see the floor. */
  FLOOR_NOT_READ(Subject.WATERMARK) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public Optional<Register> read(String name) {
          return name.endsWith("/watermark") ? Optional.empty() : super.read(name);
        }

        @Override
        public Optional<Snapshot> snapshot(List<String> names) {
          return super.snapshot(
              names.stream().filter(name -> !name.endsWith("/watermark")).toList());
        }
      };
    }

    @Override
    public Settings settings(Settings drawn) {
      return super.settings(drawn).with(Fault.CRASH);
    }
  },

  /** A writer commits without asking whether its scope was given up. */
  COMMITS_UNCHECKED(Subject.WATERMARK) {
    @Override
    boolean checksCommits() {
      return false;
    }
  },

  /** A reader declares a holder dead at its fence, while commits are under way. */
  DECLARED_DEAD_AT_THE_FENCE(Subject.WATERMARK) {
    @Override
    boolean waitsForCommits() {
      return false;
    }

    @Override
    public Settings settings(Settings drawn) {
      return super.settings(drawn).with(Fault.PARTITION);
    }
  },

  // Of blocks.

  /** A job is not held to the shape that it had. */
  SHAPE_UNCHECKED(Subject.BLOCKS) {
    @Override
    String shape(String shape) {
      return "any";
    }
  },

  /** A block is used though the outcome of its write is unknown. */
  BLOCK_OF_UNKNOWN_OUTCOME(Subject.BLOCKS) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return new InterposedStore(store) {
        @Override
        public WriteResult compareAndSet(String name, long expectedVersion, String value) {
          WriteResult result = super.compareAndSet(name, expectedVersion, value);
          return name.contains("/worker/") && result.outcome() == WriteResult.Outcome.UNKNOWN
              ? WriteResult.applied(expectedVersion + 1)
              : result;
        }
      };
    }

    @Override
    public Settings settings(Settings drawn) {
      return super.settings(drawn)
          .with(Fault.LOST_REQUEST)
          .with(Fault.LATE_WRITE)
          .with(Fault.OUTAGE);
    }
  },

  /** A block begins where it was asked for, though the worker's fence is later. */
  BLOCK_BELOW_THE_FENCE(Subject.BLOCKS) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return new InterposedStore(store) {
        @Override
        public List<Register> readAll(List<String> names) {
          return super.readAll(names).stream().map(Mutant::withOldFence).toList();
        }
      };
    }
  },

  /** The block of a name is used once it is read, without a write. */
  NAME_TRUSTED_BY_READING(Subject.BLOCKS) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return acknowledgingWhatIsRead(store);
    }

    @Override
    public Settings settings(Settings drawn) {
      return super.settings(drawn).with(Fault.UNKEPT_WRITE);
    }
  },

  /** A job that was forgotten goes on with the pages that it had. */
  FORGOTTEN_PAGES_KEPT(Subject.BLOCKS) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return new InterposedStore(store) {
        private String job = "";

        @Override
        public Optional<Register> read(String name) {
          Optional<Register> seen = super.read(name);
          if (name.endsWith("/job")) {
            job = seen.map(Register::value).orElse("");
            return seen;
          }
          return name.contains("/block/") ? seen.map(this::asOfTheJob) : seen;
        }

        private Register asOfTheJob(Register pages) {
          String value = pages.value();
          for (String field : List.of("generation", "shape")) {
            Matcher own = Pattern.compile(" " + field + "=\\S+").matcher(job);
            value = own.find() ? value.replaceFirst(" " + field + "=\\S+", own.group()) : value;
          }
          return new Register(pages.name(), pages.version(), value);
        }
      };
    }
  },

  /** A region takes every datacenter for its home. */
  HOMES_UNCHECKED(Subject.REGIONS) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public Optional<Register> read(String name) {
          return super.read(name)
              .map(
                  register ->
                      new Register(
                          name,
                          register.version(),
                          register.value().replaceFirst("datacenters=\\S+", "datacenters=0-1")));
        }
      };
    }
  },

  /** A lease takes a reserved worker for one that was given back. */
  RESERVED_TAKEN_FOR_RELEASED(Subject.RESERVATIONS) {
    @Override
    public RegisterStore store(RegisterStore store, Incarnation process) {
      return new InterposedStore(store) {
        @Override
        public Optional<Register> read(String name) {
          return super.read(name).map(Mutant::withoutReservation);
        }

        @Override
        public List<Register> readAll(List<String> names) {
          return super.readAll(names).stream().map(Mutant::withoutReservation).toList();
        }

        @Override
        public List<Register> scan(String prefix) {
          return super.scan(prefix).stream().map(Mutant::withoutReservation).toList();
        }
      };
    }
  },

  /** A worker is reserved from now on, though its fence is later. */
  RESERVED_BELOW_THE_FENCE(Subject.RESERVATIONS) {
    @Override
    RegisterStore reservations(RegisterStore store) {
      return new InterposedStore(store) {
        @Override
        public Optional<Register> read(String name) {
          return super.read(name).map(Mutant::withOldFence);
        }
      };
    }
  };

  /** The names of those of a store that loses what it acknowledged, and has an identity. */
  public static final String OF_LOSSES = "SETTLES_.*|WRITES_UNBOUND.*|COUNTED_UNDER_ANY_IDENTITY";

  private final Subject subject;
  private final @Nullable Fault fault;

  Mutant() {
    this(Subject.LEASES);
  }

  Mutant(Subject subject) {
    this.subject = subject;
    fault = null;
  }

  Mutant(Fault fault) {
    subject = Subject.LEASES;
    this.fault = fault;
  }

  /** Returns the run in which it can be found, of one that was drawn, where the store is lost. */
  public Settings settingsOfLosses(Settings drawn) {
    Settings losses = drawn.withLosses().with(subject);
    return fault == null ? losses : losses.with(fault);
  }

  /** Returns the run in which it can be found, of one that was drawn. */
  public Settings settings(Settings drawn) {
    return drawn.with(subject);
  }

  /** Returns which code it is a bug of. */
  public Subject subject() {
    return subject;
  }

  /** A store in which a read is taken for an acknowledgement of the reader's write. */
  private static RegisterStore acknowledgingWhatIsRead(RegisterStore store) {
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

  private static Register withoutReservation(Register register) {
    return new Register(
        register.name(),
        register.version(),
        register
            .value()
            .replaceFirst(
                "state=reserved by=(\\S+)( since=\\S+)( until=\\S+)?",
                "state=released fence=2026-01-01T00:00:00Z$2 windowMillis=1000 holder=$1 pid=0"));
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

  /** Returns what blocks are reserved in, in the place of that store. */
  RegisterStore blocks(RegisterStore store) {
    return store;
  }

  /** Returns what workers are reserved in, in the place of that store. */
  RegisterStore reservations(RegisterStore store) {
    return store;
  }

  /** Returns the shape that a job says it has. */
  String shape(String shape) {
    return shape;
  }

  /** Returns whether a writer checks its scope before it commits. */
  boolean checksCommits() {
    return true;
  }

  /** Returns whether a reader of the watermark waits for commits of a holder that is gone. */
  boolean waitsForCommits() {
    return true;
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', ' ');
  }
}
