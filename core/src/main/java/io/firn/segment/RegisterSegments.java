package io.firn.segment;

import static io.firn.internal.Require.inRange;
import static io.firn.store.StoreSettings.buildOnce;
import static io.firn.store.StoreSettings.once;

import io.firn.internal.Require;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Segments from the registers of a store, one register for each key, {@code KEY/segment}: {@code
 * firn-segment/1 next=51000 step=1000 recent=50000+1000:TOKEN,…}. Thread-safe.
 *
 * <p>A counter that went back is noticed by each process that was given numbers above its current
 * value, and by one whose numbers others were given since, as long as the register remembers that:
 * it names the 16 newest segments. An answer that was lost costs the segment, unless the register
 * shows that it was written.
 *
 * <p>A store that may forget is refused unless it {@linkplain RegisterStore#allowsCounters allows
 * counters}. Where it has an identity, a key gives no number before {@link #raise} has created its
 * counter, and none after the identity has changed until it is raised again.
 *
 * <p>The numbers of a key end at 2^63-2.
 */
public final class RegisterSegments implements SegmentSource {

  private static final String SUFFIX = RegisterCounter.nameOf("");

  private final RegisterStore store;
  private final OptionalLong initial;
  private final TimeSource time;
  private final Map<String, RegisterCounter> counters = new ConcurrentHashMap<>();

  private RegisterSegments(RegisterStore store, OptionalLong initial, TimeSource time) {
    this.store = store;
    this.initial = initial;
    this.time = time;
  }

  /**
   * Returns segments from that store; a key that is new begins with 1, or with what it is raised to
   * where the store may forget and has an identity.
   */
  public static RegisterSegments of(RegisterStore store) {
    return builder(store).build();
  }

  /** Starts segments from that store. */
  public static Builder builder(RegisterStore store) {
    return new Builder(store);
  }

  RegisterStore store() {
    return store;
  }

  @Override
  public Segment next(String key, long count) {
    requireCounters();
    return counter(key).next(inRange("count", 1, Segment.MAX_COUNT, count));
  }

  @Override
  public boolean giveBack(String key, Segment rest) {
    return counter(key).giveBack(rest);
  }

  /**
   * Returns the key if it can name a register: 1..64 of the characters A-Z, a-z, 0-9, '.', '_', ':'
   * and '-'.
   *
   * @throws IllegalArgumentException if it cannot, or the store refuses counters
   */
  @Override
  public String requireKey(String key) {
    requireCounters();
    return Require.name("key", key);
  }

  private void requireCounters() {
    if (!store.allowsCounters()) {
      throw new IllegalArgumentException(
          "store: "
              + store
              + " may forget (expected: may-forget=false, because a lost counter issues numbers"
              + " again, or allow-counters=true)");
    }
  }

  /**
   * Makes {@code number} the next one of a key, unless its counter is past it; creates the counter
   * if there is none. No number is handed out twice by that. A counter that is there already is
   * written again: what was read may be lost in a failover.
   *
   * @param number 0..2^63-1
   * @return the next number of the key now
   * @throws StoreException if the store cannot be asked, or does not take the write
   */
  public long raise(String key, long number) {
    return counter(key).raise(inRange("number", 0, Long.MAX_VALUE, number));
  }

  /**
   * Lets the counter of a key refuse until it is raised. For use after an older state of the store
   * was restored, which may keep its identity. A counter that is not there stays so.
   *
   * @throws StoreException if the store cannot be asked, or does not take the write
   */
  public void refuseUntilRaised(String key) {
    counter(key).refuseUntilRaised();
  }

  /** Returns the counters of all keys, in the order of the keys. */
  public List<SegmentEntry> entries() {
    return store.scan("").stream()
        .filter(register -> register.name().endsWith(SUFFIX))
        .map(RegisterSegments::entry)
        .sorted(Comparator.comparing(SegmentEntry::key))
        .toList();
  }

  private static SegmentEntry entry(Register register) {
    SegmentRecord record = SegmentRecord.parse(register);
    String key = register.name().substring(0, register.name().length() - SUFFIX.length());
    return new SegmentEntry(key, record.next(), record.step());
  }

  private RegisterCounter counter(String key) {
    return counters.computeIfAbsent(
        key, name -> new RegisterCounter(store, Require.name("key", name), time, initial));
  }

  /** Returns the address of the store. */
  @Override
  public String toString() {
    return store.toString();
  }

  /** Collects the settings of segments from a store. Each can be set once. Not thread-safe. */
  public static final class Builder {

    private final RegisterStore store;
    private @Nullable Long initial;
    private @Nullable TimeSource time;
    private @Nullable Boolean refusing;
    private boolean built;

    private Builder(RegisterStore store) {
      this.store = store;
    }

    /** Sets the first number of a key that is new, 0..2^63-2; 1 unless set. */
    public Builder initial(long initial) {
      this.initial =
          once("initial", this.initial, inRange("initial", 0, Long.MAX_VALUE - 1, initial));
      return this;
    }

    /** Refuses keys that are new: {@link RegisterSegments#raise} creates them. */
    public Builder refuseUnknownKeys() {
      refusing = once("refuseUnknownKeys", refusing, true);
      return this;
    }

    /** Sets where random names come from; the system's unless set. */
    public Builder timeSource(TimeSource time) {
      this.time = once("timeSource", this.time, time);
      return this;
    }

    /**
     * Builds the source. The store stays open when generators are closed.
     *
     * @throws IllegalArgumentException if a setting is out of its range or contradicts another
     */
    public RegisterSegments build() {
      built = buildOnce(built);
      if (refusing != null && initial != null) {
        throw new IllegalArgumentException(
            "initial: " + initial + " (expected: not set where unknown keys are refused)");
      }
      return new RegisterSegments(
          store,
          refusing != null ? OptionalLong.empty() : OptionalLong.of(initial == null ? 1 : initial),
          time == null ? TimeSource.system() : time);
    }
  }
}
