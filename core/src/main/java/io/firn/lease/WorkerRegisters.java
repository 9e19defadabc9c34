package io.firn.lease;

import io.firn.IdLayout;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The lease protocol: what is read from and written to the register of a worker, and when.
 *
 * <h2>Why no two windows overlap</h2>
 *
 * The register of a worker holds a fence. Whoever takes the worker writes a larger fence against
 * the version that it read, and has the ID times from the old fence to the new one. Whoever renews
 * does the same against the version that it wrote itself. So every permitted ID time lies between
 * two fences that one compare-and-set has moved, and belongs to the one that moved it. The clock
 * only proposes: a wrong one makes windows that are far away or useless, never ones that overlap.
 *
 * <p>Only the holder sets a fence back, to just past the last tick that it drew, after it has
 * closed its word for good.
 *
 * <p>A write whose outcome is unknown is read back: a token names each acquisition, so a register
 * with one's own token is one's own, whichever of one's writes it was. If it is not there, the
 * write may still be applied later; then nobody uses that window, and no harm is done.
 *
 * <p>Whether a worker is free is asked for politeness alone. A worker is free past its fence, or at
 * once when it was given back.
 *
 * <h2>A store that may forget</h2>
 *
 * A register that is not there may have been there. Its first window therefore begins one window
 * and the clock skew ahead of the store's clock, past every window that its forgotten holder can
 * have. A worker that was not given back is free only a whole window after its fence, because a
 * forgotten renewal may have moved that by as much.
 */
final class WorkerRegisters {

  /** What a process has of a worker's register: the record that it wrote, and its version. */
  record Hold(long worker, long version, WorkerRecord record, Window window) {}

  private static final int RANDOM_PROBES = 12;
  private static final int ATTEMPTS_AFTER_SCAN = 64;
  private static final int MAX_SCANS = 8;

  /** Each is lost to another process that takes the worker and gives it back again. */
  private static final int MAX_PINNED_ATTEMPTS = 64;

  /** A write of unknown outcome may take a worker ID from everybody for a window. */
  private static final int MAX_UNTOLD = 5;

  /** A release that finds an earlier write of unknown outcome has to follow it once. */
  private static final int MAX_RELEASES = 3;

  private final LeaseConfig config;
  private final RegisterStore store;
  private final Namespace namespace;
  private final IdLayout layout;
  private final TimeSource time;
  private final Tokens tokens;
  private final ClockCheck clocks;
  private int untold;

  WorkerRegisters(LeaseConfig config, IdLayout layout, TimeSource time) {
    this.config = config;
    this.store = config.store();
    this.namespace = config.namespace();
    this.layout = layout;
    this.time = time;
    clocks = new ClockCheck(config, time);
    tokens = new Tokens(time);
  }

  /**
   * Takes a worker ID for a window that begins at {@code earliestMillis} or later.
   *
   * @throws NoFreeWorkerException if there is none now
   */
  Hold acquire(long earliestMillis) {
    untold = 0;
    long worker = config.worker().orElseGet(this::home);
    String layoutName = namespace.layoutRegister();
    String workerName = namespace.workerRegister(worker);
    List<Register> seen = store.readAll(List.of(layoutName, workerName));
    long now = clocks.referenceMillis();
    namespace.claim(layout, named(layoutName, seen));
    Optional<Register> register = named(workerName, seen);
    return config.worker().isPresent()
        ? acquirePinned(worker, register, now, earliestMillis)
        : acquireAny(worker, register, now, earliestMillis);
  }

  private static Optional<Register> named(String name, List<Register> registers) {
    return registers.stream().filter(register -> register.name().equals(name)).findFirst();
  }

  private Hold acquirePinned(long worker, Optional<Register> seen, long since, long earliest) {
    Optional<Register> register = seen;
    long now = since;
    for (int attempt = 0; ; attempt++) {
      WorkerRecord other = register.map(WorkerRecord::parse).orElse(null);
      if (other != null && (!mayTake(other, now) || attempt >= MAX_PINNED_ATTEMPTS)) {
        throw pinnedTaken(worker, other);
      }
      Hold hold = write(worker, register, other, now, earliest);
      if (hold != null) {
        return hold;
      }
      register = read(worker);
      now = clockAfter(register, now);
    }
  }

