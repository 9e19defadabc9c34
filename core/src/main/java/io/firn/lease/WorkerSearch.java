package io.firn.lease;

import io.firn.FirnException;
import io.firn.internal.ClockReading;
import io.firn.internal.LeaseWindow;
import io.firn.internal.UnreadableRecordException;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The search for a worker ID to lease: a pinned one, or the one that belongs to this instance's
 * name, a few at random, and then those that a scan shows to be free. No promise rests on whether a
 * worker is free; it is asked so that processes do not take workers from each other.
 */
final class WorkerSearch {

  private static final int RANDOM_PROBES = 12;
  private static final int ATTEMPTS_AFTER_SCAN = 64;
  private static final int MAX_SCANS = 8;

  /** Each is lost to another process that takes the worker and releases it again. */
  private static final int MAX_PINNED_ATTEMPTS = 64;

  /** A worker ID whose floor cannot be read is released. */
  private static final int MAX_FLOOR_READS = 3;

  /** A write of unknown outcome may take a worker ID from every process for a window. */
  private static final int MAX_UNKNOWN_WRITES = 5;

  private final LeaseConfig config;
  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final LayoutWatch layouts;
  private final TimeSource time;
  private final LeaseProtocol protocol;
  private final MarkProtocol markProtocol;
  private final ReferenceClock clock;
  private final FloorWatch floor;
  private WorkerPool pool;
  private final UnchangedRegisters unchanged;
  private int missed;

  WorkerSearch(
      LeaseConfig config,
      LayoutWatch layouts,
      TimeSource time,
      LeaseProtocol protocol,
      MarkProtocol markProtocol,
      ReferenceClock clock,
      FloorWatch floor) {
    this.markProtocol = markProtocol;
    this.floor = floor;
    this.config = config;
    this.store = config.store();
    this.namespace = config.namespace();
    this.layouts = layouts;
    this.time = time;
    pool = WorkerPool.of(config, Homes.NONE, layouts.layout());
    unchanged = new UnchangedRegisters(time);
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
    long worker =
        config
            .worker()
            .orElseGet(() -> protocol.workerOfUnknownWrite().orElseGet(this::preferredWorker));
    WorkerRead read = lookFirst(worker);
    if (!pool.contains(worker)) { // the namespace has changed to a layout with fewer
      WorkerPool.checkFits(config, layouts.layout());
      worker = preferredWorker();
      read = look(worker, read);
    }
    long earliest =
        read.markRead() == null && protocol.keepsWrites()
            ? Math.max(earliestMillis, floor.floorMillis()) // what is read after the write counts
            : earliestMillis;
    return config.worker().isPresent()
        ? acquirePinned(worker, read, earliest)
        : acquireAny(worker, read, earliest);
  }

  /** Reads the registers of the namespace and of a worker. */
  private WorkerRead lookFirst(long worker) {
    String workerName = namespace.workerRegister(worker);
    Optional<WorkerRead> bound = lookBound(workerName);
    if (bound.isPresent()) {
      choose(bound.get().nowMillis());
      return bound.get();
    }
    String layoutName = namespace.layoutRegister();
    List<Register> seen = store.readAll(List.of(layoutName, workerName, floor.register()));
    floor.see(NamespaceRegisters.find(floor.register(), seen));
    long now = clock.checkedMillis();
    Homes homes =
        layouts.claim(Homes.of(config.datacenter()), NamespaceRegisters.find(layoutName, seen));
    choose(now);
    homes.checkLease(config, layouts.layout());
    return new WorkerRead(NamespaceRegisters.find(workerName, seen), now, null);
  }

  private void choose(long nowMillis) {
    layouts.choose(nowMillis);
    pool = WorkerPool.of(config, Homes.NONE, layouts.layout());
  }

