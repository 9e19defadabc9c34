package io.firn.lease;

import io.firn.IdLayout;
import io.firn.internal.LeaseWindow;
import io.firn.internal.UnreadableRecordException;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The search for a worker ID to take: a pinned one, or the one that belongs to this instance's
 * name, a few at random, and then those that a scan shows to be free. No promise rests on whether a
 * worker is free; it is asked so that processes do not take workers from each other.
 */
final class WorkerSearch {

  private static final int RANDOM_PROBES = 12;
  private static final int ATTEMPTS_AFTER_SCAN = 64;
  private static final int MAX_SCANS = 8;

  /** Each is lost to another process that takes the worker and gives it back again. */
  private static final int MAX_PINNED_ATTEMPTS = 64;

  /** A write of unknown outcome may take a worker ID from every process for a window. */
  private static final int MAX_UNKNOWN_WRITES = 5;

  private final LeaseConfig config;
  private final RegisterStore store;
  private final Namespace namespace;
  private final IdLayout layout;
  private final TimeSource time;
  private final LeaseProtocol protocol;
  private final ReferenceClock clock;
  private int missed;

  WorkerSearch(
      LeaseConfig config,
      IdLayout layout,
      TimeSource time,
      LeaseProtocol protocol,
      ReferenceClock clock) {
    this.config = config;
    this.store = config.store();
    this.namespace = config.namespace();
    this.layout = layout;
    this.time = time;
    this.protocol = protocol;
    this.clock = clock;
  }

  /**
   * Takes a worker ID for a window that begins at {@code earliestMillis} or later.
   *
   * @throws NoFreeWorkerException if there is none now
   */
  LeaseWindow acquire(long earliestMillis) {
    missed = 0;
    protocol.reset();
    long worker = config.worker().orElseGet(() -> protocol.unsettledWorker().orElseGet(this::home));
    String layoutName = namespace.layoutRegister();
    String workerName = namespace.workerRegister(worker);
    List<Register> seen = store.readAll(List.of(layoutName, workerName));
    long now = clock.checkedMillis();
    namespace.claim(layout, named(layoutName, seen));
    Optional<Register> register = named(workerName, seen);
    return config.worker().isPresent()
        ? acquirePinned(worker, register, now, earliestMillis)
        : acquireAny(worker, register, now, earliestMillis);
  }

  /** Returns what a register holds; empty if that cannot be read: such a worker is left alone. */
  private static Optional<WorkerRecord> readable(Register register) {
    try {
      return Optional.of(WorkerRecord.parse(register));
    } catch (UnreadableRecordException e) {
      return Optional.empty();
    }
  }

  private static Optional<Register> named(String name, List<Register> registers) {
    return registers.stream().filter(register -> register.name().equals(name)).findFirst();
  }

  private LeaseWindow acquirePinned(
      long worker, Optional<Register> seen, long since, long earliest) {
    Optional<Register> register = seen;
    long now = since;
    for (int attempt = 0; ; attempt++) {
      WorkerRecord other = register.map(WorkerRecord::parse).orElse(null);
      boolean free = isFree(register, now);
      if (other != null && (!free || attempt >= MAX_PINNED_ATTEMPTS)) {
        throw pinnedTaken(worker, other, now);
      }
      LeaseWindow window = write(worker, register, now, earliest);
      if (window != null) {
        return window;
      }
      register = read(worker);
      now = clockAfter(register, now);
    }
  }

  private NoFreeWorkerException pinnedTaken(long worker, WorkerRecord other, long now) {
    long freeAt = freeAt(other);
    return new NoFreeWorkerException(
        "worker: "
            + worker
            + " of "
            + namespace.name()
            + (other.held() ? " is leased to " : " was given back with IDs past the clock by ")
            + other.holder()
            + ", process "
            + other.pid()
            + " (expected: free, it is at "
            + Instant.ofEpochMilli(freeAt)
            + ")",
        freeAt - now);
  }

  private LeaseWindow acquireAny(long home, Optional<Register> seen, long now, long earliest) {
    LeaseWindow window = takeIfFree(home, seen, now, earliest);
    for (int probe = 0; window == null && probe < RANDOM_PROBES; probe++) {
      window = take(time.random(layout.workers()), now, earliest);
    }
    return window != null ? window : acquireScanning(now, earliest);
  }

  private LeaseWindow acquireScanning(long now, long earliest) {
    for (int scan = 0; scan < MAX_SCANS; scan++) {
      Map<Long, Register> used = scan();
      LeaseWindow window = takeFromScan(used, now, earliest);
      if (window != null) {
        return window;
      }
      if (used.size() >= layout.workers() && freeIn(used, now) == 0) {
        throw noneFree(used.values(), now);
      }
    }
    throw noneFree(scan().values(), now);
  }

