package io.firn;

import static io.firn.internal.Expected.once;

import io.firn.IdLayout.Kind;
import io.firn.lease.Lease;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Leaseholder;
import io.firn.lease.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Collects the settings of a {@link Snowflake}. Each can be set once, and a worker ID is never
 * guessed. Not thread-safe.
 */
public final class SnowflakeBuilder {

  /** A window loses up to two ticks at its ends, and is renewed at half of the rest. */
  private static final int MIN_TICKS_PER_WINDOW = 8;

  private static final Duration MAX_DURATION = Duration.ofDays(365);
  private static final Duration TEN_YEARS = Duration.ofDays(3652);
  private static final Duration DEFAULT_MAX_WAIT = Duration.ofSeconds(1);

  private @Nullable IdLayout layout;
  private @Nullable Long datacenter;
  private @Nullable Long worker;
  private @Nullable Preset preset;
  private @Nullable Duration maxLead;
  private @Nullable Duration maxWait;
  private @Nullable SequenceStart sequenceStart;
  private @Nullable LeaseConfig lease;
  private boolean allowUnderTenYears;
  private @Nullable TimeSource time;
  private UnaryOperator<Leaseholder> between = UnaryOperator.identity();

  SnowflakeBuilder() {}

  /** Puts something between the generator and its lease, for simulations of bugs. */
  SnowflakeBuilder interpose(UnaryOperator<Leaseholder> between) {
    this.between = between;
    return this;
  }

  /** Sets the layout; {@link IdLayout#CLASSIC} unless set. */
  public SnowflakeBuilder layout(IdLayout layout) {
    this.layout = once("layout", this.layout, layout);
    return this;
  }

  /** Sets the worker ID: no other live process may have it. Required if the layout has workers. */
  public SnowflakeBuilder worker(long worker) {
    this.worker = once("worker", this.worker, worker);
    return this;
  }

  /** Sets the datacenter. Required if the layout has datacenters. */
  public SnowflakeBuilder datacenter(long datacenter) {
    this.datacenter = once("datacenter", this.datacenter, datacenter);
    return this;
  }

  /**
   * Leases the worker ID in a namespace of a store, with the settings that {@link
   * LeaseConfig#builder} begins with.
   */
  public SnowflakeBuilder lease(RegisterStore store, String namespace) {
    return lease(LeaseConfig.builder(store, namespace).build());
  }

  /**
   * Leases the worker ID. The generator must be closed to give it back. If a lease is lost, IDs go
   * on with another worker ID; in a layout whose worker stands above the time (Seata's) they are
   * then unique, and grow again from there, but may be smaller than before.
   */
  public SnowflakeBuilder lease(LeaseConfig lease) {
    this.lease = once("lease", this.lease, lease);
    return this;
  }

  /** Sets lead, wait and sequence start at once, to those of a well-known generator. */
  public SnowflakeBuilder preset(Preset preset) {
    this.preset = once("preset", this.preset, preset);
    return this;
  }

  /** How far IDs may run ahead of the clock, 0..365 days in whole milliseconds; 0 unless set. */
  public SnowflakeBuilder maxLead(Duration maxLead) {
    this.maxLead = once("maxLead", this.maxLead, maxLead);
    return this;
  }

  /**
   * How long a call waits for a clock that stepped back, 0..365 days in whole milliseconds; 1 s
   * unless set.
   */
  public SnowflakeBuilder maxWait(Duration maxWait) {
    this.maxWait = once("maxWait", this.maxWait, maxWait);
    return this;
  }

  /** Which sequence number a new tick starts with; {@link SequenceStart#CONTINUE} unless set. */
  public SnowflakeBuilder sequenceStart(SequenceStart sequenceStart) {
    this.sequenceStart = once("sequenceStart", this.sequenceStart, sequenceStart);
    return this;
  }

  /** Accepts a layout that ends in under ten years. */
  public SnowflakeBuilder allowUnderTenYears() {
    allowUnderTenYears = true;
    return this;
  }

  /** Sets the clock; the system's unless set. */
  public SnowflakeBuilder timeSource(TimeSource time) {
    this.time = once("timeSource", this.time, time);
    return this;
  }

  /**
   * Builds the generator, and leases its worker ID if it is to be leased.
   *
   * @throws IllegalArgumentException if a setting is missing, does not fit the layout, or
   *     contradicts another; or if the layout's epoch is in the future or its end too near
   * @throws FirnException if no worker ID can be leased now; the message says why
   */
  public Snowflake build() {
    IdLayout layout = this.layout == null ? IdLayout.CLASSIC : this.layout;
    TimeSource time = this.time == null ? TimeSource.system() : this.time;
    Preset policy = policy(layout);
    checkOrder(layout);
    if (lease != null) {
      checkLease(lease, layout, policy);
      checkLife(layout, time.currentTimeMillis(), policy.maxLead());
      return leased(lease, layout, time, policy);
    }
    long workerBits =
        required(layout, Kind.DATACENTER, datacenter) | required(layout, Kind.WORKER, worker);
    long nowMillis = time.currentTimeMillis();
    checkLife(layout, nowMillis, policy.maxLead());
    return new Snowflake(layout, time, policy, workerBits, null, nowMillis);
  }