  /** Reads a register with the mark, where the store has an identity. */
  private Optional<WorkerRead> lookBound(String workerName) {
    Optional<MarkRead> read = markProtocol.read(List.of(workerName, floor.register()));
    read.ifPresent(
        markRead -> {
          floor.see(markRead.register(floor.register()));
          markRead.homes().checkLease(config, layouts.layout());
        });
    return read.map(
        markRead -> new WorkerRead(markRead.register(workerName), markRead.nowMillis(), markRead));
  }

  private void requireSettled(@Nullable MarkRead markRead) {
    if (markRead != null && markRead.mustWait()) {
      throw NoFreeWorkerException.unsettled(
          "Store "
              + store
              + " was started, promoted or restored; worker IDs of namespace "
              + namespace.name()
              + " are leased again at "
              + Instant.ofEpochMilli(markRead.settledAtMillis())
              + ", when its settling time ends",
          markRead.settledAtMillis() - markRead.nowMillis());
    }
  }

  /** Returns what a register holds; empty if that cannot be read: such a worker is left alone. */
  static Optional<WorkerRecord> readable(Register register) {
    try {
      return Optional.of(WorkerRecord.parse(register));
    } catch (UnreadableRecordException e) {
      return Optional.empty();
    }
  }

  private LeaseWindow acquirePinned(long worker, WorkerRead first, long earliest) {
    WorkerRead read = first;
    for (int attempt = 0; ; attempt++) {
      WorkerRecord other = read.register().map(WorkerRecord::parse).orElse(null);
      boolean free = isFree(read);
      boolean isLast = attempt >= MAX_PINNED_ATTEMPTS;
      if (other != null && (!free || isLast)) {
        throw pinnedTaken(read.register().orElseThrow(), worker, other, read);
      }
      if (isLast) {
        throw neverRead(namespace.workerRegister(worker));
      }
      LeaseWindow window = write(worker, read, earliest);
      if (window != null) {
        return window;
      }
      read = look(worker, read);
    }
  }

  private StoreException neverRead(String register) {
    return new StoreException(
        "Store "
            + store
            + " refused to write register "
            + register
            + " "
            + MAX_PINNED_ATTEMPTS
            + " times, which was absent at each reading between: its reads do not see its writes;"
            + " use an address that reads where it writes");
  }

  private NoFreeWorkerException pinnedTaken(
      Register register, long worker, WorkerRecord other, WorkerRead read) {
    long freeAt = freeAt(register, other, read);
    if (other.reserved()) {
      return new NoFreeWorkerException(
          "Worker "
              + worker
              + " of "
              + namespace.name()
              + " is reserved for "
              + other.holder()
              + (isEndless(other) ? "" : " until " + Instant.ofEpochMilli(freeAt))
              + "; use another worker ID, or free it with firn workers release",
          freeAt - read.nowMillis());
    }
    return new NoFreeWorkerException(
        "Worker "
            + worker
            + " of "
            + namespace.name()
            + " "
            + other.use()
            + other.holder()
            + ", process "
            + other.pid()
            + "; it is free at "
            + Instant.ofEpochMilli(freeAt),
        freeAt - read.nowMillis());
  }

  private LeaseWindow acquireAny(long preferred, WorkerRead first, long earliest) {
    LeaseWindow window = takePreferred(preferred, first, earliest);
    for (int probe = 0; window == null && probe < RANDOM_PROBES; probe++) {
      window = take(pool.at(time.random(pool.size())), first, earliest);
    }
    return window != null ? window : acquireScanning(first, earliest);
  }

  /**
   * Takes the preferred worker, or a random one if its register alone may be unwritable: in a file
   * store, a process that is stopped in a write has its lock.
   */
  private @Nullable LeaseWindow takePreferred(long preferred, WorkerRead first, long earliest) {
    try {
      return takeIfFree(preferred, first, earliest);
    } catch (StoreException e) {
      if (pool.size() == 1 || protocol.workerOfUnknownWrite().isPresent()) {
        throw e;
      }
      protocol.reset();
      return take(pool.at(time.random(pool.size())), first, earliest);
    }
  }

