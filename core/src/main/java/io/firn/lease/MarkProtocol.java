package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The mark of one namespace in a store that has an identity: reads it together with registers, and
 * writes a new one when the store may have lost writes. For one thread at a time.
 *
 * <h2>Why no window is granted twice across a loss</h2>
 *
 * A store that loses acknowledged writes changes its identity. The first process that finds another
 * identity than that of the mark, or no mark, writes a new one, with the store's clock of then.
 * Every write of a lease is bound to the mark, so no earlier write is applied afterwards.
 *
 * <p>Every window of before ends within one bound after the loss: the window itself, the largest
 * lead, the largest error of clocks, and the time that a store which was lost may continue beside
 * the new one. No window of a new process begins before the mark's time plus that bound, the
 * settling time. It is in the register of the namespace, so all processes agree on it; one that
 * needs more is refused. So is one that would give a new namespace less: after a flush, that is
 * what new processes find. A holder writes its record again over the current contents, and
 * continues.
 *
 * <p>A mark is written in two steps, and its time is read between them. If registers are lost again
 * before the second step, that step is a conflict, because the first is lost too. So a process that
 * stopped between the steps writes no mark with a time from before a loss.
 *
 * <p>A time of the store counts only if this process's clock agrees with it: a mark with a time
 * from before the loss would let new processes begin too early. Where they disagree, no mark is
 * written, accepted or remembered.
 *
 * <p>A mark that is older than one that was seen, by more than clocks may differ, may be that of a
 * store which was replaced and continues beside the new one: nothing is written there until the
 * settling time is over, and a new mark then. A mark under which a lost write was found counts for
 * nothing: a new one is written.
 */
final class MarkProtocol {

  /** The settling time of a namespace, unless its first process sets another or needs more. */
  private static final Duration SETTLE_TIME = Duration.ofMinutes(1);

  /** Each is lost to another process that writes the mark. */
  private static final int MAX_ATTEMPTS = 16;

  private final LeaseConfig config;
  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final LayoutWatch layouts;
  private final TimeSource time;
  private final ReferenceClock clock;
  private final long skewMillis;
  private final long neededMillis;

  /** The agreement that this process gives a namespace that is new, or was lost. */
  private final long ownMillis;

  private final String figures;
  private long newestSinceMillis = Long.MIN_VALUE;
  private String rejectedNonce = "";

  /** The identity that the newest one has replaced. */
  private String replaced = "";

  private @Nullable MarkRecord newestAgreed;

  /** The home datacenters of a namespace that is new, or was lost. */
  private Homes homes;

  MarkProtocol(
      LeaseConfig config,
      LayoutWatch layouts,
      TimeSource time,
      long maxLeadMillis,
      ReferenceClock clock) {
    this.clock = clock;
    this.config = config;
    this.layouts = layouts;
    this.time = time;
    store = config.store();
    homes = Homes.of(config.datacenter());
    namespace = config.namespace();
    skewMillis = config.maxClockSkewMillis();
    neededMillis =
        config.windowMillis()
            + maxLeadMillis
            + config.maxClockSkewMillis()
            + config.maxSplitMillis();
    ownMillis = Math.max(config.settleTime().orElse(SETTLE_TIME).toMillis(), neededMillis);
    figures =
        "window "
            + config.windowMillis()
            + " + maxLead "
            + maxLeadMillis
            + " + maxClockSkew "
            + config.maxClockSkewMillis()
            + " + maxSplit "
            + config.maxSplitMillis()
            + " ms";
  }

  /**
   * Reads registers and the mark at one moment. Writes the mark first if that is due.
   *
   * @return empty if the store has no identity
   * @throws ClockSkewException if this process's clock is too far from the store's
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws IllegalArgumentException if the namespace has another agreement about losses
   */
  Optional<MarkRead> read(List<String> names) {
    return read(names, true);
  }

  /**
   * Does what {@link #read} does, for a process that was granted something under the mark that was
   * read last. As long as that mark is current, no time of the store counts, so clocks may
   * disagree.
   */
  Optional<MarkRead> readAgain(List<String> names) {
    return read(names, false);
  }

