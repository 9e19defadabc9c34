package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.internal.Require;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.store.WriteResult;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The release of a worker ID by an operator.
 *
 * <p>The record keeps the holder's token, so a holder that lives finds its own token in a text that
 * it did not write: it stops at once and leases another worker ID. Until then it continues in the
 * window that it has. So an unchanged fence is safe, whichever processes are alive.
 *
 * <p>A fence that is lowered takes ID times from the holder. It is set past the newest ID, and so
 * far past the clock that a holder whose clock is right notices before it gets there. A holder that
 * is stopped, or cut off from the store, does not notice: it must have ended.
 */
final class WorkerRelease {

  private static final int MAX_ATTEMPTS = 5;

  /** The limit of IDs of another system past the clock; detects a mistyped number. */
  private static final Duration MAX_AHEAD = Duration.ofDays(1);

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final long worker;
  private final @Nullable Instant issuedBefore;
  private final TimeSource time;

  /**
   * Creates a release that writes nothing yet.
   *
   * @param issuedBefore no ID at or past this time was issued, so that the fence is lowered; null
   *     to keep the fence
   */
  WorkerRelease(NamespaceRegisters namespace, long worker, @Nullable Instant issuedBefore) {
    store = namespace.store();
    this.namespace = namespace;
    time = namespace.time();
    this.worker = worker;
    this.issuedBefore = issuedBefore;
  }

  /** The state that was read at one moment, and the version that a write is bound to. */
  private record WorkerState(
      Optional<Register> register, long nowMillis, long settleMillis, @Nullable Binding binding) {}

  /** Checks what {@link #write} would refuse, and writes nothing. */
  void check() {
    WorkerState state = look();
    Register before = state.register().orElseThrow(this::neverLeased);
    var unused = fence(WorkerRecord.parse(before), state);
  }