  private LeaseWindow acquireScanning(WorkerRead first, long earliest) {
    for (int scan = 0; scan < MAX_SCANS; scan++) {
      NavigableMap<Long, Register> used = scan();
      LeaseWindow window = takeFromScan(used, first, earliest);
      if (window != null) {
        return window;
      }
      if (used.size() >= pool.size() && freeIn(used, first) == 0) {
        throw noneFree(used.values(), first);
      }
    }
    throw noneFree(scan().values(), first);
  }

  /** Returns the worker that a process of this instance's name tries first. */
  private long preferredWorker() {
    long hash = config.instance().hashCode() * 0x9e3779b97f4a7c15L;
    return pool.at(Long.remainderUnsigned(hash ^ (hash >>> 32), pool.size()));
  }

  /**
   * Reads the register of a worker. Where the store has no identity, the clock stays as it was; but
   * if the register may have been forgotten, its holder may have renewed until just then, so the
   * clock is read again.
   */
  private WorkerRead look(long worker, WorkerRead before) {
    String name = namespace.workerRegister(worker);
    if (before.markRead() != null) {
      return lookBound(name).orElseGet(() -> lookFirst(worker));
    }
    Optional<Register> register = store.read(name);
    boolean forgotten = register.isEmpty() && protocol.mayForget();
    return new WorkerRead(register, forgotten ? clock.checkedMillis() : before.nowMillis(), null);
  }

  private NavigableMap<Long, Register> scan() {
    NavigableMap<Long, Register> used = new TreeMap<>();
    for (Register register : store.scan(namespace.workerPrefix())) {
      long worker = namespace.workerOf(register);
      if (pool.contains(worker)) {
        used.put(worker, register);
      }
    }
    return used;
  }

  /** Tries workers that were never leased, and then those that are free, from a random place on. */
  private @Nullable LeaseWindow takeFromScan(
      NavigableMap<Long, Register> used, WorkerRead first, long earliest) {
    long workers = pool.size();
    long start = time.random(workers);
    int attempts = 0;
    for (long i = 0; i < workers && attempts < ATTEMPTS_AFTER_SCAN; i++) {
      long worker = pool.at((start + i) % workers);
      if (!used.containsKey(worker)) {
        attempts++;
        LeaseWindow window = take(worker, first, earliest);
        if (window != null) {
          return window;
        }
      }
    }
    LeaseWindow window = takeFree(used.tailMap(pool.at(start), true), first, earliest);
    return window != null ? window : takeFree(used.headMap(pool.at(start), false), first, earliest);
  }

  private @Nullable LeaseWindow takeFree(
      Map<Long, Register> used, WorkerRead first, long earliest) {
    for (Map.Entry<Long, Register> entry : used.entrySet()) {
      if (isFree(entry.getValue(), first)) {
        LeaseWindow window = take(entry.getKey(), first, earliest);
        if (window != null) {
          return window;
        }
      }
    }
    return null;
  }

  private long freeIn(Map<Long, Register> used, WorkerRead read) {
    return used.values().stream().filter(register -> isFree(register, read)).count();
  }

  private NoFreeWorkerException noneFree(Iterable<Register> used, WorkerRead read) {
    long leased = 0;
    long reserved = 0;
    List<UnreadableRecordException> unreadable = new ArrayList<>();
    long next = Long.MAX_VALUE;
    for (Register register : used) {
      try {
        WorkerRecord record = WorkerRecord.parse(register);
        if (!isFree(register, read)) {
          leased += record.reserved() ? 0 : 1;
          reserved += record.reserved() ? 1 : 0;
          next = isEndless(record) ? next : Math.min(next, freeAt(register, record, read));
        }
      } catch (UnreadableRecordException e) {
        unreadable.add(e);
      }
    }
    if (leased + reserved == 0 && !unreadable.isEmpty()) {
      throw unreadable.get(0); // waiting makes it no better
    }
    return new NoFreeWorkerException(
        "No worker ID of "
            + (config.datacenter().isEmpty()
                ? ""
                : "datacenter " + config.datacenter().getAsLong() + " of ")
            + namespace.name()
            + " is free: "
            + leased
            + " of "
            + pool.size()
            + " are leased"
            + (reserved == 0 ? "" : ", " + reserved + " are reserved for other systems")
            + (unreadable.isEmpty()
                ? ""
                : ", and the records of " + unreadable.size() + " cannot be read")
            + (next != Long.MAX_VALUE
                ? "; the next is free at " + Instant.ofEpochMilli(next)
                : reserved > 0
                    ? "; a reserved one needs firn workers release"
                    : "; every write was refused: other processes were faster, or the store's reads"
                        + " do not see its writes; try again, or use an address that reads where it"
                        + " writes"),
        leased + reserved == 0 ? 0 : Math.min(next, WorkerRecord.NEVER_MILLIS) - read.nowMillis());
  }

