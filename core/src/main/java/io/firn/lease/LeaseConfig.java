package io.firn.lease;

import static io.firn.internal.Require.inRange;
import static io.firn.internal.Require.notNegative;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.internal.Host;
import io.firn.internal.Require;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The settings of a generator's lease. Immutable. */
public final class LeaseConfig {

  /** A worker ID may be released at any time, before the fence that is known. */
  static final long MAX_PAUSE_FOR_FENCE_MILLIS = 5_000;

  private static final long MAX_MIN_WAIT_MILLIS = 1_000;
  private static final int WAITS_PER_WINDOW = 4;

  /** Of a window, at most this part is a margin before its fence. */
  private static final int MARGINS_PER_WINDOW = 4;

  /** After a failure the store is asked again this often in a window. */
  private static final int RETRIES_PER_WINDOW = 16;

  private static final long MAX_RETRY_MILLIS = 5_000;

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final String instance;
  private final @Nullable Long worker;
  private final @Nullable Long datacenter;
  private final long windowMillis;
  private final @Nullable Duration acquireTimeout;
  private final long maxClockSkewMillis;
  private final long maxSplitMillis;
  private final AfterLoss afterLoss;
  private final @Nullable Duration settleTime;
  private final LeaseListener listener;
  private final @Nullable LeaseKeeper keeper;
  private final @Nullable Path carryOver;

  private LeaseConfig(Builder builder) {
    store = builder.store;
    namespace = builder.namespace;
    instance = builder.instance == null ? Host.name() : builder.instance;
    worker = builder.worker;
    datacenter = builder.datacenter;
    windowMillis = Objects.requireNonNullElse(builder.window, Builder.WINDOW).toMillis();
    acquireTimeout = builder.acquireTimeout;
    maxClockSkewMillis =
        Objects.requireNonNullElse(builder.maxClockSkew, Builder.MAX_CLOCK_SKEW).toMillis();
    maxSplitMillis = Objects.requireNonNullElse(builder.maxSplit, Builder.MAX_SPLIT).toMillis();
    afterLoss = Objects.requireNonNullElse(builder.afterLoss, AfterLoss.AHEAD);
    settleTime = builder.settleTime;
    listener = Objects.requireNonNullElse(builder.listener, Builder.SILENT);
    keeper = builder.keeper;
    carryOver = builder.carryOver;
  }

  /** Starts a lease in a namespace of a store; see {@link Namespace#of} for its name. */
  public static Builder builder(RegisterStore store, String namespace) {
    return new Builder(Namespace.of(store, namespace).registers());
  }

  /**
   * Returns a configuration with the settling time and the {@link AfterLoss} of the namespace.
   *
   * @throws IllegalArgumentException if the store may forget and the namespace is not there: its
   *     first process decides its settling time
   */
  static LeaseConfig likeOthers(NamespaceRegisters namespace) {
    return likeOthers(namespace, null, null);
  }

  /**
   * Returns what {@link #likeOthers(NamespaceRegisters)} does, with that clock skew and split; null
   * for the defaults.
   */
  static LeaseConfig likeOthers(
      NamespaceRegisters namespace, @Nullable Duration maxClockSkew, @Nullable Duration maxSplit) {
    Duration skew = Objects.requireNonNullElse(maxClockSkew, Builder.MAX_CLOCK_SKEW);
    Duration split = Objects.requireNonNullElse(maxSplit, Builder.MAX_SPLIT);
    Builder builder = new Builder(namespace).maxClockSkew(skew).maxSplit(split);
    RegisterStore store = namespace.store();
    Optional<Register> recorded = store.read(namespace.layoutRegister());
    if (store.mayForget() && recorded.isEmpty()) {
      throw namespace.unknown(", which may forget: its first process decides the settling time");
    }
    recorded
        .flatMap(Namespace::markIn)
        .ifPresent(
            mark ->
                builder
                    .settleTime(mark.settleTime())
                    .afterLoss(mark.afterLoss())
                    .window(windowWithin(mark.settleTime().minus(skew).minus(split))));
    return new LeaseConfig(builder); // nothing is renewed: calls may take as long as they like
  }

