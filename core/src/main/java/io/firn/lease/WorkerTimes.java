package io.firn.lease;

import io.firn.IdLayout;
import io.firn.LayoutExpiredException;
import io.firn.internal.RecordText;
import io.firn.lease.TimesLimits.Window;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/**
 * Takes ID times of workers without leasing them, for blocks of IDs. For {@code io.firn.block} and
 * {@code io.firn.integration} only. Thread-safe.
 *
 * <p>One compare-and-set takes and releases a worker: its register stays free, and its fence moves
 * to the end of what was taken. So the times from the later of the old fence and the beginning to
 * the new fence belong to the writer, as those of a lease's window do. A write counts only if it
 * was applied. After any other outcome another worker is tried, and the times are a gap.
 *
 * <p>Where the store has an identity, the write is bound to the mark, and no time before the end of
 * the settling time is taken; see {@link MarkProtocol}. If such a store may forget, the times end
 * where new processes begin if it forgets right after. A store that may forget and has no identity
 * is refused.
 *
 * <p>Workers of the upper half are taken, at random, so that half of the namespace is left to
 * generators: a worker whose fence is ahead of the clock is not leased.
 */
public final class WorkerTimes {

  /** The registers that are read at once. */
  private static final int BATCH = 128;

  /** The workers that are read before a refusal. Each batch is a request to the store. */
  private static final int MAX_READ = 8 * BATCH;

  /** Each is lost to another process, or its outcome is unknown. */
  private static final int MAX_ROUNDS = 16;

  /**
   * The limit of blocks on the last free worker: a generator that leases it waits for their times.
   */
  private static final long MAX_AHEAD_OF_ONE_MILLIS = 10_000;

  private final LeaseConfig config;
  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final IdLayout layout;
  private final LayoutWatch layouts;
  private final TimeSource time;
  private final ReferenceClock clock;
  private final MarkProtocol markProtocol;
  private final long maxAheadMillis;
  private final TimesLimits limits;
  private final FloorWatch floor;
  private final ReentrantLock lock = new ReentrantLock();
  private Homes homes;
  private WorkerPool pool;

  private long recent = -1;

  private WorkerTimes(
      LeaseConfig config, IdLayout layout, Homes homes, Duration maxAhead, TimeSource time) {
    WorkerPool.checkFits(config, layout);
    this.config = config;
    this.layout = layout;
    this.homes = homes;
    pool = WorkerPool.of(config, homes, layout);
    this.time = time;
    store = config.store();
    namespace = config.namespace();
    clock = new ReferenceClock(config, time);
    layouts = new LayoutWatch(config, layout, null, time);
    markProtocol = new MarkProtocol(config, layouts, time, 0, clock);
    floor = new FloorWatch(config);
    maxAheadMillis =
        pool.size() == 1
            ? Math.min(maxAhead.toMillis(), MAX_AHEAD_OF_ONE_MILLIS)
            : maxAhead.toMillis();
    limits = new TimesLimits(config, layout, layouts, maxAheadMillis);
  }

  /**
   * Returns the times of a namespace's workers, with the settings of its generators.
   *
   * @param lease their lease
   * @param wanted the layout if the namespace is new; null for {@link IdLayout#CLASSIC}, or
   *     whatever it has
   * @param maxAhead how far past the clock the times may end; 10 s if the layout has one worker and
   *     this is more
   * @throws IllegalArgumentException if the store may forget and has no identity, or the namespace
   *     is not there
   * @throws LayoutMismatchException if the namespace has another layout than the wanted one
   */
  public static WorkerTimes of(
      LeaseConfig lease, @Nullable IdLayout wanted, Duration maxAhead, TimeSource time) {
    NamespaceRegisters named = lease.namespace();
    RegisterStore store = lease.store();
    if (store.mayForget() && store.snapshot(List.of(named.layoutRegister())).isEmpty()) {
      throw new IllegalArgumentException(
          "store: "
              + store
              + " (expected: one that keeps what it acknowledged, or has an identity, for blocks)");
    }
    Optional<NamespaceRecord> recorded =
        store.read(named.layoutRegister()).map(NamespaceRecord::parse);
    long now = time.currentTimeMillis();
    Optional<IdLayout> has = recorded.map(record -> record.layouts().at(now));
    IdLayout layout = wanted != null ? wanted : has.orElse(IdLayout.CLASSIC);
    has.ifPresent(had -> named.check(layout, had));
    Homes homes = recorded.map(NamespaceRecord::homes).orElse(Homes.of(lease.datacenter()));
    return new WorkerTimes(lease, layout, homes, maxAhead, time);
  }

