package io.firn.simulation.world;

import io.firn.FirnException;
import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.simulation.world.Scheme.Member;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A place for a generator in a process, and the threads that call it. */
public final class Slot {

  private static final int BULK_PER_MILLE = 200;
  private static final int HANDLE_PER_MILLE = 150;
  private static final int HELD_UP_PER_MILLE = 10;

  /** More than all faults together can hold up a call, in windows and beside them. */
  private static final int MOST_WINDOWS_OF_A_CALL = 60;

  private static final long MOST_NANOS_OF_A_CALL = 60_000 * World.NANOS_PER_MILLI;

  private final Incarnation process;
  private final Cluster cluster;
  private final int index;
  private final String name;
  private @Nullable Member member;
  private @Nullable IdGenerator handle;
  private Slot origin = this;
  private boolean handleBusy;
  private boolean closing;
  private boolean closed;
  private long newest = Long.MIN_VALUE;
  private long newestOfHandle = Long.MIN_VALUE;
  private long issued;
  private long newestNanos;

  Slot(Incarnation process, int index) {
    this.process = process;
    this.index = index;
    cluster = process.cluster();
    name = process + "/" + index;
  }

  public Incarnation process() {
    return process;
  }

  /** Returns its place in the process; with segments, also its key. */
  public int index() {
    return index;
  }

  /** Returns the slots of this place in the earlier processes of its host. */
  public Stream<Slot> predecessors() {
    return process.node().before(process).map(earlier -> earlier.slot(index));
  }

  public boolean hasClaim() {
    return member != null && member.hasClaim();
  }

  void open() {
    try {
      Member unused = process.make(copy -> copy.slot(index).start());
    } catch (FirnException | LinkageError | IllegalArgumentException e) {
      // The last of them is of a clock before the epoch.
      log("does not start:", e.getClass().getSimpleName());
      if (cluster.isOpen()) {
        process.later(cluster.random().below(window() / 4), this::open);
      }
      return;
    } catch (RuntimeException e) {
      throw new Violation("unexpected at the start of " + this, e);
    }
    process.later(0, this::work);
  }

  private Member start() {
    Member started = process.crew().open(index);
    member = started;
    handle = started.newHandle();
    return started;
  }

  /** The IDs that a slot has issued. */
  record Newest(Slot origin, long newest, long newestOfHandle) {}

  Newest newest() {
    return new Newest(origin, newest, newestOfHandle);
  }

  /** Takes over what a slot has issued of whose process its own is a copy. */
  void copy(Newest original) {
    origin = original.origin();
    newest = original.newest();
    newestOfHandle = original.newestOfHandle();
  }

  /** Returns the slot of the process that was copied first; itself if it is no copy. */
  public Slot origin() {
    return origin;
  }

  boolean isClosing() {
    return closing;
  }

  void resume() {
    if (member == null) {
      open();
    } else {
      work();
    }
  }

  private void work() {
    if (closed || !cluster.isOpen()) {
      return;
    }
    burst();
    process.later(cluster.random().below(window() / cluster.load().burstsPerWindow()), this::work);
  }

  private void burst() {
    int count = 1 + process.numbers().below(cluster.load().mostPerBurst());
    if (process.numbers().perMille(BULK_PER_MILLE)) {
      call(() -> issueBulk(count), "in bulk");
    } else if (!handleBusy && process.numbers().perMille(HANDLE_PER_MILLE)) {
      call(() -> issueByHandle(count), "by a handle");
    } else {
      issueOneByOne(count, 1);
    }
  }

  private void issueOneByOne(int count, int number) {
    if (call(this::issueOne, number + " of " + count) && number < count && !closed) {
      process.later(
          process.numbers().below(cluster.load().gapNanos()),
          () -> issueOneByOne(count, number + 1));
    }
  }