  /** Returns a window that fits into the rest of a settling time; as none is held, any does. */
  private static Duration windowWithin(Duration rest) {
    Duration window = rest.compareTo(Builder.WINDOW) < 0 ? rest : Builder.WINDOW;
    return window.compareTo(Builder.MIN_WINDOW) < 0 ? Builder.MIN_WINDOW : window;
  }

  RegisterStore store() {
    return store;
  }

  NamespaceRegisters namespace() {
    return namespace;
  }

  String instance() {
    return instance;
  }

  OptionalLong worker() {
    return worker == null ? OptionalLong.empty() : OptionalLong.of(worker);
  }

  /** Returns the datacenter that the lease is bound to; empty if it is not bound. */
  OptionalLong datacenter() {
    return datacenter == null ? OptionalLong.empty() : OptionalLong.of(datacenter);
  }

  /** Returns the length of a window, in milliseconds. */
  public long windowMillis() {
    return windowMillis;
  }

  /** Returns how long before its fence, by this clock, a window may have ended by another one. */
  long marginMillis() {
    return Math.min(maxClockSkewMillis(), windowMillis / MARGINS_PER_WINDOW);
  }

  /** Returns half of a window: a lease is renewed that often. */
  long halfWindowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(windowMillis) / 2;
  }

  /** Returns after how long the store is asked again after a failure. */
  long retryNanos() {
    long millis = Math.min(MAX_RETRY_MILLIS, windowMillis / RETRIES_PER_WINDOW);
    return TimeUnit.MILLISECONDS.toNanos(Math.max(1, millis));
  }

  /** Returns after how long the store is asked again after that failure. */
  long retryNanos(Throwable e) {
    long retry = retryNanos();
    if (!(e instanceof NoFreeWorkerException none)) {
      return retry;
    }
    // The clock that says when a worker ID is free may be set right before that.
    long longest = Math.min(MAX_PAUSE_FOR_FENCE_MILLIS, windowMillis / 2);
    return Math.max(retry, TimeUnit.MILLISECONDS.toNanos(Math.min(longest, none.freeInMillis())));
  }

  /** Returns how long a caller waits for a window at least: getting one takes a call. */
  long minWaitMillis() {
    return Math.min(MAX_MIN_WAIT_MILLIS, windowMillis / WAITS_PER_WINDOW);
  }

  /** Returns how long to wait for a worker ID and for the store; empty if that was not set. */
  OptionalLong acquireTimeoutMillis() {
    return acquireTimeout == null
        ? OptionalLong.empty()
        : OptionalLong.of(acquireTimeout.toMillis());
  }

  long maxClockSkewMillis() {
    return maxClockSkewMillis;
  }

  long maxSplitMillis() {
    return maxSplitMillis;
  }

  /** Returns what new processes of the namespace do after a loss. */
  AfterLoss afterLoss() {
    return afterLoss;
  }

  /** Returns the settling time that was set for a new namespace. */
  Optional<Duration> settleTime() {
    return Optional.ofNullable(settleTime);
  }

  LeaseListener listener() {
    return listener;
  }

  /** Returns the file for the rest of a window; empty if there is none. */
  Optional<Path> carryOver() {
    return Optional.ofNullable(carryOver);
  }

  LeaseKeeper keeper() {
    return keeper == null ? LeaseKeeper.shared() : keeper;
  }

  /** Collects the settings of a lease. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private static final Duration MIN_WINDOW = Duration.ofMillis(100);
    private static final Duration MAX = Duration.ofDays(1);
    static final Duration WINDOW = Duration.ofSeconds(30);
    static final Duration MAX_CLOCK_SKEW = Duration.ofSeconds(5);
    private static final Duration MAX_SPLIT = Duration.ofSeconds(10);
    private static final LeaseListener SILENT = new LeaseListener() {};

    private final RegisterStore store;
    private final NamespaceRegisters namespace;
    private @Nullable String instance;
    private @Nullable Long worker;
    private @Nullable Long datacenter;
    private @Nullable Duration window;
    private @Nullable Duration acquireTimeout;
    private @Nullable Duration maxClockSkew;
    private @Nullable Duration maxSplit;
    private @Nullable AfterLoss afterLoss;
    private @Nullable Duration settleTime;
    private @Nullable LeaseListener listener;
    private @Nullable LeaseKeeper keeper;
    private @Nullable Path carryOver;
    private boolean built;

    private Builder(NamespaceRegisters namespace) {
      store = namespace.store();
      this.namespace = namespace;
    }

    /**
     * Sets a name for this process, shown to operators; the host's name unless set. A process first
     * tries the worker ID that belongs to its name, so a restart under the same name gets the same
     * worker ID if it is free. Two processes may have the same name.
     *
     * @param instance 1..100 visible ASCII characters
     */
    public Builder instance(String instance) {
      this.instance = once("instance", this.instance, Require.instance(instance));
      return this;
    }

    /**
     * Takes this worker ID and no other: the ordinal of a StatefulSet, a number from configuration.
     * While another process's window on it is open, building waits up to {@link #acquireTimeout},
     * and then fails with the time at which it ends.
     *
     * @param worker datacenter and worker as one number where the layout has both
     */
    public Builder worker(long worker) {
      this.worker = once("worker", this.worker, notNegative("worker", worker));
      return this;
    }

    /**
     * Binds the lease to a datacenter: it takes worker IDs of that one only. For a namespace whose
     * regions have a store each, and no link between them.
     *
     * <p>The namespace has home datacenters in each of its stores. If the namespace is new in the
     * store, this one becomes its home. A lease of any other datacenter is refused there, and so is
     * one that is neither bound to a datacenter nor {@linkplain #worker pinned}; {@link
     * Namespace#recordHomes} changes the homes. No two stores may have the same one: {@code firn
     * regions} shows whether that is so.
     *
     * @param datacenter one that the layout has; a pinned worker ID must belong to it
     */
    public Builder datacenter(long datacenter) {
      this.datacenter = once("datacenter", this.datacenter, notNegative("datacenter", datacenter));
      return this;
    }

    /**
     * Sets how much ID time is leased at once: 100 ms..1 day, 30 s unless set. It is how long IDs
     * keep flowing without the store, and how long a worker ID stays taken after a crash.
     */
    public Builder window(Duration window) {
      this.window = once("window", this.window, inRange("window", MIN_WINDOW, MAX, window));
      return this;
    }

    /**
     * Sets how long building waits for a free worker ID, and for a store that does not answer: 0..1
     * day. Unless set, building waits for a {@linkplain #worker pinned} worker ID until its record
     * says that it is free, plus the clock skew, and for nothing else.
     */
    public Builder acquireTimeout(Duration acquireTimeout) {
      this.acquireTimeout =
          once(
              "acquireTimeout",
              this.acquireTimeout,
              inRange("acquireTimeout", Duration.ZERO, MAX, acquireTimeout));
      return this;
    }

    /**
     * Sets how far this process's clock may be from the store's when it asks for a lease, and how
     * far its progress may differ from the time that has passed at a renewal (a sixteenth of the
     * window is always allowed): 0..1 day, 5 s unless set. The times of IDs may be wrong by as
     * much. On a store that may forget and has no identity, the first IDs of a namespace lead the
     * clock by this, and a window.
     */
    public Builder maxClockSkew(Duration maxClockSkew) {
      this.maxClockSkew =
          once(
              "maxClockSkew",
              this.maxClockSkew,
              inRange("maxClockSkew", Duration.ZERO, MAX, maxClockSkew));
      return this;
    }

    /**
     * Sets how long a store that was replaced may continue answering beside the new one: 0..1 day,
     * 10 s unless set. It counts for a store that has an identity only. There, a worker ID whose
     * holder crashed is free this long after its fence.
     */
    public Builder maxSplit(Duration maxSplit) {
      this.maxSplit =
          once("maxSplit", this.maxSplit, inRange("maxSplit", Duration.ZERO, MAX, maxSplit));
      return this;
    }

    /**
     * Sets what a new process does soon after a store that has an identity may have lost writes.
     * All processes of a namespace have the same, {@link AfterLoss#AHEAD} unless set: its first one
     * decides, and one that has another is refused, because after a flush of the store its own
     * would be what holds. {@link Namespace#changeAfterLoss} changes that of a namespace.
     */
    public Builder afterLoss(AfterLoss afterLoss) {
      this.afterLoss = once("afterLoss", this.afterLoss, afterLoss);
      return this;
    }

    /**
     * Sets the settling time of the namespace if this process is its first, in a store that has an
     * identity: window, largest lead, clock skew and split of every process together must not
     * exceed it. 0..1 day, 60 s unless set; more if this process needs more, which is refused past
     * 1 day. After the store may have lost writes, new processes lead or wait for that long. A
     * process whose settling time is shorter than its namespace's is refused: after a flush of the
     * store, it would be what holds. {@link Namespace#changeSettleTime} changes that of a
     * namespace. Below 15.1 s, blocks of IDs need a lease of their own and reservations are
     * refused: their default skew and split need it.
     */
    public Builder settleTime(Duration settleTime) {
      this.settleTime =
          once(
              "settleTime", this.settleTime, inRange("settleTime", Duration.ZERO, MAX, settleTime));
      return this;
    }

    /** Sets the listener that is notified of changes of the lease. */
    public Builder listener(LeaseListener listener) {
      this.listener = once("listener", this.listener, listener);
      return this;
    }

    /** Sets the keeper that renews the lease; {@link LeaseKeeper#shared} unless set. */
    public Builder keeper(LeaseKeeper keeper) {
      this.keeper = once("keeper", this.keeper, keeper);
      return this;
    }

    /**
     * Sets the file in which a process that ends while its store is down leaves the rest of its
     * window: the next one with this file issues it at once if the store is still down, and leases
     * when it is back. None unless set. For Linux, on a local disk, in a directory that is there;
     * for one process at a time, and one namespace.
     *
     * <p>The file is used once, and by this boot of this host only. <b>Where a machine is taken
     * back to a snapshot of its memory that is younger than a window, IDs are issued twice.</b>
     */
    public Builder carryOver(Path file) {
      carryOver = once("carryOver", carryOver, file);
      return this;
    }

    /**
     * Sets a directory for {@linkplain #carryOver the file}, which is named after the namespace:
     * many namespaces of a process may have the same directory.
     */
    public Builder carryOverIn(Path directory) {
      return carryOver(directory.resolve(namespace.name() + ".carry-over"));
    }

    /**
     * Builds the configuration.
     *
     * @throws IllegalArgumentException if one call to the store may take longer than half of the
     *     window, or there is a carry-over file and the store may forget, its directory is not
     *     there, or it is something else than a regular file
     */
    public LeaseConfig build() {
      built = buildOnce(built);
      LeaseConfig config = new LeaseConfig(this);
      if (carryOver != null && store.mayForget()) {
        throw new IllegalArgumentException(
            "carryOver: "
                + carryOver
                + " (expected: none, as "
                + store
                + " may lose what it acknowledged)");
      }
      if (carryOver != null && !isFilePath(carryOver)) {
        throw new IllegalArgumentException(
            "carryOver: "
                + carryOver
                + " (expected: a regular file or a new one in an existing directory)");
      }
      store.callTimeout().ifPresent(timeout -> requireShort(timeout, config.windowMillis));
      return config;
    }

    /** Returns whether a regular file is there, or could be. */
    private static boolean isFilePath(Path path) {
      Path parent = path.toAbsolutePath().getParent();
      return parent != null
          && Files.isDirectory(parent)
          && (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
              || Files.notExists(path, LinkOption.NOFOLLOW_LINKS));
    }

    private void requireShort(Duration timeout, long windowMillis) {
      if (timeout.toMillis() > windowMillis / 2) {
        throw new IllegalArgumentException(
            "timeout: "
                + timeout.toMillis()
                + " ms for a call to "
                + store
                + " (expected: at most half of the window of "
                + windowMillis
                + " ms)");
      }
    }
  }
}
