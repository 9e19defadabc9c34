package io.firn.simulation.world;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The true content of the register store and its history: linearizable, one change after another.
 */
public final class Truth {

  private static final String WORKER = "/worker/";

  private record Change(long nanos, String name, @Nullable Register register) {}

  private final World world;
  private final Ledger ledger;
  private final List<Change> changes = new ArrayList<>();
  private final Set<Incarnation.Write> shared = new HashSet<>();
  private Map<String, Register> registers = new TreeMap<>();
  private String identity = "run-0";
  private long runs;
  private boolean onLost;
  private Map<String, Register> lostRegisters = new TreeMap<>();
  private String lostIdentity = "";
  private long lostUntil = -1;
  private final Set<String> namespaces = new HashSet<>();
  private final Set<String> marked = new HashSet<>();
  private long markedNanos;
  private long versions;
  private final boolean shownIdentity;

  Truth(World world, Ledger ledger, boolean shownIdentity) {
    this.shownIdentity = shownIdentity;
    this.world = world;
    this.ledger = ledger;
  }

  public Optional<Register> read(String name) {
    return Optional.ofNullable(registers.get(name));
  }

  public WriteResult write(Object owner, String name, long expectedVersion, String value) {
    Register before = registers.get(name);
    if ((before == null ? 0 : before.version()) != expectedVersion) {
      world.log(owner, "is refused", name, "of version", expectedVersion);
      return WriteResult.CONFLICT;
    }
    Register after = new Register(name, ++versions, value);
    put(name, after);
    note(owner, before, after);
    if (shared.contains(new Incarnation.Write(name, value))) {
      share(after);
    }
    return WriteResult.applied(after.version());
  }

  /**
   * Shows a write that is not acknowledged, and takes it back some time later, unless another write
   * has come after it and made it last.
   */
  void writeUnkept(Object owner, String name, long expectedVersion, String value, long nanos) {
    Register before = registers.get(name);
    WriteResult shown = write(owner, name, expectedVersion, value);
    if (shown.outcome() == WriteResult.Outcome.APPLIED) {
      world.after(nanos, () -> takeBack(name, shown.version(), before));
    }
  }

  private void takeBack(String name, long version, @Nullable Register before) {
    Register now = registers.get(name);
    if (now != null && now.version() == version) {
      world.log("the store", "takes back version", version, "of", name);
      put(name, before);
      int at = name.indexOf(WORKER);
      if (at >= 0) {
        ledger.takenBack(workerOf(name), WorkerText.parse(now.value()));
      }
    }
  }

  private void put(String name, @Nullable Register register) {
    if (register == null) {
      registers.remove(name);
    } else {
      registers.put(name, register);
    }
    if (!onLost) {
      changes.add(new Change(world.now(), name, register));
    }
    if (register != null && register.value().contains(" store=" + identity + " ")) {
      namespaces.add(name);
      if (register.value().contains(" since=")) {
        marked.add(name);
      } else {
        marked.remove(name);
      }
      markedNanos = world.now();
    }
  }

  // A store that has an identity.

  /** Reads registers with the identity and the clock. */
  public Snapshot snapshot(List<String> names, long clockMillis) {
    return new Snapshot(
        identity, clockMillis, names.stream().map(this::read).flatMap(Optional::stream).toList());
  }

  /** Writes a register if a binding holds. */
  public WriteResult write(
      Object owner, String name, long expectedVersion, String value, Binding binding) {
    long bound = read(binding.register()).map(Register::version).orElse(0L);
    if (!binding.identity().equals(identity) || bound != binding.version()) {
      world.log(owner, "is not bound to", identity, "when it writes", name);
      return WriteResult.CONFLICT;
    }
    return write(owner, name, expectedVersion, value);
  }

  /** Records that a write was acknowledged to its writer. */
  void acknowledgedBound(Object owner, String name, long version, String value) {
    if (name.endsWith(SegmentLedger.SUFFIX)) {
      ledger.segments().acknowledged(name, version);
    } else if (name.contains(WORKER)) {
      ledger.acknowledged(owner, workerOf(name), WorkerText.parse(value));
    }
  }

  /** Returns the identity of the store; empty if it shows none. */
  public String shownIdentity() {
    return shownIdentity ? identity : "";
  }

  /** Returns when the store that was lost ends, if one continues. */
  public long lostUntil() {
    return lostUntil;
  }

  /** Makes a call in the store that was lost, if that still answers. */
  <T> T inLost(Supplier<T> call) {
    if (world.now() >= lostUntil) {
      return call.get();
    }
    swap();
    try {
      return call.get();
    } finally {
      swap();
    }
  }

  private void swap() {
    Map<String, Register> there = registers;
    registers = lostRegisters;
    lostRegisters = there;
    String name = identity;
    identity = lostIdentity;
    lostIdentity = name;
    onLost = !onLost;
  }

  /** Returns whether each namespace has a mark of the store's identity. */
  boolean isMarked() {
    return !marked.isEmpty() && marked.containsAll(namespaces);
  }

  /** The time at which the newest mark was written. */
  long markedNanos() {
    return markedNanos;
  }

  void newIdentity() {
    identity = "run-" + ++runs;
    marked.clear();
    world.log("the store", "is now", identity);
  }

  /** Lets the store as it is go on beside what comes now. */
  void split(long nanos) {
    lostRegisters = new TreeMap<>(registers);
    lostIdentity = identity;
    lostUntil = world.now() + nanos;
    world.log("the store", "goes on as", identity, "for", nanos / World.NANOS_PER_MILLI, "ms");
  }

