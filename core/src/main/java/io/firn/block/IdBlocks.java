package io.firn.block;

import static io.firn.internal.Require.inRange;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.IdLayout;
import io.firn.LayoutExpiredException;
import io.firn.block.PageRecord.Page;
import io.firn.internal.ClockReading;
import io.firn.internal.Require;
import io.firn.lease.LayoutMismatchException;
import io.firn.lease.LeaseConfig;
import io.firn.lease.NoFreeWorkerException;
import io.firn.lease.WorkerTimes;
import io.firn.lease.WorkerTimes.Taken;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.time.DurationText;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Blocks of IDs of one namespace, for bulk work: as many IDs as wanted, reserved with a few calls
 * of the store. Thread-safe; holds nothing that must be closed.
 *
 * <p>The IDs are unique among all blocks and all generators of the namespace, also those that run
 * at the same time. A block is not renewed and not given back: what is not used is a gap.
 *
 * <p>Why no ID is in two blocks: a block is a window of ID time of one worker, or of several, that
 * is acquired and released by one compare-and-set each. A write whose outcome is unknown counts for
 * nothing; another worker is tried.
 */
public final class IdBlocks {

  /** The most IDs of one block. */
  public static final long MAX_SIZE = 1L << 40;

  /** A block spreads over more workers rather than over more ID time than this. */
  private static final Duration SPREAD = Duration.ofMinutes(1);

  private static final Duration MAX_AHEAD = Duration.ofHours(1);

  /** A clock that moves on by more between two readings is read once more. */
  private static final long MAX_JUMP_MILLIS = 1_000;

  private final WorkerTimes times;
  private final Duration maxAhead;
  private final NamedBlocks<IdBlock> names;
  private final boolean outsideWatermark;

  private IdBlocks(Builder builder) {
    Duration wanted = builder.maxAhead == null ? MAX_AHEAD : builder.maxAhead;
    TimeSource time = builder.time == null ? TimeSource.system() : builder.time.precise();
    outsideWatermark = builder.outsideWatermark != null;
    times = WorkerTimes.of(builder.lease.get(), builder.layout, wanted, time);
    maxAhead = times.maxAhead();
    IdBlock.requireOrder(times.layout());
    if (builder.layout != null) { // jobs of a namespace are listed and forgotten at any time
      Instant now =
          Instant.ofEpochMilli(ClockReading.confirmed(time, MAX_JUMP_MILLIS).wallMillis());
      Require.begun(layout().epoch(), now);
      Require.notEnded("layout", layout(), layout().positiveUntil(), now);
    }
    names = new NamedBlocks<>(times.store(), times.namespace() + "/block/", new KindOfIds(), time);
  }

  /**
   * Blocks of IDs under a name: the first tick, the workers and the layout, which may have changed
   * since.
   */
  private final class KindOfIds implements BlockKind<IdBlock> {
    @Override
    public IdBlock take(long size, int room) {
      int others = (layout().lastPositiveTick() + "@@" + layout()).length();
      int each = ("," + (layout().workers() - 1)).length();
      return IdBlocks.this.take(size, Optional.empty(), (room - others) / each);
    }

    @Override
    public Page page(IdBlock block) {
      return new Page(
          block.size(), block.firstTick() + "@" + block.workersText() + "@" + block.layout());
    }

    @Override
    public IdBlock block(Page page) {
      String[] parts = page.place().split("@", 3);
      if (parts.length < 3) {
        throw new IllegalArgumentException("page: " + page + " (expected: TICK@WORKERS@LAYOUT)");
      }
      return new IdBlock(
          times.namespace(),
          IdLayout.of(parts[2]),
          page.size(),
          Long.parseLong(parts[0]),
          IdBlock.workersOf(parts[1]));
    }
  }

  /**
   * Returns the blocks of a namespace, with its layout, or {@link IdLayout#CLASSIC} if it is new.
   *
   * @throws IllegalArgumentException if the store may forget and has no identity, or the layout has
   *     its sequence above the time
   * @throws StoreException if the store cannot be asked
   */
  public static IdBlocks of(RegisterStore store, String namespace) {
    return builder(store, namespace).build();
  }