  /** Returns a lease with the default settings, and the settling time of the namespace. */
  public static LeaseConfig defaultLease(RegisterStore store, String namespace) {
    return LeaseConfig.likeOthers(Namespace.of(store, namespace).registers());
  }

  /**
   * Returns a lease with the settling time of the namespace, and what its generators count on.
   *
   * @param maxClockSkew as in {@link LeaseConfig.Builder#maxClockSkew}; null for the default
   * @param maxSplit as in {@link LeaseConfig.Builder#maxSplit}; null for the default
   */
  public static LeaseConfig lease(
      RegisterStore store,
      String namespace,
      @Nullable Duration maxClockSkew,
      @Nullable Duration maxSplit) {
    return LeaseConfig.likeOthers(
        Namespace.of(store, namespace).registers(), maxClockSkew, maxSplit);
  }

  /**
   * Refuses a namespace with a watermark, which does not cover blocks. Only a call after the write
   * of a block decides: a watermark may be asked for at any time.
   *
   * @throws IllegalStateException if it has one
   */
  public void requireNoWatermark() {
    if (store.read(namespace.watermarkRegister()).isPresent()) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " has a watermark, whose readers may be past the IDs of a block; use another"
              + " namespace, or ask for blocks outside of it");
    }
  }

  /** Returns the store. */
  public RegisterStore store() {
    return store;
  }

  /** Returns the name of the namespace. */
  public String namespace() {
    return namespace.name();
  }

  /** Returns the layout of the namespace. */
  public IdLayout layout() {
    return layout;
  }

  /** Returns how far past the clock the times may end. */
  public Duration maxAhead() {
    return Duration.ofMillis(maxAheadMillis);
  }

  /**
   * The same times of some workers.
   *
   * @param workers the workers, ascending
   * @param firstTick the first tick, since the layout's epoch
   */
  public record Taken(List<Long> workers, long firstTick) {
    /** Copies the list. */
    public Taken {
      workers = List.copyOf(workers);
    }
  }

  /** The state that was read at one moment. */
  private record WorkersState(
      List<Register> registers, long nowMillis, Homes homes, @Nullable MarkRead markRead) {
    @Nullable Binding binding() {
      return markRead == null ? null : markRead.binding();
    }
  }

  /** A worker whose times may be taken from its fence on. */
  private record Candidate(
      long worker, long version, long fenceMillis, OptionalLong replacedMillis) {

    static Candidate of(long worker, long version, WorkerRecord record) {
      OptionalLong replaced =
          record.held() ? OptionalLong.of(record.fenceMillis()) : record.replacedBeforeMillis();
      return new Candidate(worker, version, record.fenceMillis(), replaced);
    }
  }

  /**
   * Takes ticks of some workers, the same of each.
   *
   * @param count how many workers
   * @param ticks how many ticks of each, in a row
   * @param begin a time in the first tick; empty for now, or as soon after as workers are free
   * @throws NoFreeWorkerException if too few workers have those times free
   * @throws LayoutExpiredException if the layout ends before them
   * @throws StoreException if the store cannot be asked
   */
  public Taken take(int count, long ticks, Optional<Instant> begin) {
    lock.lock();
    try {
      return takeNow(count, ticks, begin);
    } finally {
      lock.unlock();
    }
  }

  private Taken takeNow(int count, long ticks, Optional<Instant> begin) {
    long start = time.random(candidates());
    long read = 0;
    List<Candidate> free = new ArrayList<>();
    Binding under = null;
    for (int writes = 0; writes < MAX_ROUNDS; ) {
      List<Long> workers = batch(start, read, count);
      WorkersState state = look(workers);
      if (!state.homes().equals(homes)) {
        writes++; // bounded, as if others had written
        homes = state.homes();
        pool = WorkerPool.of(config, homes, layout);
        start = time.random(candidates());
        read = 0;
        recent = -1;
        free.clear();
        continue;
      }
      Window window = limits.window(state.nowMillis(), state.markRead(), ticks, begin);
      if (!Objects.equals(under, state.binding())) { // those before were read under another mark
        free.clear();
        under = state.binding();
      }
      free.addAll(free(workers, state));
      free.sort(Comparator.comparingLong(candidate -> order(candidate, window)));
      read += workers.size();
      boolean all = read >= Math.min(candidates(), MAX_READ);
      // Of a few, only those that are free soon count: others may be free earlier.
      long latest = all || read >= BATCH ? window.lastBeginMillis() : window.soonMillis();
      if (free.size() >= count && free.get(count - 1).fenceMillis() <= latest) {
        writes++;
        Taken taken = write(count, ticks, window, free, state);
        if (taken != null) {
          return taken;
        }
        read = 0; // reads them again
        free.clear();
      } else if (all) {
        throw noRoom(count, ticks, begin, read, free);
      }
    }
    throw new StoreException(
        "Store "
            + store
            + " did not report the outcome of "
            + MAX_ROUNDS
            + " writes of ID times of namespace "
            + namespace.name()
            + "; none of them was used");
  }

  private NoFreeWorkerException noRoom(
      int count, long ticks, Optional<Instant> begin, long read, List<Candidate> free) {
    long millis = ticks * layout.tick().toMillis();
    long soonest = free.size() < count ? Long.MAX_VALUE : free.get(count - 1).fenceMillis();
    return new NoFreeWorkerException(
        "Namespace "
            + namespace.name()
            + " has no "
            + millis
            + " ms of ID time "
            + begin.map(instant -> "from " + instant).orElse("ahead of the clock")
            + " in "
            + count
            + " of its workers: of the "
            + read
            + " read, "
            + (soonest >= WorkerRecord.NEVER_MILLIS
                ? free.size() + " are neither leased nor reserved"
                : count + " are free from " + Instant.ofEpochMilli(soonest) + " on")
            + "; ask for fewer IDs, or "
            + (begin.isPresent() ? "for a later time" : "try again later"),
        0);
  }

  /** Returns how many workers blocks are taken of, at least 1. */
  public long candidates() {
    return Math.max(1, pool.size() / 2);
  }

  /** Returns the next workers of the upper half to read. */
  private List<Long> batch(long start, long read, int count) {
    long half = pool.size() - candidates();
    // The worker that was taken last is free as a rule, and those beside it that are needed.
    long first = recent < 0 ? start : pool.indexOf(recent) - half;
    long size = recent < 0 || read > 0 ? BATCH : count;
    return LongStream.range(read, Math.min(read + size, candidates()))
        .mapToObj(i -> pool.at(half + (first + i) % candidates()))
        .toList();
  }

  private WorkersState look(List<Long> workers) {
    List<String> names = new ArrayList<>(workers.stream().map(namespace::workerRegister).toList());
    names.add(floor.register());
    MarkRead markRead = markProtocol.read(names).orElse(null);
    if (markRead != null) {
      floor.see(markRead.register(floor.register()));
      layouts.choose(markRead.nowMillis());
      markRead.homes().checkDatacenter(config);
      return new WorkersState(
          markRead.snapshot().registers(), markRead.nowMillis(), markRead.homes(), markRead);
    }
    names.add(namespace.layoutRegister());
    List<Register> seen = new ArrayList<>(store.readAll(names));
    floor.see(NamespaceRegisters.find(floor.register(), seen));
    Optional<Register> own = NamespaceRegisters.find(namespace.layoutRegister(), seen);
    Homes homesNow = layouts.claim(Homes.of(config.datacenter()), own);
    homesNow.checkDatacenter(config);
    own.ifPresent(seen::remove);
    long now = clock.checkedMillis();
    layouts.choose(now);
    return new WorkersState(seen, now, homesNow, null);
  }

  /** Returns the workers that are free. */
  private List<Candidate> free(List<Long> workers, WorkersState state) {
    Map<String, Register> registers =
        state.registers().stream().collect(Collectors.toMap(Register::name, Function.identity()));
    List<Candidate> free = new ArrayList<>();
    for (long worker : workers) {
      Register register = registers.get(namespace.workerRegister(worker));
      if (register == null) {
        free.add(new Candidate(worker, 0, Long.MIN_VALUE, OptionalLong.empty()));
        continue;
      }
      WorkerSearch.readable(register)
          .filter(record -> !record.held() || isOver(worker, record, state))
          .map(record -> Candidate.of(worker, register.version(), record))
          .ifPresent(free::add);
    }
    return free;
  }

  /** Returns whether a holder has ended, and commits nothing more. */
  private boolean isOver(long worker, WorkerRecord record, WorkersState state) {
    if (floor.isWanted()) { // readers of the watermark declare it dead
      return false;
    }
    MarkRead markRead = state.markRead();
    // No process tolerates a replaced store for longer than that.
    long settle = markRead == null ? 0 : markRead.mark().settleMillis();
    long grace = Math.max(settle, FloorRecord.GRACE_MILLIS);
    return record.freeAtMillis(grace) <= state.nowMillis()
        && new GuardProtocol(namespace, time).end(worker, record);
  }

  private @Nullable Taken write(
      int count, long ticks, Window window, List<Candidate> free, WorkersState state) {
    long begin = window.beginMillis();
    for (Candidate candidate : free.subList(0, count)) {
      begin = Math.max(begin, candidate.fenceMillis());
    }
    long firstTick = firstTick(begin);
    long beginMillis = layout.instantAt(firstTick).toEpochMilli();
    long endMillis = layout.instantAt(firstTick + ticks).toEpochMilli();
    if (endMillis > layout.positiveUntil().toEpochMilli()) {
      throw LayoutExpiredException.ofBlock(layout, endMillis);
    }
    List<Long> taken = new ArrayList<>();
    for (Candidate candidate : free) {
      if (candidate.fenceMillis() <= beginMillis
          && isWritten(candidate, beginMillis, endMillis, state)) {
        taken.add(candidate.worker());
        recent = candidate.worker();
        if (taken.size() == count) {
          Collections.sort(taken);
          return isStillPermitted(beginMillis, endMillis, state)
              ? new Taken(taken, firstTick)
              : null;
        }
      }
    }
    return null; // those that were taken are gaps
  }

  /**
   * Returns whether times that were taken are those of the layout, and of a home datacenter. Only a
   * read after the write counts; a write that is bound to what was read needs none.
   */
  private boolean isStillPermitted(long beginMillis, long endMillis, WorkersState state) {
    if (state.markRead() == null) {
      NamespaceRecord now =
          store.read(namespace.layoutRegister()).map(NamespaceRecord::parse).orElse(null);
      if (now == null || !now.homes().equals(state.homes())) {
        return false;
      }
      layouts.see(now);
    }
    layouts.requireUsable(beginMillis);
    return endMillis <= layouts.untilMillis();
  }

  /** Returns from when on a worker has times, or less than any for the one that was taken last. */
  private long order(Candidate candidate, Window window) {
    long from = Math.max(window.beginMillis(), candidate.fenceMillis());
    boolean again = candidate.worker() == recent && from <= window.soonMillis();
    return again ? Long.MIN_VALUE : from;
  }

  /** Returns the first tick that begins at a time or past it. */
  private long firstTick(long beginMillis) {
    long since = beginMillis - layout.epoch().toEpochMilli();
    return Math.max(0, -Math.floorDiv(-since, layout.tick().toMillis()));
  }

  private boolean isWritten(
      Candidate candidate, long beginMillis, long endMillis, WorkersState state) {
    String name = namespace.workerRegister(candidate.worker());
    String text =
        new WorkerRecord(
                endMillis,
                false,
                OptionalLong.of(beginMillis),
                config.windowMillis(),
                config.instance(),
                ProcessHandle.current().pid(),
                RecordText.nonce(time),
                RecordText.nonce(time))
            .withBlock(OptionalLong.of(endMillis))
            .withReplaced(candidate.replacedMillis())
            .withLayout(layout.toString())
            .text();
    WriteResult written = namespace.write(name, candidate.version(), text, state.binding());
    return written.outcome() == WriteResult.Outcome.APPLIED;
  }
}