  private Optional<MarkRead> read(List<String> names, boolean checksClock) {
    List<String> all = new ArrayList<>(names);
    all.add(namespace.layoutRegister());
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      long before = time.nanoTime();
      Optional<Snapshot> read = store.snapshot(all);
      if (read.isEmpty()) {
        return Optional.empty();
      }
      Snapshot snapshot = read.get();
      Optional<Register> register = snapshot.register(namespace.layoutRegister());
      NamespaceRecord record = register.map(each -> agreed(each, checksClock)).orElse(null);
      MarkRecord mark = record == null ? null : record.mark();
      boolean same = mark != null && mark.equals(newestAgreed) && isValid(mark, snapshot);
      if (checksClock || !same) {
        clock.check(snapshot.timeMillis(), before);
      }
      if (mark != null) {
        requireNotReplaced(mark, snapshot);
      }
      if (mark == null || !isValid(mark, snapshot)) {
        write(register, snapshot, homesOf(record), next(mark, register.isEmpty(), snapshot));
      } else if (mark.sinceMillis().isEmpty()) {
        write(register, snapshot, homesOf(record), mark.withSince(snapshot.timeMillis()));
      } else if (!checksClock && isNew(mark) && !homesOf(record).haveAll(homes)) {
        write(register, snapshot, homesOf(record).with(homes), mark); // they were lost
      } else {
        if (newestAgreed != null && !newestAgreed.identity().equals(mark.identity())) {
          replaced = newestAgreed.identity();
        }
        newestSinceMillis = mark.sinceMillis().getAsLong();
        newestAgreed = mark;
        homes = homesOf(record);
        return Optional.of(new MarkRead(snapshot, homes, mark, binding(register, snapshot)));
      }
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the mark");
  }

  /** Returns the settling time that was read last; 0 if none was. */
  long settleMillis() {
    MarkRecord agreed = newestAgreed;
    return agreed == null ? 0 : agreed.settleMillis();
  }

  /** Requests a new mark, because a write was lost under this one. */
  void requestNewMark(MarkRead markRead) {
    rejectedNonce = markRead.mark().nonce();
  }

  private NamespaceRecord agreed(Register register, boolean acquires) {
    NamespaceRecord record = NamespaceRecord.parse(register);
    layouts.see(record);
    MarkRecord agreed = record.mark();
    if (agreed != null) {
      requireFits(agreed);
      if (acquires) { // a holder does not stop because a new process has created it otherwise
        requireSame(agreed);
      }
    }
    return record;
  }

  private void requireFits(MarkRecord agreed) {
    if (neededMillis > agreed.settleMillis()) {
      throw new IllegalArgumentException(
          "window: "
              + figures
              + " (expected: at most "
              + agreed.settleMillis()
              + " ms together, the settling time of namespace "
              + namespace.name()
              + ")");
    }
  }

  private void requireSame(MarkRecord agreed) {
    if (ownMillis < agreed.settleMillis()) {
      throw new IllegalArgumentException(
          "settleTime: "
              + ownMillis
              + " ms (expected: at least "
              + agreed.settleMillis()
              + " ms, which namespace "
              + namespace.name()
              + " has: set it, or a flush of the store would make it shorter)");
    }
    if (config.afterLoss() != agreed.afterLoss()) {
      throw new IllegalArgumentException(
          "afterLoss: "
              + config.afterLoss().label()
              + " (expected: "
              + agreed.afterLoss().label()
              + ", which namespace "
              + namespace.name()
              + " has: set it, or a flush of the store would change that)");
    }
  }

  /** Refuses to record a settling time that no process and no operator could set. */
  private void requireChangeable() {
    long longest = Namespace.MAX_SETTLE_TIME.toMillis();
    if (ownMillis > longest) {
      throw new IllegalArgumentException(
          "window: "
              + figures
              + " (expected: at most "
              + longest
              + " ms together, the longest settling time of a namespace)");
    }
  }

  private boolean isValid(MarkRecord mark, Snapshot snapshot) {
    return mark.identity().equals(snapshot.identity())
        && !isOlderThanOneSeen(mark, snapshot)
        && !isFromTheFuture(mark, snapshot)
        && !mark.nonce().equals(rejectedNonce);
  }

