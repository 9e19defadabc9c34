package io.firn.simulation.world;

import io.firn.FirnException;
import io.firn.simulation.world.Scheme.Crew;
import io.firn.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

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
  private final List<Write> underway = new ArrayList<>();
  private @Nullable Runnable whenInDoubt;
  private boolean inDoubt;
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

  /** A write that it has sent, and of which it has not heard yet. */
  record Write(String name, String value) {}

  /** The state of a process at one moment. */
  record Snapshot(
      Incarnation original, List<Tape.Entry> tape, List<Slot.Newest> slots, boolean inCall) {}

  /** Makes a call into the production code. */
  <T> T make(Function<Incarnation, T> call) {
    return make(call, (copy, result) -> {});
  }

  /**
   * Makes a call into the production code.
   *
   * @param whenCopied takes what it returns in a copy that was made in the middle of it
   */
  <T> T make(Function<Incarnation, T> call, BiConsumer<Incarnation, ? super T> whenCopied) {
    tape.note(call, whenCopied);
    calls++;
    try {
      return call.apply(this);
    } finally {
      calls--;
    }
  }

  /** Returns whether it can be copied: it is not being closed. */
  boolean isCopyable() {
    return !dead && slots.stream().noneMatch(Slot::isClosing);
  }

  /** Returns what a copy begins with, be it in the middle of calls. */
  Snapshot snapshot() {
    return new Snapshot(this, tape.entries(), slots.stream().map(Slot::newest).toList(), calls > 0);
  }

  /** Sends a write, and waits for what becomes of it. */
  <T> T send(String name, String value, Supplier<T> call) {
    Write write = new Write(name, value);
    underway.add(write);
    try {
      return call.get();
    } finally {
      underway.remove(write);
    }
  }

  /** Runs something when it next looks for a write whose outcome it does not know. */
  void whenInDoubt(Runnable what) {
    whenInDoubt = what;
  }

  /** Records whether it was notified of the outcome of a write. */
  void notified(boolean outcome) {
    inDoubt = !outcome;
  }

  /** Records that it reads a register. */
  void looks() {
    Runnable what = whenInDoubt;
    if (inDoubt && what != null) {
      whenInDoubt = null;
      what.run();
    }
  }

  /** Returns the writes that it waits for. */
  List<Write> underway() {
    return List.copyOf(underway);
  }

  /** Returns the process that was copied first; itself if it is no copy. */
  public Incarnation origin() {
    return slots.get(0).origin().process();
  }

  /** Becomes a copy, and continues with the calls that were under way. */
  void restore(Snapshot snapshot) {
    for (Slot slot : slots) {
      slot.copy(snapshot.slots().get(slot.index()));
    }
    tape.replay(snapshot.tape(), this);
    resume();
  }

  Crew crew() {
    return crew;
  }

  public List<Slot> slots() {
    return slots;
  }

  public Slot slot(int index) {
    return slots.get(index);
  }

  public String instance() {
    return node.instance();
  }

  /** Returns the place of a generator among those of all instances. */
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
  public void resume() {
    slots.forEach(slot -> later(0, slot::resume));
    later(0, this::keepOn);
  }

  /** Schedules an action of this process: when it runs, if it is still alive. */
  public void later(long nanos, Runnable action) {
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

  /** Lets time pass for one of its threads; longer if the process is stopped meanwhile. */
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
  public void linger() {
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
    try {
      return Math.min(longest, make(Incarnation::keepNow));
    } catch (LinkageError e) { // of the store: the keeper's thread survives it
      return longest;
    } catch (FirnException e) {
      throw new Violation("the keeper of " + this + " failed", e);
    }
  }

  private long keepNow() {
    keeping = true;
    try {
      return crew.keep();
    } finally {
      keeping = false;
    }
  }

  boolean isKeeping() {
    return keeping;
  }

  public void crash() {
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