  private Snowflake leased(LeaseConfig config, IdLayout layout, TimeSource time, Preset policy) {
    Lease lease = Lease.acquire(config, layout, time);
    Snowflake snowflake = new Snowflake(layout, time, policy, 0, lease, time.currentTimeMillis());
    lease.keepFor(between.apply(snowflake.new Holder(lease.window())));
    return snowflake;
  }

  private void checkLease(LeaseConfig lease, IdLayout layout, Preset policy) {
    if (worker != null || datacenter != null) {
      throw new IllegalArgumentException(
          "worker: "
              + (worker != null ? worker : datacenter)
              + " (expected: not set beside a lease, which may be pinned to one)");
    }
    long window = lease.windowMillis();
    if (window < MIN_TICKS_PER_WINDOW * layout.tickMillis()) {
      throw new IllegalArgumentException(
          "window: "
              + window
              + " ms (expected: at least "
              + MIN_TICKS_PER_WINDOW
              + " ticks of "
              + layout.tickMillis()
              + " ms)");
    }
    if (policy.maxLead().toMillis() > window / 2) {
      throw new IllegalArgumentException(
          "maxLead: "
              + policy.maxLead().toMillis()
              + " ms (expected: at most half the lease's window of "
              + window
              + " ms)");
    }
  }

  private Preset policy(IdLayout layout) {
    if (preset != null && (maxLead != null || maxWait != null || sequenceStart != null)) {
      throw new IllegalArgumentException(
          "preset: " + preset + " (expected: no maxLead, maxWait or sequenceStart beside it)");
    }
    Preset policy =
        preset != null
            ? preset
            : new Preset(
                Objects.requireNonNullElse(maxLead, Duration.ZERO),
                Objects.requireNonNullElse(maxWait, DEFAULT_MAX_WAIT),
                Objects.requireNonNullElse(sequenceStart, SequenceStart.CONTINUE));
    checkDuration("maxLead", policy.maxLead());
    checkDuration("maxWait", policy.maxWait());
    checkStart(policy.sequenceStart(), layout.bits(Kind.SEQUENCE));
    return policy;
  }

  private static void checkDuration(String name, Duration value) {
    if (value.isNegative()
        || value.compareTo(MAX_DURATION) > 0
        || !value.equals(value.truncatedTo(ChronoUnit.MILLIS))) {
      throw new IllegalArgumentException(
          name + ": " + value + " (expected: 0..365 days in whole milliseconds)");
    }
  }

  private static void checkStart(SequenceStart start, int sequenceBits) {
    if (start.bound() > 1L << sequenceBits) {
      throw new IllegalArgumentException(
          "sequenceStart: "
              + start
              + " (expected: a bound in 1.."
              + (1L << sequenceBits)
              + ", the layout has "
              + sequenceBits
              + " sequence bits)");
    }
  }

  private static long required(IdLayout layout, Kind kind, @Nullable Long value) {
    if (value != null) {
      return layout.place(kind, value);
    }
    layout
        .field(kind)
        .ifPresent(
            field -> {
              throw new IllegalArgumentException(
                  kind.label()
                      + ": not set (expected: 0.."
                      + field.max()
                      + ", it is never guessed)");
            });
    return 0;
  }

  private static void checkOrder(IdLayout layout) {
    if (layout.shift(Kind.SEQUENCE) > layout.shift(Kind.TIME)) {
      throw new IllegalArgumentException(
          "layout: " + layout + " (expected: time above the sequence, or IDs would not grow)");
    }
  }

  private void checkLife(IdLayout layout, long nowMillis, Duration maxLead) {
    Instant now = Instant.ofEpochMilli(nowMillis);
    if (now.isBefore(layout.epoch())) {
      throw new IllegalArgumentException(
          "epoch: "
              + layout.epoch()
              + " (expected: not in the future, the clock reads "
              + now
              + ")");
    }
    Instant end = layout.positiveUntil();
    if (!now.isBefore(end)) {
      throw new IllegalArgumentException(
          "layout: " + layout + " (expected: one that has not ended, it did on " + end + ")");
    }
    if (!now.plus(maxLead).isBefore(end)) {
      throw new IllegalArgumentException(
          "maxLead: "
              + maxLead
              + " (expected: less than the layout has left, it ends on "
              + end
              + ")");
    }
    if (!allowUnderTenYears && end.isBefore(now.plus(TEN_YEARS))) {
      throw new IllegalArgumentException(
          "layout: "
              + layout
              + " (expected: ten years left or allowUnderTenYears(), it ends on "
              + end
              + ")");
    }
  }
}
