package io.firn.simulation.schemes;

import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentSource;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.util.List;
import java.util.Locale;

/** Bugs that the simulator has to find, put between the parts of the production code. */
@SuppressWarnings("ImmutableEnumChecker") // a bug has no state, and the faults are a copy
public enum Mutant {
  /** The production code as it is. */
  NONE(Subject.LEASES),

  /** The generator continues past its fence. */
  FENCE_NOT_CHECKED((store, process) -> LeaseBugs.permittingAll(store)),

  /** The newest tick is asked for a moment before the word is closed. */
  RELEASED_BEFORE_CLOSED(LeaseBugs::lingeringBeforeClose),

  /** A renewal overwrites whatever is there. */
  RENEWED_WITHOUT_VERSION((store, process) -> LeaseBugs.renewingWithoutVersion(store), Fault.COPY),

  /** A window begins now, though the worker's fence is later. */
  NOT_BEFORE_IGNORED((store, process) -> StoreBugs.reading(store, StoreBugs::withOldFence)),

  /** A write of its own that a process reads back counts as acknowledged. */
  READ_TAKEN_FOR_ACKNOWLEDGED(
      (store, process) -> StoreBugs.acknowledgingWhatIsRead(store), Fault.UNKEPT_WRITE),

  /** A process takes a record with its token for its own, though a copy has written it. */
  RECOGNIZED_BY_TOKEN((store, process) -> LeaseBugs.recognizingByToken(store), Fault.COPY),

  // Of a store that loses what it acknowledged, and has an identity.

  /** The settling time leaves out the window. */
  SETTLES_WITHOUT_WINDOW(
      (store, process) ->
          new EarlierMark(store, process.cluster().settings().terms().windowMillis())),

  /** The settling time leaves out how far clocks may be apart. */
  SETTLES_WITHOUT_SKEW(
      (store, process) -> new EarlierMark(store, process.cluster().settings().terms().skewMillis()),
      Fault.CLOCK_ERROR),

  /** The settling time leaves out the time for which a store that was lost continues. */
  SETTLES_WITHOUT_SPLIT(
      (store, process) -> new EarlierMark(store, process.cluster().settings().splitMillis()),
      Fault.SPLIT),

  /** The settling time leaves out how far IDs may lead; here they lead by all of that. */
  SETTLES_WITHOUT_LEAD(LeaseBugs::leadingByAllThatTheMarkLeavesOut),

  /** Writes are not bound to the mark. */
  WRITES_UNBOUND((store, process) -> new Unbound(store, version -> true)),

  /** Writes of a register that is absent are not bound to the mark. */
  WRITES_UNBOUND_WHERE_ABSENT((store, process) -> new Unbound(store, version -> version == 0)),

  /** Writes of a register that is there are bound to its version alone. */
  WRITES_UNBOUND_WHERE_PRESENT(
      (store, process) -> new Unbound(store, version -> version != 0), Fault.FLUSH),

  /** A counter continues under another identity of the store. */
  COUNTED_UNDER_ANY_IDENTITY(
      Subject.SEGMENTS, (store, process) -> SegmentBugs.ignoringTheIdentity(store)),

  // Of segments.

  /** A counter overwrites whatever is there. */
  COUNTED_WITHOUT_VERSION(
      Subject.SEGMENTS, (store, process) -> SegmentBugs.writingWithoutVersion(store)),

  /** A write of unknown outcome is taken for applied. */
  UNKNOWN_TAKEN_FOR_APPLIED(
      Subject.SEGMENTS, (store, process) -> StoreBugs.acknowledgingTheUnknown(store, name -> true)),

  /** Numbers of a write of its own that a process reads back are used without another write. */
  COUNTED_BY_READING(
      Subject.SEGMENTS,
      (store, process) -> StoreBugs.acknowledgingWhatIsRead(store),
      Fault.UNKEPT_WRITE),

  /** A confirmation keeps the token, so that each copy confirms the same numbers. */
  CONFIRMED_UNDER_THE_SAME_TOKEN(
      Subject.SEGMENTS,
      (store, process) -> SegmentBugs.confirmingUnderTheSameToken(store),
      Fault.COPY,
      Fault.LOST_REPLY),

  /** A process remembers nothing of what it was given. */
  COUNTED_WITHOUT_MEMORY(Subject.SEGMENTS) {
    @Override
    public SegmentSource segments(RegisterStore store, TimeSource time) {
      return (key, count) -> super.segments(store, time).next(key, count);
    }
  },

  // Of the watermark.

  /** A holder says that it has no ID before now, whatever scopes are open. */
  LOW_MARK_OF_NOW(Subject.WATERMARK, (store, process) -> LeaseBugs.withLowMarkOfNow(store)),