  /** Makes a call that issues IDs; false if it failed. It must not wait forever. */
  private boolean call(Runnable request, Object what) {
    long begin = cluster.world().passed();
    boolean succeeded = callAndLog(request, what);
    long took = cluster.world().passed() - begin;
    if (took > MOST_WINDOWS_OF_A_CALL * window() + MOST_NANOS_OF_A_CALL) {
      throw new Violation("a call of " + this + " took " + took / World.NANOS_PER_MILLI + " ms");
    }
    return succeeded;
  }

  /** Makes a call that issues IDs, and logs how it ended; false if it failed. */
  private boolean callAndLog(Runnable request, Object what) {
    long before = issued;
    try {
      request.run();
      log("issued", issued - before, what);
      return true;
    } catch (GeneratorClosedException e) {
      if (!closing) {
        throw new Violation("unexpected of " + this, e);
      }
      log("is closed already");
      return false;
    } catch (FirnException e) {
      log("issued", issued - before, what, e.getClass().getSimpleName());
      return false;
    } catch (RuntimeException e) {
      throw new Violation("unexpected of " + this, e);
    }
  }

  private Member member() {
    return Objects.requireNonNull(member);
  }

  private void issueOne() {
    long floor = newest;
    long id =
        process.make(
            copy -> copy.slot(index).member().nextId(),
            (copy, got) -> copy.slot(index).take(got, floor));
    beHeldUp();
    take(id, floor);
  }

  private void issueBulk(int count) {
    long floor = newest;
    long[] ids =
        process.make(
            copy -> copy.slot(index).nextIds(count),
            (copy, got) -> copy.slot(index).takeAll(got, floor));
    beHeldUp();
    takeAll(ids, floor);
  }

  private void takeAll(long[] ids, long floor) {
    long before = floor;
    for (long id : ids) {
      take(id, before);
      before = id;
    }
  }

  private long[] nextIds(int count) {
    long[] ids = new long[count];
    member().nextIds(ids, 0, count);
    return ids;
  }

  private long nextIdOfHandle() {
    return Objects.requireNonNull(handle).nextId();
  }

  private void issueByHandle(int count) {
    handleBusy = true;
    try {
      for (int i = 0; i < count; i++) {
        long id =
            process.make(
                copy -> copy.slot(index).nextIdOfHandle(),
                (copy, got) -> copy.slot(index).takeFromHandle(got));
        beHeldUp();
        takeFromHandle(id);
      }
    } finally {
      handleBusy = false;
    }
  }

  private void takeFromHandle(long id) {
    count(id, newestOfHandle);
    newestOfHandle = id;
  }

  /** A pause between the composition of an ID and its return. */
  private void beHeldUp() {
    if (cluster.odds().strikes(Fault.SLOW_READ, HELD_UP_PER_MILLE)) {
      process.pass(cluster.odds().of(Fault.SLOW_READ).below(2 * window()));
    }
  }

  private void take(long id, long floor) {
    newest = Math.max(newest, id);
    count(id, floor);
  }

  private void count(long id, long floor) {
    issued++;
    newestNanos = cluster.world().now();
    cluster.judge().issued(this, id, floor);
  }

  /** Closes the generator, as soon as its keeper's thread lets go of it. */
  void close(Runnable then) {
    if (member == null) {
      then.run();
    } else if (process.isKeeping()) {
      process.later(window() / 50, () -> close(then));
    } else if (!closing) {
      closing = true;
      log("is closed");
      closeMember();
      closed = true;
      then.run();
    }
  }

  private void closeMember() {
    try {
      boolean unused = process.make(copy -> copy.slot(index).endMember());
    } catch (LinkageError e) {
      log("gets an Error from the store while it closes");
    }
  }

  private boolean endMember() {
    member().close();
    return true;
  }

  private long window() {
    return cluster.settings().terms().windowNanos();
  }

  /** Returns whether it has issued an ID since then. */
  public boolean hasIssuedSince(long nanos) {
    return issued > 0 && newestNanos >= nanos;
  }

  public void log(Object... what) {
    if (!process.isReplaying()) {
      cluster.world().log(this, what);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