  /**
   * Starts blocks of a namespace.
   *
   * @param namespace 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':' and '-'
   */
  public static Builder builder(RegisterStore store, String namespace) {
    String name = Require.name("namespace", namespace);
    return new Builder(() -> WorkerTimes.defaultLease(store, name));
  }

  /**
   * Starts blocks of a namespace whose generators have settings of their own.
   *
   * @param lease the settings of their leases. In a store that has an identity, blocks keep to the
   *     clock skew and the split of all processes, so those must not be larger than these.
   */
  public static Builder builder(LeaseConfig lease) {
    return new Builder(() -> lease);
  }

  /** Returns the layout of the IDs. */
  public IdLayout layout() {
    return times.layout();
  }

  /**
   * Reserves IDs that no other caller ever gets. Their times begin now, or slightly later, and run
   * ahead of the clock as far as that number of IDs needs.
   *
   * @param size how many, 1..{@link #MAX_SIZE}
   * @throws IllegalArgumentException if {@code size} is out of its range, or the epoch of the
   *     layout is in the future
   * @throws NoFreeWorkerException if no workers have enough ID time free, or the settling time of
   *     the store has not ended and new processes {@linkplain io.firn.lease.AfterLoss#WAIT wait}
   * @throws LayoutExpiredException if the layout ends before
   * @throws IllegalStateException if the namespace has a watermark; see {@link
   *     Builder#outsideWatermark}
   * @throws StoreException if the store cannot be asked
   */
  public IdBlock take(long size) {
    return take(size, Optional.empty(), IdBlock.MAX_WORKERS);
  }

  /**
   * Reserves IDs whose times begin with a tick of the past, for rows that are older than their IDs.
   * Only a worker that was not leased since then has those times free; one that was never leased
   * has all of them, so no IDs of the namespace may have been made without leases. In a store that
   * has an identity, the time is at or past the end of the settling time.
   *
   * @param size how many, 1..{@link #MAX_SIZE}
   * @param begin the time of the first ID, inside the layout and not past {@code maxAhead}
   * @throws IllegalArgumentException if {@code begin} is outside the layout or past {@code
   *     maxAhead}, or {@code size} is out of its range
   * @throws NoFreeWorkerException if no workers have those times free; the message says from when
   *     on one has
   * @throws LayoutExpiredException if the layout ends before
   * @throws IllegalStateException if the namespace has a watermark; see {@link
   *     Builder#outsideWatermark}
   * @throws StoreException if the store cannot be asked
   */
  public IdBlock take(long size, Instant begin) {
    if (begin.isBefore(layout().epoch()) || !begin.isBefore(layout().positiveUntil())) {
      throw new IllegalArgumentException(
          "begin: "
              + begin
              + " (expected: from "
              + layout().epoch()
              + " to before "
              + layout().positiveUntil()
              + ", the ends of the layout)");
    }
    return take(size, Optional.of(begin), IdBlock.MAX_WORKERS);
  }

  private IdBlock take(long size, Optional<Instant> begin, int mostWorkers) {
    inRange("size", 1, MAX_SIZE, size);
    long perTick = 1L << layout().bits(IdLayout.Kind.SEQUENCE);
    long ticksOfOne = ceilDiv(size, perTick);
    long mostTicksOfOne = SPREAD.dividedBy(layout().tick());
    int workers = 1;
    while (workers <= Math.min(mostWorkers, maxWorkers()) / 2
        && ceilDiv(ticksOfOne, workers) > mostTicksOfOne) {
      workers *= 2;
    }
    long ticks = ceilDiv(ticksOfOne, workers);
    long mostTicks = maxAhead.dividedBy(layout().tick());
    if (ticks > mostTicks) {
      long most = mostTicks * perTick * workers;
      throw new IllegalArgumentException(
          "size: "
              + size
              + " (expected: at most "
              + most
              + " in layout "
              + layout()
              + ", with IDs up to "
              + DurationText.write(maxAhead)
              + " ahead)");
    }
    requireNoWatermark(); // so that a refusal costs no IDs
    Taken taken = times.take(workers, ticks, begin);
    requireNoWatermark();
    return new IdBlock(times.namespace(), layout(), size, taken.firstTick(), taken.workers());
  }

