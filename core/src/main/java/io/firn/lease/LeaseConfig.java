package io.firn.lease;

import static io.firn.internal.Expected.within;

import java.time.Duration;
import java.util.OptionalLong;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What a generator's lease is to be like. Immutable. */
public final class LeaseConfig {

  private static final Pattern INSTANCE = Pattern.compile("[\\x21-\\x7e]{1,100}");

  private final RegisterStore store;
  private final Namespace namespace;
  private final String instance;
  private final @Nullable Long worker;
  private final long windowMillis;
  private final long acquireTimeoutMillis;
  private final long maxClockSkewMillis;
  private final LeaseListener listener;
  private final @Nullable LeaseKeeper keeper;

  private LeaseConfig(Builder builder) {
    store = builder.store;
    namespace = builder.namespace;
    instance = builder.instance == null ? Host.name() : builder.instance;
    worker = builder.worker;
    windowMillis = builder.window.toMillis();
    acquireTimeoutMillis = builder.acquireTimeout.toMillis();
    maxClockSkewMillis = builder.maxClockSkew.toMillis();
    listener = builder.listener;
    keeper = builder.keeper;
  }

  /** Starts a lease in a namespace of a store; see {@link Namespace#of} for its name. */
  public static Builder builder(RegisterStore store, String namespace) {
    return new Builder(store, Namespace.of(store, namespace));
  }

  RegisterStore store() {
    return store;
  }

  Namespace namespace() {
    return namespace;
  }

  String instance() {
    return instance;
  }

  OptionalLong worker() {
    return worker == null ? OptionalLong.empty() : OptionalLong.of(worker);
  }

  /** The length of a window, in milliseconds. */
  public long windowMillis() {
    return windowMillis;
  }

  long acquireTimeoutMillis() {
    return acquireTimeoutMillis;
  }

  long maxClockSkewMillis() {
    return maxClockSkewMillis;
  }

  LeaseListener listener() {
    return listener;
  }

  LeaseKeeper keeper() {
    return keeper == null ? LeaseKeeper.shared() : keeper;
  }

  /** Collects the settings of a lease. Not thread-safe. */
  public static final class Builder {

    private static final Duration MIN_WINDOW = Duration.ofMillis(100);
    private static final Duration MAX = Duration.ofDays(1);

    private final RegisterStore store;
    private final Namespace namespace;
    private @Nullable String instance;
    private @Nullable Long worker;
    private Duration window = Duration.ofSeconds(30);
    private Duration acquireTimeout = Duration.ZERO;
    private Duration maxClockSkew = Duration.ofSeconds(5);
    private LeaseListener listener = new LeaseListener() {};
    private @Nullable LeaseKeeper keeper;

    private Builder(RegisterStore store, Namespace namespace) {
      this.store = store;
      this.namespace = namespace;
    }

    /**
     * A name for this process, shown to operators; the host's unless set. A process tries the
     * worker ID first that belongs to its name, so one that comes back under the same name comes
     * back to the same worker ID where it can. Two processes may have the same name.
     *
     * @param instance 1..100 visible ASCII characters
     */
    public Builder instance(String instance) {
      if (!INSTANCE.matcher(instance).matches()) {
        throw new IllegalArgumentException(
            "instance: " + instance + " (expected: 1..100 visible ASCII characters)");
      }
      this.instance = instance;
      return this;
    }

    /**
     * Takes this worker ID and no other: the ordinal of a StatefulSet, a number from configuration.
     * While another's window on it is open, building waits up to {@link #acquireTimeout} and then
     * fails with the time at which it ends.
     *
     * @param worker datacenter and worker as one number where the layout has both
     */
    public Builder worker(long worker) {
      this.worker = worker;
      return this;
    }

    /**
     * How much ID time is leased at once: 100 ms..1 day, 30 s unless set. IDs go on for so long
     * without the store, and a worker ID stays taken for so long after a crash.
     */
    public Builder window(Duration window) {
      this.window = within("window", MIN_WINDOW, MAX, window);
      return this;
    }

    /** How long building waits for a free worker ID: 0..1 day, 0 unless set. */
    public Builder acquireTimeout(Duration acquireTimeout) {
      this.acquireTimeout = within("acquireTimeout", Duration.ZERO, MAX, acquireTimeout);
      return this;
    }

    /**
     * How far this process's clock may be from the store's (or, where that has none, from those of
     * the other holders) when it asks for a lease: 0..1 day, 5 s unless set.
     */
    public Builder maxClockSkew(Duration maxClockSkew) {
      this.maxClockSkew = within("maxClockSkew", Duration.ZERO, MAX, maxClockSkew);
      return this;
    }

    /** Who hears of what becomes of the lease. */
    public Builder listener(LeaseListener listener) {
      this.listener = listener;
      return this;
    }

    /** Who renews the lease; {@link LeaseKeeper#shared} unless set. */
    public Builder keeper(LeaseKeeper keeper) {
      this.keeper = keeper;
      return this;
    }

    /** Builds the configuration. */
    public LeaseConfig build() {
      return new LeaseConfig(this);
    }
  }
}