  /** Writes the record, and returns the register. */
  Register write() {
    WorkerRecord record = null;
    long fence = 0;
    Set<String> written = new HashSet<>();
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      WorkerState state = look();
      Register before = state.register().orElseThrow(this::neverLeased);
      if (record == null || !written.contains(before.value())) { // else a reply was lost
        record = WorkerRecord.parse(before);
        fence = fence(record, state);
        new GuardProtocol(namespace, time).requireEnded(worker, record);
      }
      String text = text(record, fence);
      written.add(text);
      WriteResult result = namespace.write(before.name(), before.version(), text, state.binding());
      if (result.outcome() == WriteResult.Outcome.APPLIED) {
        return new Register(before.name(), result.version(), text);
      }
    }
    throw namespace.unreported(MAX_ATTEMPTS, "worker " + worker);
  }

  private long fence(WorkerRecord record, WorkerState state) {
    return issuedBefore == null
        ? kept(record)
        : lowered(record, Require.endMillis("issuedBefore", issuedBefore), state);
  }

  private WorkerState look() {
    String layout = namespace.layoutRegister();
    String name = namespace.workerRegister(worker);
    Optional<Snapshot> snapshot = store.snapshot(List.of(layout, name));
    if (snapshot.isEmpty()) {
      long now = namespace.nowMillis();
      return new WorkerState(store.read(name), now, 0, null);
    }
    Snapshot read = snapshot.get();
    Optional<Register> mark = read.register(layout);
    long settleMillis =
        mark.map(NamespaceRecord::parse)
            .map(NamespaceRecord::mark)
            .map(MarkRecord::settleMillis)
            .orElse(0L);
    Binding binding = new Binding(read.identity(), layout, mark.map(Register::version).orElse(0L));
    return new WorkerState(read.register(name), read.timeMillis(), settleMillis, binding);
  }

  private IllegalArgumentException neverLeased() {
    return new IllegalArgumentException(
        "worker: "
            + worker
            + " (expected: one that was leased in namespace "
            + namespace.name()
            + ")");
  }

  /** Returns the fence as it is; refuses a worker that is not leased. */
  private long kept(WorkerRecord record) {
    if (record.reserved()) {
      throw new IllegalArgumentException(
          "worker: "
              + worker
              + " (expected: a held one; it is reserved for "
              + record.holder()
              + ", whose newest ID must be given)");
    }
    if (!record.held()) {
      throw new IllegalArgumentException(
          "worker: "
              + worker
              + " (expected: a held one; it was released with a fence of "
              + Instant.ofEpochMilli(record.fenceMillis())
              + ")");
    }
    return record.fenceMillis();
  }

  /** Refuses a worker whose last times belong to a block, because its user is unknown. */
  private void requireNoBlock(WorkerRecord record) {
    if (record.isBlock()) {
      throw new IllegalArgumentException(
          "worker: "
              + worker
              + " (expected: one without a block of IDs; it has one until "
              + Instant.ofEpochMilli(record.fenceMillis())
              + ", and is free from then on)");
    }
  }

  private long lowered(WorkerRecord record, long issuedBefore, WorkerState state) {
    requireNoBlock(record);
    long clock = state.nowMillis() + LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis();
    if (record.reserved()) {
      return endOfReservation(record, issuedBefore, state.nowMillis());
    }
    if (issuedBefore > record.fenceMillis()) {
      throw new IllegalArgumentException(
          "issuedBefore: "
              + Instant.ofEpochMilli(issuedBefore)
              + " (expected: at most the fence of worker "
              + worker
              + ", which is "
              + Instant.ofEpochMilli(record.fenceMillis())
              + ")");
    }
    // A live process with a right clock has noticed it by then: half a window, and its lead.
    long noticed = clock + record.windowMillis();
    // Where a mark makes windows begin ahead, those of a right clock end by then.
    long past = Math.max(noticed + state.settleMillis(), record.blockMillis().orElse(0));
    if (record.held() && record.fenceMillis() <= past) {
      throw notLowered(record, past);
    }
    return Math.min(record.fenceMillis(), Math.max(issuedBefore, past));
  }

  /**
   * Refuses a lease whose fence stays: the caller may mean a reservation that has ended, and whose
   * worker was leased since.
   */
  private IllegalArgumentException notLowered(WorkerRecord record, long past) {
    return new IllegalArgumentException(
        "worker: "
            + worker
            + " (expected: one that is reserved, or whose fence is past "
            + Instant.ofEpochMilli(past)
            + "; it is leased to "
            + record.holder()
            + " until "
            + Instant.ofEpochMilli(record.fenceMillis())
            + ", and is taken from its holder without a newest ID)");
  }

  /**
   * Returns the end of a reservation: past the newest ID of the other system and the clock. One
   * that was ended before keeps its end unless there is a newer ID.
   */
  private long endOfReservation(WorkerRecord record, long issuedBefore, long nowMillis) {
    long latest = nowMillis + MAX_AHEAD.toMillis();
    if (issuedBefore > latest) {
      throw new IllegalArgumentException(
          "issuedBefore: "
              + Instant.ofEpochMilli(issuedBefore)
              + " (expected: at most a day past the store's clock, "
              + Instant.ofEpochMilli(latest)
              + "; a worker with later IDs stays reserved)");
    }
    if (issuedBefore > record.fenceMillis()) {
      return issuedBefore;
    }
    long begin = record.sinceMillis().orElseThrow();
    long clock = nowMillis + LeaseConfig.Builder.MAX_CLOCK_SKEW.toMillis();
    return Math.min(record.fenceMillis(), Math.max(begin, Math.max(issuedBefore, clock)));
  }

  private String text(WorkerRecord before, long fence) {
    if (before.reserved()) { // it ends there, and still says whose it was
      return before.withFence(fence).withNonce(RecordText.nonce(time)).text();
    }
    String text = before.released(fence).withNonce(RecordText.nonce(time)).text();
    return fence < before.fenceMillis()
        ? text + " loweredFrom=" + Instant.ofEpochMilli(before.fenceMillis())
        : text;
  }
}