  /** Holds again what it held after one of all the changes that ever were. */
  void rollBack(Numbers random) {
    int kept = (int) random.below(changes.size() + 1L);
    Map<String, Register> then = new TreeMap<>();
    changes.stream().limit(kept).forEach(change -> apply(then, change));
    world.log("the store", "goes back to change", kept, "of", changes.size());
    hold(then);
  }

  private static void apply(Map<String, Register> registers, Change change) {
    if (change.register() == null) {
      registers.remove(change.name());
    } else {
      registers.put(change.name(), change.register());
    }
  }

  private void note(Object owner, @Nullable Register before, Register after) {
    if (after.name().endsWith(SegmentLedger.SUFFIX)) {
      SegmentText text = SegmentText.parse(after.value());
      world.log(owner, "writes", after.name(), "next", text.next(), "version", after.version());
      ledger.segments().written(owner, before, after);
      return;
    }
    int at = after.name().indexOf(WORKER);
    if (at < 0) {
      world.log(owner, "writes", after.name(), "version", after.version());
      return;
    }
    WorkerText text = WorkerText.parse(after.value());
    world.log(
        owner,
        "writes",
        after.name(),
        text.held() ? "held until" : "released at",
        text.fenceMillis() - Settings.START_MILLIS,
        "version",
        after.version());
    ledger.written(
        owner,
        workerOf(after.name()),
        before == null ? null : WorkerText.parse(before.value()),
        text);
  }

  /** The registers of that prefix as they were that long ago. */
  List<Register> scan(String prefix, long agoNanos) {
    return (agoNanos == 0 ? registers : past(agoNanos))
        .values().stream().filter(register -> register.name().startsWith(prefix)).toList();
  }

  private Map<String, Register> past(long agoNanos) {
    Map<String, Register> then = new TreeMap<>();
    for (Change change : changes) {
      if (change.nanos() > world.now() - agoNanos) {
        break;
      }
      apply(then, change);
    }
    return then;
  }

  /** Loses everything. */
  void forget() {
    world.log("the store", "forgets", registers.size(), "registers");
    List.copyOf(registers.keySet()).forEach(name -> put(name, null));
    marked.clear();
  }

  /** Loses the newest write, as when a replica takes over that had not got it yet. */
  void loseNewest() {
    if (changes.isEmpty()) {
      return;
    }
    String name = changes.get(changes.size() - 1).name();
    Register before =
        changes.stream()
            .limit(changes.size() - 1)
            .filter(change -> change.name().equals(name))
            .reduce((older, newer) -> newer)
            .map(Change::register)
            .orElse(null);
    world.log("the store", "loses its newest write, to", name);
    put(name, before);
  }

  /** Records that a write was acknowledged to the process that made it. */
  void acknowledged(Object owner, String name, long version, String value) {
    if (name.endsWith(SegmentLedger.SUFFIX)) {
      ledger.segments().acknowledged(name, version);
    } else if (name.contains(WORKER) && owner instanceof Slot slot) {
      ledger.acknowledged(slot, workerOf(name), WorkerText.parse(value));
    }
  }

  private static long workerOf(String name) {
    return Long.parseLong(name.substring(name.indexOf(WORKER) + WORKER.length()));
  }

  /**
   * Records that a process continues twice. Both copies may use what was acknowledged to it, and
   * what is acknowledged later of the writes that are under way.
   */
  void copied(Incarnation process) {
    process.slots().forEach(ledger::copied);
    ledger.segments().copied(process.origin());
    shared.addAll(process.underway());
    changes.stream()
        .map(Change::register)
        .filter(Objects::nonNull)
        .filter(
            register ->
                process
                    .underway()
                    .contains(new Incarnation.Write(register.name(), register.value())))
        .forEach(this::share);
  }

  private void share(Register register) {
    if (register.name().endsWith(SegmentLedger.SUFFIX)) {
      ledger.segments().share(register.name(), register.version());
    } else if (register.name().contains(WORKER)) {
      ledger.share(workerOf(register.name()), WorkerText.parse(register.value()).fenceMillis());
    }
  }

  public SegmentLedger segments() {
    return ledger.segments();
  }

  /** Holds again what it held that long ago. */
  void fallBack(long nanos) {
    Map<String, Register> then = past(nanos);
    world.log("the store", "falls back by", nanos / World.NANOS_PER_MILLI, "ms");
    hold(then);
  }

  private void hold(Map<String, Register> then) {
    List.copyOf(registers.keySet()).stream()
        .filter(name -> !then.containsKey(name))
        .forEach(name -> put(name, null));
    then.forEach(
        (name, register) -> {
          if (!register.equals(registers.get(name))) {
            put(name, register);
          }
        });
  }

  /**
   * Returns the latest fence of the last leases of all workers, in milliseconds since 1970. A
   * worker that is reserved counts too: the generator that had it issues nothing before its last
   * ID.
   */
  public long latestFence() {
    return changes.stream()
        .map(Change::register)
        .filter(Objects::nonNull)
        .filter(register -> registers.containsKey(register.name()))
        .filter(register -> register.name().contains(WORKER))
        .filter(register -> !WorkerText.isReserved(register.value()))
        .collect(Collectors.toMap(Register::name, Truth::fenceOf, (older, newer) -> newer))
        .values()
        .stream()
        .max(Comparator.naturalOrder())
        .orElse(0L);
  }

  private static long fenceOf(Register register) {
    return WorkerText.parse(register.value()).fenceMillis();
  }
}