  /**
   * Two servers behind one address may have clocks that differ by the skew. One that this process
   * saw replaced is older however close the marks are.
   */
  private boolean isOlderThanOneSeen(MarkRecord mark, Snapshot snapshot) {
    long tolerance = mark.identity().equals(replaced) ? 0 : skewMillis;
    return mark.sinceMillis().isPresent()
        && mark.sinceMillis().getAsLong() + tolerance < newestSince(snapshot);
  }

  /** A mark of the future was written when the clocks were wrong. */
  private boolean isFromTheFuture(MarkRecord mark, Snapshot snapshot) {
    return mark.sinceMillis().orElse(Long.MIN_VALUE) > snapshot.timeMillis() + skewMillis;
  }

  private long newestSince(Snapshot snapshot) {
    // A time past that was seen while the clocks were wrong.
    return newestSinceMillis > snapshot.timeMillis() + skewMillis
        ? Long.MIN_VALUE
        : newestSinceMillis;
  }

  private MarkRecord next(@Nullable MarkRecord mark, boolean absent, Snapshot snapshot) {
    String identity = snapshot.identity();
    if (mark != null) {
      requireNoAlternation(mark, snapshot);
    }
    if (mark == null) {
      requireChangeable();
    }
    String nonce = RecordText.nonce(time);
    MarkRecord next =
        mark == null
            ? new MarkRecord(
                ownMillis, config.afterLoss(), identity, nonce, OptionalLong.empty(), "")
            : mark.renewed(identity, nonce);
    boolean isNew = absent && !store.mayForget() && newestSinceMillis == Long.MIN_VALUE;
    return isNew ? next.withSince(snapshot.timeMillis() - next.settleMillis()) : next;
  }

  /**
   * Refuses a store whose mark is older than one that was seen: it may be one that was replaced and
   * continues beside the new one. After the settling time it no longer does, and gets a new mark.
   */
  private void requireNotReplaced(MarkRecord mark, Snapshot snapshot) {
    long newest = newestSince(snapshot);
    boolean known =
        mark.identity().equals(snapshot.identity()) && isOlderThanOneSeen(mark, snapshot);
    if (known && snapshot.timeMillis() < newest + mark.settleMillis()) {
      throw new StoreException(
          "Store "
              + store
              + " answers as "
              + snapshot.identity()
              + ", which was replaced at "
              + Instant.ofEpochMilli(newest)
              + "; its address must lead to one primary, and nothing is leased there until "
              + Instant.ofEpochMilli(newest + mark.settleMillis()));
    }
  }

  /** Refuses an address that leads to several writers: their marks would never come to an end. */
  private void requireNoAlternation(MarkRecord mark, Snapshot snapshot) {
    boolean returned = mark.before().equals(snapshot.identity());
    if (returned
        && mark.sinceMillis().isPresent()
        && !isFromTheFuture(mark, snapshot)
        && snapshot.timeMillis() < mark.settledAtMillis()) {
      throw new StoreException(
          "Store "
              + store
              + " answers as "
              + mark.identity()
              + " and as "
              + snapshot.identity()
              + " in turn; its address must lead to one primary, and nothing is leased until "
              + Instant.ofEpochMilli(mark.settledAtMillis()));
    }
  }

  /** Returns what is recorded, or else what this process saw last. */
  private Homes homesOf(@Nullable NamespaceRecord record) {
    return record == null ? homes : record.homes();
  }

  private boolean isNew(MarkRecord mark) {
    return newestAgreed != null && !newestAgreed.nonce().equals(mark.nonce());
  }

  private void write(
      Optional<Register> register, Snapshot snapshot, Homes recorded, MarkRecord mark) {
    var unused = // regardless of the outcome, it is read again
        store.compareAndSet(
            namespace.layoutRegister(),
            register.map(Register::version).orElse(0L),
            layouts.text(recorded, mark),
            binding(register, snapshot));
  }

  private Binding binding(Optional<Register> register, Snapshot snapshot) {
    return new Binding(
        snapshot.identity(),
        namespace.layoutRegister(),
        register.map(Register::version).orElse(0L));
  }
}
