package io.firn.simulation;

import io.firn.FirnException;
import io.firn.simulation.judges.Violation;
import io.firn.simulation.schemes.Scheme.Crew;
import io.firn.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** One life of a process: from its start to its crash or clean end. */
public final class Incarnation {

  private final Cluster cluster;
  private final Node node;
  private final String name;
  private final Numbers numbers;
  private final ProcessTime time;
  private final List<Slot> slots = new ArrayList<>();
  private final Crew crew;
  private final Tape tape;
  private int calls;
  private boolean dead;
  private boolean keeping;

  Incarnation(Cluster cluster, Node node, int life) {
    this.cluster = cluster;
    this.node = node;
    name = node + "." + life;
    numbers = Numbers.of(cluster.settings().seed(), name.hashCode());
    time = new ProcessTime(this);
    tape = new Tape(cluster.odds().faults().contains(Fault.COPY));
    for (int i = 0; i < cluster.settings().scale().slots(); i++) {
      slots.add(new Slot(this, i));
    }
    crew = cluster.scheme().start(this);
  }

  public Cluster cluster() {
    return cluster;
  }

  public Node node() {
    return node;
  }

  public Numbers numbers() {
    return numbers;
  }

  public TimeSource time() {
    return time;
  }

  Tape tape() {
    return tape;
  }

  /** Returns whether it is only doing again what the process did of which it is a copy. */
  public boolean isReplaying() {
    return tape.isReplaying();
  }

  /** Makes a call into the production code. */
  <T> T make(Function<Incarnation, T> call) {
    tape.note(call);
    calls++;
    try {
      return call.apply(this);
    } finally {
      calls--;
    }
  }

  /** Returns whether it can be copied: no call is under way, and it is not being closed. */
  boolean isAtRest() {
    return !dead && calls == 0 && slots.stream().noneMatch(Slot::isClosing);
  }

  /** Returns the process that was copied first; itself if it is no copy. */
  public Incarnation origin() {
    return slots.get(0).origin().process();
  }

  /** Becomes a copy of a process that is at rest. */
  void copy(Incarnation original) {
    tape.replay(original.tape, this);
    for (Slot slot : slots) {
      slot.copy(original.slot(slot.index()));
    }
    cluster.truth().copied(original);
  }

  Crew crew() {
    return crew;
  }

  List<Slot> slots() {
    return slots;
  }

  public Slot slot(int index) {
    return slots.get(index);
  }

  public String instance() {
    return node.instance();
  }

  /** The place of a generator among those of all instances. */
  public long number(int slot) {
    return (long) node.index() * slots.size() + slot;
  }

  public boolean isDead() {
    return dead;
  }

  void boot() {
    slots.forEach(slot -> later(0, slot::open));
    later(0, this::keepOn);
  }

  /** Takes up again what repeats itself. */
  void resume() {
    slots.forEach(slot -> later(0, slot::resume));
    later(0, this::keepOn);
  }

  /** Schedules an action of this process: when it runs, if it is still alive. */
  void later(long nanos, Runnable action) {
    cluster.world().after(nanos, () -> run(action));
  }

  void run(Runnable action) {
    if (dead) {
      return;
    }
    if (node.pausedNanos() > 0) {
      later(node.pausedNanos(), action);
      return;
    }
    try {
      action.run();
    } catch (Gone e) {
      if (!dead) {
        throw e;
      }
    }
  }

  /** Lets time pass for one of its threads; longer if the process stands still meanwhile. */
  void pass(long nanos) {
    cluster.world().pass(nanos);
    while (!dead && node.pausedNanos() > 0) {
      cluster.world().pass(node.pausedNanos());
    }
    if (dead) {
      throw new Gone();
    }
  }

  /** Lets some time pass, as a thread does that is not scheduled. */
  void linger() {
    if (isReplaying()) {
      return;
    }
    pass(numbers.below(cluster.settings().terms().windowNanos() / 4));
  }

  private void keepOn() {
    long wait = keep();
    if (cluster.isOpen()) {
      later(Math.max(World.NANOS_PER_MILLI / 10, wait), this::keepOn);
    }
  }

  /** Lets the keeper do its work, unless it is at it. */
  long keep() {
    long longest = cluster.settings().terms().windowNanos() / 8;
    if (keeping) {
      return longest;
    }
    keeping = true;
    try {
      return Math.min(longest, make(process -> process.crew.keep()));
    } catch (LinkageError e) { // of the store: the keeper's thread survives it
      return longest;
    } catch (FirnException e) {
      throw new Violation("the keeper of " + this + " failed", e);
    } finally {
      keeping = false;
    }
  }

  boolean isKeeping() {
    return keeping;
  }

  void crash() {
    if (!dead) {
      dead = true;
      log("crashes");
    }
  }

  /** Is over, after every generator was closed. */
  void end() {
    dead = true;
    log("ends");
  }

  public void log(Object... what) {
    if (!isReplaying()) {
      cluster.world().log(this, what);
    }
  }

  @Override
  public String toString() {
    return name;
  }
}