  private NoFreeWorkerException pinnedTaken(long worker, WorkerRecord other) {
    return new NoFreeWorkerException(
        "worker: "
            + worker
            + " of "
            + namespace.name()
            + " is leased to "
            + other.holder()
            + ", process "
            + other.pid()
            + " (expected: free, it is at "
            + Instant.ofEpochMilli(freeAt(other))
            + ")");
  }

  private Hold acquireAny(long home, Optional<Register> seen, long now, long earliest) {
    Hold hold = take(home, seen, now, earliest);
    for (int probe = 0; hold == null && probe < RANDOM_PROBES; probe++) {
      hold = take(time.random(layout.workers()), now, earliest);
    }
    return hold != null ? hold : acquireScanning(now, earliest);
  }

  private Hold acquireScanning(long now, long earliest) {
    for (int scan = 0; scan < MAX_SCANS; scan++) {
      Map<Long, Register> used = scan();
      Hold hold = takeFromScan(used, now, earliest);
      if (hold != null) {
        return hold;
      }
      if (used.size() >= layout.workers() && freeIn(used, now) == 0) {
        throw noneFree(used.values(), now);
      }
    }
    throw noneFree(scan().values(), now);
  }

  /** The worker that a process of this instance's name tries first. */
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
  private @Nullable Hold takeFromScan(Map<Long, Register> used, long now, long earliest) {
    long workers = layout.workers();
    long start = time.random(workers);
    int attempts = 0;
    for (long i = 0; i < workers && attempts < ATTEMPTS_AFTER_SCAN; i++) {
      long worker = (start + i) % workers;
      if (!used.containsKey(worker)) {
        attempts++;
        Hold hold = take(worker, now, earliest);
        if (hold != null) {
          return hold;
        }
      }
    }
    for (Map.Entry<Long, Register> entry : used.entrySet()) {
      if (isFree(WorkerRecord.parse(entry.getValue()), now)) {
        Hold hold = take(entry.getKey(), now, earliest);
        if (hold != null) {
          return hold;
        }
      }
    }
    return null;
  }

  private long freeIn(Map<Long, Register> used, long now) {
    return used.values().stream().filter(r -> isFree(WorkerRecord.parse(r), now)).count();
  }

  private NoFreeWorkerException noneFree(Iterable<Register> used, long now) {
    long leased = 0;
    long next = Long.MAX_VALUE;
    for (Register register : used) {
      WorkerRecord record = WorkerRecord.parse(register);
      if (!isFree(record, now)) {
        leased++;
        next = Math.min(next, freeAt(record));
      }
    }
    return new NoFreeWorkerException(
        "workers: "
            + leased
            + " of "
            + layout.workers()
            + " of "
            + namespace.name()
            + " are leased (expected: a free one"
            + (leased == 0 ? "" : ", the next is at " + Instant.ofEpochMilli(next))
            + ")");
  }

  private boolean isFree(WorkerRecord record, long now) {
    return freeAt(record) <= now + (record.held() ? 0 : config.maxClockSkewMillis());
  }

  private long freeAt(WorkerRecord record) {
    return record.freeAtMillis(store.mayForget() ? record.windowMillis() : 0);
  }

  private @Nullable Hold take(long worker, long now, long earliest) {
    Optional<Register> register = read(worker);
    return take(worker, register, clockAfter(register, now), earliest);
  }

  /** Takes that worker if it is free; null if it is not, or if another was faster. */
  private @Nullable Hold take(long worker, Optional<Register> register, long now, long earliest) {
    WorkerRecord before = register.map(WorkerRecord::parse).orElse(null);
    return before == null || mayTake(before, now)
        ? write(worker, register, before, now, earliest)
        : null;
  }

  /** Whether the worker is free, for a clock that the others agree with. */
  private boolean mayTake(WorkerRecord before, long now) {
    clocks.againstPeers(before, now);
    return isFree(before, now);
  }

