package io.firn.simulation;

import io.firn.simulation.judges.Ledger;
import io.firn.simulation.judges.SegmentLedger;
import io.firn.simulation.judges.SegmentText;
import io.firn.simulation.judges.WorkerText;
import io.firn.store.Register;
import io.firn.store.WriteResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The true content of the register store and its history: linearizable, one change after another.
 */
public final class Truth {

  private static final String WORKER = "/worker/";

  private record Change(long nanos, String name, @Nullable Register register) {}

  private final World world;
  private final Ledger ledger;
  private final Map<String, Register> registers = new TreeMap<>();
  private final List<Change> changes = new ArrayList<>();
  private long versions;

  Truth(World world, Ledger ledger) {
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
        long worker = Long.parseLong(name.substring(at + WORKER.length()));
        ledger.takenBack(worker, WorkerText.parse(now.value()));
      }
    }
  }

  private void put(String name, @Nullable Register register) {
    if (register == null) {
      registers.remove(name);
    } else {
      registers.put(name, register);
    }
    changes.add(new Change(world.now(), name, register));
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
        Long.parseLong(after.name().substring(at + WORKER.length())),
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
      if (change.register() == null) {
        then.remove(change.name());
      } else {
        then.put(change.name(), change.register());
      }
    }
    return then;
  }

  /** Loses everything. */
  void forget() {
    world.log("the store", "forgets", registers.size(), "registers");
    List.copyOf(registers.keySet()).forEach(name -> put(name, null));
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

  /** Takes note that a process goes on twice. */
  void copied(Incarnation process) {
    process.slots().forEach(ledger::copied);
    ledger.segments().copied(process.origin());
  }

  public SegmentLedger segments() {
    return ledger.segments();
  }

  /** Holds again what it held that long ago. */
  void fallBack(long nanos) {
    Map<String, Register> then = past(nanos);
    world.log("the store", "falls back by", nanos / World.NANOS_PER_MILLI, "ms");
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

  /** The latest fence of all workers, in milliseconds since 1970. */
  long latestFence() {
    return registers.values().stream()
        .filter(register -> register.name().contains(WORKER))
        .map(register -> WorkerText.parse(register.value()).fenceMillis())
        .max(Comparator.naturalOrder())
        .orElse(0L);
  }
}
