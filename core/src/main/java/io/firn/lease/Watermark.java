package io.firn.lease;

import static io.firn.internal.Require.inRange;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.IdLayout;
import io.firn.internal.RecordText;
import io.firn.internal.Require;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The safe watermark of a namespace: the largest ID such that every row with that ID or a smaller
 * one is committed, or never will be. A reader that pages up to it, {@code WHERE id > :last AND id
 * <= :watermark ORDER BY id}, misses no row and reads none twice. Thread-safe.
 *
 * <p>It covers rows whose IDs were drawn, and which were committed, inside an {@link
 * io.firn.IdScope}. An ID that was drawn outside of scopes is covered only up to the moment it is
 * drawn: its row may be committed below the watermark. Blocks of IDs, and IDs that another system
 * makes with a reserved worker ID, are not covered.
 *
 * <h2>Why nothing appears below it</h2>
 *
 * Each holder publishes a low mark with its renewals: no ID of the holder before it is in an open
 * scope, or is drawn any more. A floor covers processes that hold no worker ID yet: after it has
 * acquired one, a process reads the floor, and begins there or later. A reader first raises the
 * floor, and then reads the registers of all worker IDs; the watermark is just before the smallest
 * of the floor and the low marks. A process writes its worker's register before it reads the floor,
 * and a reader writes the floor before it reads the registers: so one of the two sees the other.
 *
 * <p>A holder that is gone holds the watermark back until it is declared dead, by a compare-and-set
 * of its register, after which it can never renew. A reader does that when 10 s have passed since
 * its fence, by the store's clock; without one, once its register has not changed for a window,
 * that grace and the largest clock skew, by the reader's monotonic clock. By then the holder
 * refuses commits, see {@link io.firn.IdScope#beforeCommit}.
 *
 * <p>Where the store has an identity, the watermark counts once it was written under the mark under
 * which the floor was raised, and stops until the settling time and the grace are over.
 */
public final class Watermark {

  private static final Duration GRACE = Duration.ofMillis(FloorRecord.GRACE_MILLIS);
  private static final Duration MAX_GRACE = Duration.ofDays(1);

  /** Each is lost to another reader, or its outcome is unknown. */
  private static final int MAX_ATTEMPTS = 16;

  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

  private static final Duration MIN_HEARTBEAT = Duration.ofMillis(100);
  private static final Duration MAX_HEARTBEAT = Duration.ofMinutes(1);

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final TimeSource time;
  private final ReferenceClock clock;
  private final long everyMillis;
  private final long graceMillis;
  private final boolean leaveOutReserved;
  private final ReentrantLock lock = new ReentrantLock();
  private final UnchangedRegisters unchanged;

  private Watermark(Builder builder) {
    store = builder.store;
    time = Objects.requireNonNullElseGet(builder.time, TimeSource::system).precise();
    clock = new ReferenceClock(store, time);
    unchanged = new UnchangedRegisters(time);
    namespace = Namespace.of(store, builder.namespace, time).registers();
    everyMillis = builder.heartbeat == null ? 0 : builder.heartbeat.toMillis();
    graceMillis = Objects.requireNonNullElse(builder.grace, GRACE).toMillis();
    leaveOutReserved = builder.leaveOutReserved != null;
    if (store.mayForget() && builder.allowMayForget == null) {
      throw new UnsupportedOperationException(
          "store: "
              + store
              + " (expected: one that keeps what it acknowledged; allowMayForget() admits this"
              + " one)");
    }
    if (store.mayForget() && store.snapshot(List.of(namespace.layoutRegister())).isEmpty()) {
      throw namespace.withoutIdentity();
    }
  }

  /**
   * Returns the watermark of a namespace.
   *
   * @param namespace 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   * @throws UnsupportedOperationException if the store may forget
   */
  public static Watermark of(RegisterStore store, String namespace) {
    return builder(store, namespace).build();
  }

  /** Starts the watermark of a namespace; see {@link #of}. */
  public static Builder builder(RegisterStore store, String namespace) {
    return new Builder(store, Require.name("namespace", namespace));
  }

  /**
   * The watermark at one moment.
   *
   * @param id every row with this ID or a smaller one is committed, or never will be; 0 if there is
   *     none yet
   * @param before the time of the watermark: it covers every ID with an earlier time
   * @param lag how far that is behind the clock
   * @param heldBackBy the holders whose low marks are before the clock, the lowest first: the first
   *     one decides, and it has no low mark if it does not publish one
   */
  public record Reading(long id, Instant before, Duration lag, List<WorkerEntry> heldBackBy) {
    /** Copies the list. */
    public Reading {
      heldBackBy = List.copyOf(heldBackBy);
    }
  }

  /** The state that was read at one moment, and the version that a write is bound to. */
  private record FloorState(
      Layouts layouts,
      IdLayout layout,
      Optional<Register> floor,
      OptionalLong storeMillis,
      boolean settled,
      @Nullable Binding binding) {

    FloorRecord record(long graceMillis) {
      return floor
          .map(FloorRecord::parse)
          .orElseGet(
              () -> new FloorRecord(Long.MIN_VALUE, layout.epoch().toEpochMilli(), 0, graceMillis));
    }
  }

  /**
   * Returns the watermark, moved on as far as it can be now. From the first call on, the processes
   * of the namespace publish low marks: within four renewals, or at once if they use scopes.
   *
   * @throws IllegalArgumentException if the namespace is not there
   * @throws IllegalStateException if a worker ID is reserved for another system, or the layout is
   *     being changed
   * @throws UnsupportedOperationException if time is not the highest field of the layout, or the
   *     store's scan is not current and the layout has more than 4,096 worker IDs
   * @throws ClockSkewException if this process's clock is over 5 s from the store's
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public Reading current() {
    lock.lock();
    try {
      for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
        Optional<Reading> reading = attempt();
        if (reading.isPresent()) {
          return reading.get();
        }
        time.parkNanos(1 + time.random(MAX_PAUSE_NANOS));
      }
      throw namespace.unreported(MAX_ATTEMPTS, "the watermark");
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the watermark that was published last, by any reader. Costs one read, advances nothing,
   * and names no holder.
   *
   * @return empty if no watermark was requested yet
   * @throws IllegalArgumentException if the namespace is not there
   * @throws IllegalStateException if the layout is being changed
   * @throws UnsupportedOperationException as {@link #current}
   * @throws StoreException if the store cannot be asked
   */
  public Optional<Reading> published() {
    FloorState state = look(false);
    return state.floor().map(unused -> reading(state, state.record(graceMillis), List.of()));
  }

  private Optional<Reading> attempt() {
    long asked = time.nanoTime();
    FloorState state = look(true);
    state.storeMillis().ifPresent(millis -> clock.check(millis, asked));
    if (state.floor().isEmpty()) { // a refusal must not make the namespace one with a watermark
      registers(state).ifPresent(workers -> requireNoneReserved(state, workers));
    }
    long floor = floorMillis(state);
    FloorRecord raised = state.record(graceMillis).raised(floor, everyMillis, graceMillis);
    OptionalLong version = write(state.floor(), raised, state.binding());
    if (version.isEmpty()) {
      return Optional.empty();
    }
    if (!state.settled()) { // holders that the store forgot may still draw
      return Optional.of(reading(state, raised, List.of()));
    }
    Optional<List<Register>> workers = registers(state);
    if (workers.isEmpty()) {
      return Optional.empty();
    }
    requireNoneReserved(state, workers.get());
    List<WorkerEntry> holders = holders(state, workers.get());
    long before = raised.floorMillis();
    for (WorkerEntry holder : holders) {
      before = Math.min(before, lowMillis(holder));
    }
    if (before <= raised.beforeMillis() || isTooEarly(state, raised, workers.get())) {
      return Optional.of(reading(state, raised, holders));
    }
    return publish(state, before).map(published -> reading(state, published, holders));
  }

  /**
   * Returns whether this would be the first watermark, and commits may be under way whose holder
   * was replaced: without a floor, that is at its fence. A successor begins there or later, and a
   * block says up to where those before it had ID times.
   */
  private boolean isTooEarly(FloorState state, FloorRecord raised, List<Register> workers) {
    if (raised.beforeMillis() > state.layout().epoch().toEpochMilli()) {
      return false;
    }
    long latest = raised.floorMillis() - raised.graceMillis();
    long now = nowMillis(state);
    for (Register register : workers) {
      WorkerRecord worker = WorkerRecord.parse(register);
      long replaced = worker.replacedBeforeMillis().orElse(Long.MIN_VALUE);
      boolean ahead = !worker.held() && replaced > now; // of a clock that was wrong
      if (!ahead && replaced > latest) {
        return true;
      }
    }
    return false;
  }

  /** Publishes the watermark under the mark under which the floor was raised. */
  private Optional<FloorRecord> publish(FloorState raised, long beforeMillis) {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      FloorState state = look(true);
      if (!Objects.equals(state.binding(), raised.binding()) || state.floor().isEmpty()) {
        return Optional.empty();
      }
      FloorRecord published = state.record(graceMillis).published(beforeMillis);
      if (write(state.floor(), published, raised.binding()).isPresent()) {
        return Optional.of(published);
      }
    }
    return Optional.empty();
  }

  private OptionalLong write(
      Optional<Register> before, FloorRecord record, @Nullable Binding binding) {
    String name = namespace.watermarkRegister();
    long version = before.map(Register::version).orElse(0L);
    WriteResult written = namespace.write(name, version, record.text(), binding);
    return written.outcome() == WriteResult.Outcome.APPLIED
        ? OptionalLong.of(written.version())
        : OptionalLong.empty();
  }

  /**
   * Reads the namespace.
   *
   * @param renewsMark whether to write a new mark if the store has another identity, as every
   *     process does that finds it
   */
  private FloorState look(boolean renewsMark) {
    String layout = namespace.layoutRegister();
    String floor = namespace.watermarkRegister();
    Optional<Snapshot> snapshot = store.snapshot(List.of(layout, floor));
    if (snapshot.isEmpty()) {
      List<Register> read = store.readAll(List.of(layout, floor));
      Layouts layouts = NamespaceRecord.parse(layoutIn(read)).layouts();
      OptionalLong now = store.currentTimeMillis();
      return new FloorState(
          layouts,
          inForce(layouts, now.orElseGet(time::currentTimeMillis)),
          NamespaceRegisters.find(floor, read),
          now,
          true,
          null);
    }
    Snapshot read = snapshot.get();
    Register register = layoutIn(read.registers());
    NamespaceRecord record = NamespaceRecord.parse(register);
    MarkRecord mark = record.mark();
    boolean settled = false;
    if (mark == null || !mark.identity().equals(read.identity())) {
      if (renewsMark) {
        var unused = new MarkChange(namespace, null, read.identity()).write();
      }
    } else {
      // A holder that the store forgot issues until then, and may have a commit under way.
      settled =
          mark.sinceMillis().isPresent()
              && read.timeMillis() >= mark.settledAtMillis() + grace(read.register(floor));
    }
    return new FloorState(
        record.layouts(),
        inForce(record.layouts(), read.timeMillis()),
        read.register(floor),
        OptionalLong.of(read.timeMillis()),
        settled,
        new Binding(read.identity(), layout, register.version()));
  }

  private Register layoutIn(List<Register> registers) {
    return NamespaceRegisters.find(namespace.layoutRegister(), registers)
        .orElseThrow(namespace::unknown);
  }

  /** Returns the layout in force, if no change of it is under way. */
  private IdLayout inForce(Layouts layouts, long nowMillis) {
    if (layouts.isChanging(nowMillis)) {
      throw new IllegalStateException(
          "Namespace "
              + namespace.name()
              + " changes to layout "
              + Objects.requireNonNull(layouts.next()).layout()
              + " at "
              + Instant.ofEpochMilli(layouts.next().fromMillis())
              + "; ask for its watermark after that, or call the change off with firn layout"
              + " cancel");
    }
    return checked(layouts.at(nowMillis));
  }

  private IdLayout checked(IdLayout layout) {
    long unused = layout.minId(layout.epoch()); // refuses one whose IDs do not sort by time
    namespace.requireReadable(layout.workers());
    return layout;
  }

  /**
   * Returns up to where the floor may be raised: no process that acquires then leads the clock.
   * Where the store has none, that is up to the last renewal of every holder, so that one process
   * whose clock is ahead, and which may be this one, stops no other. The low marks are about there.
   */
  private long floorMillis(FloorState state) {
    if (state.storeMillis().isPresent()) {
      return state.storeMillis().getAsLong();
    }
    long floor = time.currentTimeMillis();
    for (Register register : registers(state).orElseThrow()) {
      WorkerRecord record = WorkerRecord.parse(register);
      if (record.held()) {
        floor = Math.min(floor, record.fenceMillis() - record.windowMillis());
      }
    }
    return floor;
  }

  private Optional<List<Register>> registers(FloorState state) {
    return namespace.workerRegisters(state.layout().workers(), state.binding());
  }

  /** Returns the live holders, the one with the lowest low mark first. */
  private List<WorkerEntry> holders(FloorState state, List<Register> workers) {
    List<WorkerEntry> holders = new ArrayList<>();
    Map<String, IdLayout> layouts = new HashMap<>();
    for (Register register : workers) {
      WorkerRecord record = WorkerRecord.parse(register);
      if (record.held() && !isDeclaredDead(state, register, record)) {
        holders.add(namespace.entry(register, layouts));
      }
    }
    holders.sort(Comparator.comparingLong(Watermark::lowMillis));
    return holders;
  }

  private void requireNoneReserved(FloorState state, List<Register> workers) {
    long now = nowMillis(state);
    for (Register register : workers) {
      WorkerRecord worker = WorkerRecord.parse(register);
      if (worker.reserved() && worker.fenceMillis() > now && !leaveOutReserved) {
        throw new IllegalStateException(
            "Worker "
                + namespace.workerOf(register)
                + " of "
                + namespace.name()
                + " is reserved for "
                + worker.holder()
                + "; release it, or ask for a watermark that leaves reserved ones out");
      }
    }
  }

  /** Returns up to where a holder has no ID; where it publishes nothing, that is its beginning. */
  private static long lowMillis(WorkerEntry holder) {
    return holder.low().or(holder::since).map(Instant::toEpochMilli).orElse(Long.MIN_VALUE);
  }

  /** Declares a holder dead if it is gone, and returns whether that was acknowledged. */
  private boolean isDeclaredDead(FloorState state, Register register, WorkerRecord record) {
    if (!isGone(state, register, record)) {
      return false;
    }
    long worker = namespace.workerOf(register);
    if (!new GuardProtocol(namespace, time).end(worker, record)) {
      return false;
    }
    WorkerRecord dead = record.released(record.fenceMillis()).withNonce(RecordText.nonce(time));
    WriteResult written =
        namespace.write(
            register.name(), register.version(), dead.text() + " declared=dead", state.binding());
    return written.outcome() == WriteResult.Outcome.APPLIED;
  }

  private boolean isGone(FloorState state, Register register, WorkerRecord record) {
    long grace = grace(state.floor());
    if (state.storeMillis().isPresent()) {
      return state.storeMillis().getAsLong() >= record.fenceMillis() + grace;
    }
    long millis = record.windowMillis() + grace + LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis();
    return unchanged.nanos(register) >= TimeUnit.MILLISECONDS.toNanos(millis);
  }

  /** Returns the longest grace of the readers, in milliseconds. */
  private long grace(Optional<Register> floor) {
    return Math.max(
        graceMillis, floor.map(FloorRecord::parse).map(FloorRecord::graceMillis).orElse(0L));
  }

  private long nowMillis(FloorState state) {
    return state.storeMillis().orElseGet(time::currentTimeMillis);
  }

  private Reading reading(FloorState state, FloorRecord record, List<WorkerEntry> holders) {
    Instant before = Instant.ofEpochMilli(record.beforeMillis());
    long now = nowMillis(state);
    // Rows with IDs of a layout before may have larger numbers: no ID is covered until they end.
    boolean covers = record.beforeMillis() >= state.layouts().beginMillis(now) + graceMillis;
    return new Reading(
        covers ? below(state.layout().minId(before)) : 0,
        before,
        Duration.ofMillis(Math.max(0, now - record.beforeMillis())),
        holders.stream().filter(holder -> lowMillis(holder) < now).toList());
  }

  /** Returns the ID before one; an unsigned layout has none before 0 either. */
  private static long below(long id) {
    return id == 0 ? 0 : id - 1;
  }

  /** Returns the namespace and the address of the store. */
  @Override
  public String toString() {
    return "watermark of " + namespace.name() + " in " + store;
  }

  /** Collects the settings of a watermark. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private final RegisterStore store;
    private final String namespace;
    private @Nullable Duration heartbeat;
    private @Nullable Duration grace;
    private @Nullable Boolean leaveOutReserved;
    private @Nullable Boolean allowMayForget;
    private @Nullable TimeSource time;
    private boolean built;

    private Builder(RegisterStore store, String namespace) {
      this.store = store;
      this.namespace = namespace;
    }

    /**
     * Sets how often the processes of the namespace renew as long as {@link #current} is called,
     * which is about the lag: 100 ms..1 minute; half of their windows unless set. Costs one write
     * and one read of each process in that time. Of several readers, the last one decides.
     */
    public Builder heartbeat(Duration heartbeat) {
      this.heartbeat =
          once(
              "heartbeat",
              this.heartbeat,
              inRange("heartbeat", MIN_HEARTBEAT, MAX_HEARTBEAT, heartbeat));
      return this;
    }

    /**
     * Sets how long after its fence a holder is declared dead: 0..1 day, 10 s unless set. A process
     * that is stopped between {@link io.firn.IdScope#beforeCommit} and its commit for longer than
     * this commits a row that readers miss; a process that crashed holds the watermark back for as
     * long. At least as long as clocks may be apart. It is in the store: of several readers, the
     * longest one counts for takeovers of worker IDs, also once that reader is gone.
     */
    public Builder grace(Duration grace) {
      this.grace = once("grace", this.grace, inRange("grace", Duration.ZERO, MAX_GRACE, grace));
      return this;
    }

    /** Leaves out the IDs that other systems make with reserved worker IDs; else refused. */
    public Builder leaveOutReserved() {
      leaveOutReserved = once("leaveOutReserved", leaveOutReserved, true);
      return this;
    }

    /**
     * Admits a store that may lose what it acknowledged, if it has an identity that shows it. A
     * loss that the identity does not show may then hide rows from readers.
     */
    public Builder allowMayForget() {
      allowMayForget = once("allowMayForget", allowMayForget, true);
      return this;
    }

    /** Sets the clock and the source of random numbers; the system's unless set. */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Builds the watermark.
     *
     * @throws UnsupportedOperationException if the store may forget and that is not admitted, or it
     *     has no identity
     * @throws StoreException if the store may forget and cannot be asked for its identity
     */
    public Watermark build() {
      built = buildOnce(built);
      return new Watermark(this);
    }
  }
}