  /** Puts a window behind what the register holds; null if another was faster. */
  private @Nullable Hold write(
      long worker,
      Optional<Register> register,
      @Nullable WorkerRecord before,
      long now,
      long earliest) {
    long clock = time.currentTimeMillis();
    long free = Math.max(clock, fenceOf(before, now));
    long begin = Math.max(free, earliest);
    WorkerRecord mine =
        new WorkerRecord(
            begin + config.windowMillis(),
            true,
            OptionalLong.of(begin),
            config.windowMillis(),
            config.instance(),
            ProcessHandle.current().pid(),
            tokens.next());
    long version = register.map(Register::version).orElse(0L);
    WriteResult written =
        store.compareAndSet(namespace.workerRegister(worker), version, mine.text());
    Window window = new Window(worker, begin, mine.fenceMillis(), free - clock);
    return switch (written.outcome()) {
      case APPLIED -> new Hold(worker, written.version(), mine, window);
      case CONFLICT -> null;
      case UNKNOWN -> readBack(worker, mine, window);
    };
  }

  private long fenceOf(@Nullable WorkerRecord before, long now) {
    if (before != null) {
      return before.fenceMillis();
    }
    return store.mayForget()
        ? now + config.windowMillis() + config.maxClockSkewMillis()
        : Long.MIN_VALUE;
  }

  /**
   * The clock for a register that was just read. Where that may have been forgotten it is read
   * anew, for its holder may have renewed until just then.
   */
  private long clockAfter(Optional<Register> register, long now) {
    return register.isEmpty() && store.mayForget() ? clocks.referenceMillis() : now;
  }

  private @Nullable Hold readBack(long worker, WorkerRecord mine, Window window) {
    Register register = read(worker).orElse(null);
    if (register != null && register.value().equals(mine.text())) {
      return new Hold(worker, register.version(), mine, window);
    }
    if (++untold == MAX_UNTOLD) {
      throw new StoreException(
          "store: " + store + " (expected: to tell what became of " + MAX_UNTOLD + " writes)");
    }
    return null;
  }

  /**
   * Moves the fence on to a window past {@code untilMillis}.
   *
   * @return the hold with its new fence, or null if the register is no longer this process's
   * @throws StoreException if the store cannot be asked, or does not tell what became of the write
   */
  @Nullable Hold renew(Hold hold, long untilMillis) {
    long fence = Math.max(hold.record().fenceMillis(), untilMillis + config.windowMillis());
    WorkerRecord record = hold.record().withFence(fence);
    WriteResult written =
        store.compareAndSet(namespace.workerRegister(hold.worker()), hold.version(), record.text());
    return switch (written.outcome()) {
      case APPLIED -> extended(hold, written.version(), record);
      case CONFLICT -> recognise(hold);
      case UNKNOWN -> {
        Hold seen = recognise(hold);
        if (seen != null && seen.record().fenceMillis() < fence) {
          throw new StoreException(
              "store: " + store + " (expected: to tell what became of a renewal)");
        }
        yield seen;
      }
    };
  }

  /** Finds out by reading what became of earlier writes; null if the register is another's now. */
  private @Nullable Hold recognise(Hold hold) {
    Register register = read(hold.worker()).orElse(null);
    if (register == null || register.version() < hold.version()) {
      return null;
    }
    WorkerRecord record = WorkerRecord.parse(register);
    return record.held() && record.token().equals(hold.record().token())
        ? extended(hold, register.version(), record)
        : null;
  }

  private static Hold extended(Hold hold, long version, WorkerRecord record) {
    Window before = hold.window();
    Window window =
        new Window(
            before.worker(), before.notBeforeMillis(), record.fenceMillis(), before.leadMillis());
    return new Hold(hold.worker(), version, record, window);
  }

  /**
   * Gives the worker back, with its fence just past the last tick that was drawn. Call after the
   * generator is closed.
   *
   * @return whether the register tells so now
   */
  boolean release(Hold hold, long newestMillis) {
    Hold mine = hold;
    for (int attempt = 0; mine != null && attempt < MAX_RELEASES; attempt++) {
      long fence =
          Math.max(
              mine.window().notBeforeMillis(), Math.min(newestMillis, mine.record().fenceMillis()));
      String text = mine.record().released(fence).text();
      WriteResult written =
          store.compareAndSet(namespace.workerRegister(mine.worker()), mine.version(), text);
      if (written.outcome() == WriteResult.Outcome.APPLIED
          || read(mine.worker()).filter(now -> now.value().equals(text)).isPresent()) {
        return true;
      }
      mine = recognise(mine);
    }
    return false;
  }
}
