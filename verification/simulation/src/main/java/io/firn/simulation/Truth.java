package io.firn.simulation;

import io.firn.lease.Register;
import io.firn.lease.WriteResult;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** What the register store really holds, and held: linearizable, one change after another. */
final class Truth {

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

  Optional<Register> read(String name) {
    return Optional.ofNullable(registers.get(name));
  }

  WriteResult write(Object owner, String name, long expectedVersion, String value) {
    Register before = registers.get(name);
    if ((before == null ? 0 : before.version()) != expectedVersion) {
      world.tell(owner, "is refused", name, "of version", expectedVersion);
      return WriteResult.CONFLICT;
    }
    Register after = new Register(name, ++versions, value);
    put(name, after);
    note(owner, before, after);
    return WriteResult.applied(after.version());
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
      world.tell(owner, "writes", after.name(), "next", text.next(), "version", after.version());
      ledger.segments().written(owner, before, after);
      return;
    }
    int at = after.name().indexOf(WORKER);
    if (at < 0) {
      world.tell(owner, "writes", after.name(), "version", after.version());
      return;
    }
    WorkerText text = WorkerText.parse(after.value());
    world.tell(
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
    world.tell("the store", "forgets", registers.size(), "registers");
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
    world.tell("the store", "loses its newest write, to", name);
    put(name, before);
  }

  SegmentLedger segments() {
    return ledger.segments();
  }

  /** Holds again what it held that long ago. */
  void fallBack(long nanos) {
    Map<String, Register> then = past(nanos);
    world.tell("the store", "falls back by", nanos / World.NANOS_PER_MILLI, "ms");
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