  private static boolean isEndless(WorkerRecord record) {
    return record.reserved() && record.fenceMillis() == WorkerRecord.NEVER_MILLIS;
  }

  private boolean isFree(WorkerRead read) {
    Optional<Register> register = read.register();
    return register.isEmpty() || protocol.isOutstanding(register) || isFree(register.get(), read);
  }

  private boolean isFree(Register register, WorkerRead read) {
    return readable(register).filter(record -> isFree(register, record, read)).isPresent();
  }

  private boolean isFree(Register register, WorkerRecord record, WorkerRead read) {
    boolean bound = read.markRead() != null;
    // Only this process held its last window, and that has ended.
    boolean own = bound && protocol.isLastWrite(register) && !floor.isWanted();
    long freeAt = own ? record.fenceMillis() : freeAt(register, record, read);
    long tolerance = bound || record.held() || record.reserved() ? 0 : config.maxClockSkewMillis();
    return freeAt <= read.nowMillis() + tolerance;
  }

  private long freeAt(Register register, WorkerRecord record, WorkerRead read) {
    long freeAt = protocol.freeAtMillis(record, read.markRead());
    return floor.isWanted() && record.held()
        ? Math.max(freeAt, deadAt(register, record, read))
        : freeAt;
  }

  /**
   * Returns when the holder of a worker commits nothing more: to take its worker over is to declare
   * it dead. Without a clock of the store, that is so once its register has not changed.
   */
  private long deadAt(Register register, WorkerRecord record, WorkerRead read) {
    long grace = Math.max(config.maxSplitMillis(), floor.graceMillis());
    long deadAt = record.fenceMillis() + grace;
    if (read.markRead() != null || clock.hasStoreClock()) {
      return deadAt;
    }
    long wait = record.windowMillis() + grace + config.maxClockSkewMillis();
    long passed = TimeUnit.NANOSECONDS.toMillis(unchanged.nanos(register));
    return Math.max(deadAt, read.nowMillis() + wait - passed);
  }

  private @Nullable LeaseWindow take(long worker, WorkerRead before, long earliest) {
    return takeIfFree(worker, look(worker, before), earliest);
  }

  private @Nullable LeaseWindow takeIfFree(long worker, WorkerRead read, long earliest) {
    return isFree(read) ? write(worker, read, earliest) : null;
  }

  private @Nullable LeaseWindow write(long worker, WorkerRead first, long earliest) {
    requireSettled(first.markRead());
    LeaseWindow window = protocol.take(worker, first, earliest);
    // The same worker again: that write may have taken it.
    WorkerRead read = first;
    while (window == null && protocol.workerOfUnknownWrite().isPresent()) {
      if (++missed == MAX_UNKNOWN_WRITES) {
        throw new StoreException(
            "Store "
                + store
                + " did not report the outcome of "
                + MAX_UNKNOWN_WRITES
                + " writes; no worker ID was leased");
      }
      read = look(worker, read);
      if (!isFree(read)) {
        return null;
      }
      requireSettled(read.markRead());
      window = protocol.take(worker, read, earliest);
    }
    return window == null ? null : permitted(window, earliest, read.markRead());
  }