  /** Returns the worker that a process of this instance's name tries first. */
  private long home() {
    long hash = config.instance().hashCode() * 0x9e3779b97f4a7c15L;
    return Long.remainderUnsigned(hash ^ (hash >>> 32), layout.workers());
  }

  private Optional<Register> read(long worker) {
    return store.read(namespace.workerRegister(worker));
  }

  private Map<Long, Register> scan() {
    Map<Long, Register> used = new HashMap<>();
    for (Register register : store.scan(namespace.workerPrefix())) {
      used.put(namespace.workerOf(register), register);
    }
    return used;
  }

  /** Tries workers that were never leased, from a random place on, and then those that are free. */
  private @Nullable LeaseWindow takeFromScan(Map<Long, Register> used, long now, long earliest) {
    long workers = layout.workers();
    long start = time.random(workers);
    int attempts = 0;
    for (long i = 0; i < workers && attempts < ATTEMPTS_AFTER_SCAN; i++) {
      long worker = (start + i) % workers;
      if (!used.containsKey(worker)) {
        attempts++;
        LeaseWindow window = take(worker, now, earliest);
        if (window != null) {
          return window;
        }
      }
    }
    for (Map.Entry<Long, Register> entry : used.entrySet()) {
      if (isFree(entry.getValue(), now)) {
        LeaseWindow window = take(entry.getKey(), now, earliest);
        if (window != null) {
          return window;
        }
      }
    }
    return null;
  }

  private long freeIn(Map<Long, Register> used, long now) {
    return used.values().stream().filter(register -> isFree(register, now)).count();
  }

  private NoFreeWorkerException noneFree(Iterable<Register> used, long now) {
    long leased = 0;
    List<UnreadableRecordException> unreadable = new ArrayList<>();
    long next = Long.MAX_VALUE;
    for (Register register : used) {
      try {
        WorkerRecord record = WorkerRecord.parse(register);
        if (!isFree(record, now)) {
          leased++;
          next = Math.min(next, freeAt(record));
        }
      } catch (UnreadableRecordException e) {
        unreadable.add(e);
      }
    }
    if (leased == 0 && !unreadable.isEmpty()) {
      throw unreadable.get(0); // waiting makes it no better
    }
    return new NoFreeWorkerException(
        "workers: "
            + leased
            + " of "
            + layout.workers()
            + " of "
            + namespace.name()
            + " are leased"
            + (unreadable.isEmpty()
                ? ""
                : ", and the records of " + unreadable.size() + " cannot be read")
            + " (expected: a free one"
            + (leased == 0 ? "" : ", the next is at " + Instant.ofEpochMilli(next))
            + ")",
        leased == 0 ? 0 : next - now);
  }

  private boolean isFree(Optional<Register> register, long now) {
    return register.isEmpty() || protocol.isOutstanding(register) || isFree(register.get(), now);
  }

  private boolean isFree(Register register, long now) {
    return readable(register).filter(record -> isFree(record, now)).isPresent();
  }

  private boolean isFree(WorkerRecord record, long now) {
    return freeAt(record) <= now + (record.held() ? 0 : config.maxClockSkewMillis());
  }

  private long freeAt(WorkerRecord record) {
    return protocol.freeAtMillis(record);
  }

  private @Nullable LeaseWindow take(long worker, long now, long earliest) {
    Optional<Register> register = read(worker);
    return takeIfFree(worker, register, clockAfter(register, now), earliest);
  }

  private @Nullable LeaseWindow takeIfFree(
      long worker, Optional<Register> register, long now, long earliest) {
    return isFree(register, now) ? write(worker, register, now, earliest) : null;
  }

  private @Nullable LeaseWindow write(
      long worker, Optional<Register> register, long now, long earliest) {
    LeaseWindow window = protocol.take(worker, register, now, earliest);
    // The same worker again: that write may have taken it.
    while (window == null && protocol.unsettledWorker().isPresent()) {
      if (++missed == MAX_UNKNOWN_WRITES) {
        throw new StoreException(
            "Store "
                + store
                + " did not report the outcome of "
                + MAX_UNKNOWN_WRITES
                + " writes; no worker ID was leased");
      }
      Optional<Register> seen = read(worker);
      if (!isFree(seen, now)) {
        return null;
      }
      window = protocol.take(worker, seen, clockAfter(seen, now), earliest);
    }
    return window;
  }

  /**
   * Returns the clock for a register that was just read. Where that may have been forgotten it is
   * read anew, for its holder may have renewed until just then.
   */
  private long clockAfter(Optional<Register> register, long now) {
    return register.isEmpty() && protocol.mayForget() ? clock.checkedMillis() : now;
  }
}
