package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.store.FaultyStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.testkit.InterposedStore;
import io.firn.testkit.ManualTimeSource;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Processes on hosts of their own, one store, and a time that passes when the test says so. */
final class Fleet {

  static final Instant START = Instant.parse("2026-11-01T00:00:00Z");
  static final String NAMESPACE = "orders";

  /** The register that has the layout and the mark. */
  static final String LAYOUT = NAMESPACE + "/layout";

  /** The settling time of a namespace whose leases have the default times. */
  static final Duration SETTLE = Duration.ofMinutes(1);

  /** The time after which a lease with the default times is renewed. */
  static final Duration HALF_WINDOW = Duration.ofSeconds(15);

  /** Two worker IDs, few numbers a millisecond. */
  static final IdLayout TWO_WORKERS = IdLayout.of("45t+1w+6s@2026-01-01T00:00:00Z/1ms");

  static final IdLayout ONE_WORKER = IdLayout.of("45t+6s@2026-01-01T00:00:00Z/1ms");

  final FaultyStore store = new FaultyStore();
  final ManualTimeSource time = new ManualTimeSource(START);
  private final List<Member> members = new ArrayList<>();

  /** Gives the store the right time. */
  Fleet withClock() {
    store.withClock(time::currentTimeMillis);
    return this;
  }

  /** Gives the store an identity and the right time. */
  Fleet withIdentity() {
    store.withIdentity("run1");
    return withClock();
  }

  /** A host whose clock is right, and whose name is {@code host-N}. */
  Member member() {
    Member member = new Member(members.size());
    members.add(member);
    return member;
  }

  /** Lets time pass everywhere; keepers do what is due ten times a second. */
  void pass(Duration duration) {
    long millis = duration.toMillis();
    while (millis > 0) {
      long step = Math.min(millis, 100);
      time.advance(Duration.ofMillis(step));
      members.forEach(member -> member.keeper.runDue());
      millis -= step;
    }
  }

  /** The namespace as an operator sees it whose clock is right. */
  Namespace namespace() {
    return Namespace.of(store, NAMESPACE, new Member(members.size()));
  }

  /** Returns a reader of the watermark whose clock is right. */
  Watermark watermark() {
    return watermarkBuilder().build();
  }

  /** Starts the settings of such a reader. */
  Watermark.Builder watermarkBuilder() {
    return Watermark.builder(store, NAMESPACE).timeSource(time);
  }

  /**
   * Returns the store as a pool shows it that has connections to an old and to a new primary: the
   * registers of workers are read in the other one, which has none.
   */
  RegisterStore splitStore() {
    return new InterposedStore(store) {
      @Override
      public Optional<Register> read(String name) {
        return name.contains("/worker/") ? Optional.empty() : super.read(name);
      }

      @Override
      public List<Register> scan(String prefix) {
        return List.of();
      }

      @Override
      public Optional<Snapshot> snapshot(List<String> names) {
        return super.snapshot(names)
            .map(
                read ->
                    names.get(0).contains("/worker/")
                        ? new Snapshot("run2", read.timeMillis(), List.of())
                        : read);
      }
    };
  }

  NamespaceRecord.MarkRecord mark() {
    return NamespaceRecord.parse(store.read(LAYOUT).orElseThrow()).mark();
  }

  WorkerRecord record(long worker) {
    return store
        .read(namespace().registers().workerRegister(worker))
        .map(WorkerRecord::parse)
        .orElseThrow();
  }

  String register(long worker) {
    return namespace().registers().workerRegister(worker);
  }

  Instant now() {
    return Instant.ofEpochMilli(time.currentTimeMillis());
  }

  /** The fleet's time, as one host's clock tells it. */
  final class Member implements TimeSource {

    final LeaseKeeper keeper = InterposedStore.keeper(this);
    private final String name;
    private final ManualTimeSource randomness;
    private final List<Snowflake> started = new ArrayList<>();
    private long aheadMillis;
    private long readingsUntilWrong;
    private Duration wrongBy = Duration.ZERO;
    private long nanosParked;
    private Runnable atNextPark = () -> {};

    Member(int index) {
      name = "host-" + index;
      randomness = new ManualTimeSource(START, index * 1_000_003L);
    }

    /** Sets the host's clock that much ahead of the right time, or behind it. */
    Member ahead(Duration duration) {
      aheadMillis = duration.toMillis();
      return this;
    }

    /** Has one reading of the host's wall clock wrong, after that many right ones. */
    Member wrongOnce(long rightBefore, Duration by) {
      readingsUntilWrong = rightBefore + 1;
      wrongBy = by;
      return this;
    }

    /** Returns whether the wrong reading was read. */
    boolean hasBeenWrong() {
      return readingsUntilWrong <= 0;
    }

    LeaseConfig.Builder lease() {
      return lease(name);
    }

    LeaseConfig.Builder lease(String instance) {
      return LeaseConfig.builder(store, NAMESPACE).instance(instance).keeper(keeper);
    }

    Snowflake.Builder builder(IdLayout layout, LeaseConfig.Builder lease) {
      return Snowflake.builder().layout(layout).lease(lease.build()).timeSource(this);
    }

    Snowflake start(IdLayout layout) {
      return start(layout, lease());
    }

    Snowflake start(IdLayout layout, LeaseConfig.Builder lease) {
      return start(builder(layout, lease));
    }

    /** Starts a generator that lives as long as this: one that is dropped is not renewed. */
    Snowflake start(Snowflake.Builder builder) {
      Snowflake snowflake = builder.build();
      started.add(snowflake);
      return snowflake;
    }

    /** Starts a generator that has opened a scope, and so publishes its low mark. */
    Snowflake startWithScope() {
      Snowflake snowflake = start(TWO_WORKERS);
      snowflake.scope().close();
      return snowflake;
    }

    /** Returns whether a generator has started here. */
    boolean started() {
      return !started.isEmpty();
    }

    /** Runs something when someone parks next. */
    void atNextPark(Runnable what) {
      atNextPark = what;
    }

    long nanosParked() {
      return nanosParked;
    }

    @Override
    public long currentTimeMillis() {
      long wrong = --readingsUntilWrong == 0 ? wrongBy.toMillis() : 0;
      return time.currentTimeMillis() + aheadMillis + wrong;
    }

    @Override
    public long nanoTime() {
      return time.nanoTime();
    }

    @Override
    public void parkNanos(long nanos) {
      nanosParked += nanos;
      time.parkNanos(nanos);
      Runnable what = atNextPark;
      atNextPark = () -> {};
      what.run();
    }

    @Override
    public long random(long bound) {
      return randomness.random(bound);
    }
  }

  static long worker(Snowflake snowflake) {
    return snowflake.leaseStatus().orElseThrow().worker();
  }

  static Instant fence(Snowflake snowflake) {
    return snowflake.leaseStatus().orElseThrow().fence();
  }

  static Instant notBefore(Snowflake snowflake) {
    return snowflake.leaseStatus().orElseThrow().notBefore();
  }

  static Instant timeOf(Snowflake snowflake, long id) {
    return snowflake.layout().parse(id).instant();
  }

  /** Issues an ID and checks that it lies in the window of the lease and grows. */
  static long nextAfter(Snowflake snowflake, long last) {
    long id = snowflake.nextId();
    assertThat(id).isGreaterThan(last);
    return id;
  }
}