  private void requireNoWatermark() {
    if (!outsideWatermark) {
      times.requireNoWatermark();
    }
  }

  private int maxWorkers() {
    long most = Long.highestOneBit(times.candidates());
    return IdBlock.spreads(layout()) ? (int) Math.min(IdBlock.MAX_WORKERS, most) : 1;
  }

  private static long ceilDiv(long number, long by) {
    return (number + by - 1) / by;
  }

  /**
   * Returns the block of a name: reserved at the first call, the same block at every later call.
   *
   * @param size how many IDs, the same for the same name
   * @throws BlockShapeException if the job had another shape, or the block another size
   * @throws IllegalArgumentException if the store may forget: it would give a name another block
   * @throws NoFreeWorkerException if no workers have enough ID time free
   * @throws IllegalStateException if the namespace has a watermark; see {@link
   *     Builder#outsideWatermark}
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public IdBlock named(BlockName name, long size) {
    requireNoWatermark();
    return names.open(name, inRange("size", 1, MAX_SIZE, size));
  }

  /**
   * Lets a job's name be used again, with any shape. Its IDs are never given again.
   *
   * @return whether there was such a job; false if it was forgotten already
   * @throws StoreException if the store cannot be asked, or does not report the outcome of a write
   */
  public boolean forget(String job) {
    return names.forget(Require.name("job", job));
  }

  /** Returns the jobs that named blocks, in the order of their names. */
  public List<BlockJob> jobs() {
    return names.jobs();
  }

  /** Returns the namespace and the address of the store. */
  @Override
  public String toString() {
    return "blocks of " + times.namespace() + " in " + times.store();
  }

  /** Collects the settings of blocks. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private final Supplier<LeaseConfig> lease;
    private @Nullable IdLayout layout;
    private @Nullable Duration maxAhead;
    private @Nullable Boolean outsideWatermark;
    private @Nullable TimeSource time;
    private boolean built;

    private Builder(Supplier<LeaseConfig> lease) {
      this.lease = lease;
    }

    /** Sets the layout; that of the namespace unless set. Another one than it has is refused. */
    public Builder layout(IdLayout layout) {
      this.layout = once("layout", this.layout, layout);
      return this;
    }

    /**
     * Sets how far the times of IDs may run ahead of the clock: 1 s..1 day, 1 hour unless set. A
     * worker whose times were taken is not leased before they are over, so where the layout has one
     * worker it is 10 s at most, regardless of the setting. In a store that may forget, they run
     * ahead by less than the settling time, regardless of the setting.
     */
    public Builder maxAhead(Duration maxAhead) {
      this.maxAhead =
          once(
              "maxAhead",
              this.maxAhead,
              inRange("maxAhead", Duration.ofSeconds(1), Duration.ofDays(1), maxAhead));
      return this;
    }

    /**
     * Admits a namespace with a {@linkplain io.firn.lease.Watermark watermark}, whose readers may
     * miss rows with IDs of these blocks.
     */
    public Builder outsideWatermark() {
      outsideWatermark = once("outsideWatermark", outsideWatermark, true);
      return this;
    }

    /** Sets the clock and the source of random numbers; the system's unless set. */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Builds the blocks. Reads the layout of the namespace.
     *
     * @throws IllegalArgumentException if the store may forget and has no identity, the layout has
     *     its sequence above the time, or the layout that was set has ended or has its epoch in the
     *     future
     * @throws LayoutMismatchException if the namespace has another layout
     * @throws StoreException if the store cannot be asked
     */
    public IdBlocks build() {
      built = buildOnce(built);
      return new IdBlocks(this);
    }
  }
}