  /**
   * Limits an acquired window: it begins at the floor and ends with the layout. Only a read after
   * the write counts.
   */
  private LeaseWindow permitted(LeaseWindow window, long earliestMillis, @Nullable MarkRead under) {
    long begin = window.notBeforeMillis();
    long floor = readFloor(begin, under);
    long earliest = Math.max(floor, layouts.fromMillis());
    long from = Math.max(begin, earliest);
    try {
      layouts.requireUsable(from);
    } catch (FirnException e) {
      release(begin);
      throw e;
    }
    long until = Math.min(window.notAfterMillis(), layouts.untilMillis());
    ClockReading read = clock.read();
    requireNear(window, earliestMillis, under, read.wallMillis());
    long now = clock.trustedMillis(read);
    long lead = Math.max(window.leadMillis(), Math.max(now, earliest) - now);
    return new LeaseWindow(window.worker(), from, until, lead);
  }

  /** Gives back a window that begins far ahead of a clock that has gone back since it was read. */
  private void requireNear(
      LeaseWindow window, long earliest, @Nullable MarkRead under, long nowMillis) {
    long begin = window.notBeforeMillis();
    long settled = under == null ? nowMillis : under.settledAtMillis();
    // A register that may have been forgotten is taken a window and the skew ahead.
    long ahead = config.windowMillis() + 2 * config.maxClockSkewMillis();
    if (begin <= Math.max(nowMillis, Math.max(settled, earliest)) + ahead) {
      return;
    }
    release(begin);
    throw NoFreeWorkerException.unsettled(
        "The clock went back while worker "
            + window.worker()
            + " of "
            + namespace.name()
            + " was leased: its window begins at "
            + Instant.ofEpochMilli(begin)
            + ", and the clock of this host reads "
            + Instant.ofEpochMilli(nowMillis)
            + "; the worker ID was given back: synchronize the clocks",
        0);
  }

  /** Reads the floor and the layouts of the namespace. */
  private long readFloor(long beginMillis, @Nullable MarkRead under) {
    for (int attempt = 1; ; attempt++) {
      try {
        if (under == null) {
          return readAfterWrite();
        }
        MarkRead now = markProtocol.read(List.of(floor.register())).orElse(under);
        floor.see(now.register(floor.register()));
        // A floor that was lost with the mark was not past the new mark's time.
        long since = now.settledAtMillis() - now.mark().settleMillis();
        return now.hasMarkOf(under) ? floor.floorMillis() : Math.max(floor.floorMillis(), since);
      } catch (RuntimeException e) {
        if (attempt == MAX_FLOOR_READS) {
          release(beginMillis);
          throw e;
        }
      }
    }
  }

  /** Homes that were recorded before the own write are seen here, and before those see it. */
  private long readAfterWrite() {
    List<Register> seen = readNamespace(true);
    NamespaceRegisters.find(namespace.layoutRegister(), seen)
        .map(NamespaceRegisters::homesIn)
        .ifPresent(now -> now.checkLease(config, layouts.layout()));
    return floor.floorMillis();
  }

  /** Reads the namespace after a renewal, and returns its home datacenters. */
  Homes readHomes(boolean withFloor) {
    return NamespaceRegisters.find(namespace.layoutRegister(), readNamespace(withFloor))
        .map(NamespaceRegisters::homesIn)
        .orElse(Homes.NONE);
  }

  /** Reads the layouts of the namespace after a write, and the floor if that is due. */
  private List<Register> readNamespace(boolean withFloor) {
    String layout = namespace.layoutRegister();
    String floorName = floor.register();
    List<Register> seen = store.readAll(withFloor ? List.of(layout, floorName) : List.of(layout));
    layouts.see(NamespaceRegisters.find(layout, seen));
    floor.see(NamespaceRegisters.find(floorName, seen));
    return seen;
  }

  /** Gives back an unused window. */
  void release(long beginMillis) {
    try {
      boolean unused = protocol.release(beginMillis);
    } catch (RuntimeException e) {
      LeaseEvents.logNow(System.Logger.Level.DEBUG, "not released: " + protocol, e);
    }
  }
}