  /** A generator that acquires a worker ID does not see the floor. */
  FLOOR_NOT_READ(Subject.WATERMARK, (store, process) -> LeaseBugs.withoutFloor(store), Fault.CRASH),

  /** A writer commits without asking whether its scope has expired. */
  COMMITS_UNCHECKED(Subject.WATERMARK) {
    @Override
    boolean checksCommits() {
      return false;
    }
  },

  /** A reader declares a holder dead at its fence, while commits are under way. */
  DECLARED_DEAD_AT_THE_FENCE(Subject.WATERMARK, Fault.PARTITION) {
    @Override
    boolean waitsForCommits() {
      return false;
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
  BLOCK_OF_UNKNOWN_OUTCOME(Subject.BLOCKS, Fault.LOST_REQUEST, Fault.LATE_WRITE, Fault.OUTAGE) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return StoreBugs.acknowledgingTheUnknown(store, name -> name.contains("/worker/"));
    }
  },

  /** A block begins where it was asked for, though the worker's fence is later. */
  BLOCK_BELOW_THE_FENCE(Subject.BLOCKS) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return StoreBugs.readingAll(store, StoreBugs::withOldFence);
    }
  },

  /** The block of a name is used once it is read, without a write. */
  NAME_TRUSTED_BY_READING(Subject.BLOCKS, Fault.UNKEPT_WRITE) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return StoreBugs.acknowledgingWhatIsRead(store);
    }
  },

  /** A job that was forgotten goes on with the pages that it had. */
  FORGOTTEN_PAGES_KEPT(Subject.BLOCKS) {
    @Override
    RegisterStore blocks(RegisterStore store) {
      return BlockBugs.keepingForgottenPages(store);
    }
  },

  // Of regions and reservations.

  /** A region takes every datacenter for its home. */
  HOMES_UNCHECKED(
      Subject.REGIONS,
      (store, process) ->
          StoreBugs.reading(
              store,
              register -> StoreBugs.edited(register, "datacenters=\\S+", "datacenters=0-1"))),

  /** A lease takes a reserved worker for one that was given back. */
  RESERVED_TAKEN_FOR_RELEASED(
      Subject.RESERVATIONS,
      (store, process) -> StoreBugs.readingAndScanning(store, Mutant::withoutReservation)),

  /** A worker is reserved from now on, though its fence is later. */
  RESERVED_BELOW_THE_FENCE(Subject.RESERVATIONS) {
    @Override
    RegisterStore reservations(RegisterStore store) {
      return StoreBugs.reading(store, StoreBugs::withOldFence);
    }
  };

  /** The names of those of a store that loses what it acknowledged, and has an identity. */
  public static final String OF_LOSSES = "SETTLES_.*|WRITES_UNBOUND.*|COUNTED_UNDER_ANY_IDENTITY";

  private final Subject subject;
  private final Bug bug;
  private final List<Fault> faults;

  /** The replacement of a process's store. */
  private interface Bug {
    RegisterStore put(RegisterStore store, Incarnation process);
  }

  Mutant(Bug bug, Fault... faults) {
    this(Subject.LEASES, bug, faults);
  }

  Mutant(Subject subject, Fault... faults) {
    this(subject, (store, process) -> store, faults);
  }

  /**
   * @param subject which code it is a bug of
   * @param faults those that show it
   */
  Mutant(Subject subject, Bug bug, Fault... faults) {
    this.subject = subject;
    this.bug = bug;
    this.faults = List.of(faults);
  }

  /** Returns the run in which it can be found, of one that was drawn, where the store is lost. */
  public Settings settingsOfLosses(Settings drawn) {
    return settings(drawn.withLosses());
  }

  /** Returns the run in which it can be found, of one that was drawn. */
  public Settings settings(Settings drawn) {
    Settings shown = drawn.with(subject);
    for (Fault fault : faults) {
      shown = shown.with(fault);
    }
    return shown;
  }

  /** Returns which code it is a bug of. */
  public Subject subject() {
    return subject;
  }

  private static Register withoutReservation(Register register) {
    return StoreBugs.edited(
        register,
        "state=reserved by=(\\S+)( since=\\S+)( until=\\S+)?",
        "state=released fence=2026-01-01T00:00:00Z$2 windowMillis=1000 holder=$1 pid=0");
  }

  /** Returns the source of segments in that store. */
  public SegmentSource segments(RegisterStore store, TimeSource time) {
    return RegisterSegments.builder(store).timeSource(time).build();
  }

  /** Returns what a process uses in the place of that store. */
  public RegisterStore store(RegisterStore store, Incarnation process) {
    return bug.put(store, process);
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
