package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.NamespaceRecord.MarkRecord;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A new mark of a namespace that an operator asks for, maybe with another agreement about losses.
 *
 * <h2>Why another agreement repeats no ID</h2>
 *
 * No process may have a worker ID, and each write of one is bound to the mark. So the change
 * concerns only IDs that were issued before: after the next loss, new processes begin the new
 * settling time after that. Where the agreement gets weaker, all these IDs must therefore be in the
 * past: those of registers, whose fences show it, and those of holders that an earlier loss made
 * the store forget, which end where the settling time of the mark does.
 */
final class MarkChange {

  private static final int MAX_ATTEMPTS = 5;

  private final RegisterStore store;
  private final NamespaceRegisters namespace;
  private final TimeSource time;
  private final @Nullable Agreement wanted;

  /** The identity of the store that the mark is written in; null until that is read. */
  private @Nullable String identity;

  /**
   * Another agreement about losses.
   *
   * @param settleMillis the settling time; empty to keep it
   * @param afterLoss what new processes do; empty to keep it
   */
  record Agreement(OptionalLong settleMillis, Optional<AfterLoss> afterLoss) {

    MarkRecord of(MarkRecord mark) {
      return mark.withSettleMillis(settleMillis.orElse(mark.settleMillis()))
          .withAfterLoss(afterLoss.orElse(mark.afterLoss()));
    }

    boolean isIn(MarkRecord mark) {
      return of(mark).equals(mark);
    }

    /** Returns whether it bears no less than before. */
    boolean onlyRaises(MarkRecord mark) {
      return of(mark).afterLoss() == mark.afterLoss()
          && of(mark).settleMillis() >= mark.settleMillis();
    }
  }

  /**
   * Creates a change that writes nothing yet.
   *
   * @param wanted the new agreement; null to keep the current one
   * @param identity the identity of the store to write in; null for that which answers first
   */
  MarkChange(NamespaceRegisters namespace, @Nullable Agreement wanted, @Nullable String identity) {
    this.identity = identity;
    store = namespace.store();
    this.namespace = namespace;
    time = namespace.time();
    this.wanted = wanted;
  }

  /**
   * Writes a mark in two steps. A process that leases between them completes it, and it is begun
   * again. Nothing is written in a store that was replaced and continues: a mark there would be as
   * new as that of the new store, and new processes of both would begin at the same time.
   *
   * @throws StoreException if the address leads to two stores by turns
   */
  Optional<Mark> write() {
    ReferenceClock clock = new ReferenceClock(store, time);
    String nonce = RecordText.nonce(time);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      long before = time.nanoTime();
      Snapshot snapshot = snapshot();
      Register register = snapshot.register(namespace.layoutRegister()).orElse(null);
      if (register == null) {
        return Optional.empty();
      }
      NamespaceRecord record = NamespaceRecord.parse(register);
      MarkRecord mark = record.mark();
      if (mark == null) {
        return Optional.empty();
      }
      Binding binding =
          new Binding(snapshot.identity(), namespace.layoutRegister(), register.version());
      clock.check(snapshot.timeMillis(), before);
      boolean begun = mark.nonce().equals(nonce);
      if (begun && mark.sinceMillis().isPresent()) {
        if (wanted == null || wanted.isIn(mark)) {
          return Optional.of(Namespace.markOf(mark));
        }
        nonce = RecordText.nonce(time);
        begun = false;
      }
      if (wanted != null) {
        requireChangeable(wanted, mark, begun, snapshot);
        List<Register> workers = namespace.workerRegisters(record.layouts(), binding);
        requireNoneInUse(workers, wanted.onlyRaises(mark), mark, snapshot.timeMillis());
      }
      MarkRecord next =
          begun
              ? (wanted == null ? mark : wanted.of(mark)).withSince(snapshot.timeMillis())
              : mark.renewed(snapshot.identity(), nonce);
      var unused = // whatever the outcome, it is read again
          store.compareAndSet(
              namespace.layoutRegister(),
              register.version(),
              record.withMark(next).text(),
              binding);
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the mark");
  }

  /** Reads the register of the namespace in the store that answered first. */
  private Snapshot snapshot() {
    Snapshot snapshot =
        store
            .snapshot(List.of(namespace.layoutRegister()))
            .orElseThrow(
                () ->
                    new UnsupportedOperationException(
                        "store: " + store + " (expected: one with an identity)"));
    String expected = identity;
    if (expected != null && !expected.equals(snapshot.identity())) {
      throw namespace.answeredAsTwo();
    }
    identity = snapshot.identity();
    return snapshot;
  }

  private void requireChangeable(
      Agreement agreement, MarkRecord mark, boolean begun, Snapshot snapshot) {
    if (agreement.isIn(mark)) {
      throw new IllegalArgumentException(
          "settleTime: "
              + mark.settleMillis()
              + " ms, afterLoss: "
              + mark.afterLoss().label()
              + " (expected: another agreement than namespace "
              + namespace.name()
              + " has)");
    }
    if (!agreement.onlyRaises(mark) && !begun) { // the first step takes the time of the mark away
      namespace.requireSettled(mark, snapshot.identity(), snapshot.timeMillis());
    }
  }

  /** Checks also between the two steps: a process may have leased before the first one. */
  private void requireNoneInUse(
      List<Register> workers, boolean raises, MarkRecord mark, long nowMillis) {
    for (Register register : workers) {
      WorkerEntry worker = namespace.entry(register);
      requireNotHeld(worker, nowMillis, mark.settleMillis());
      if (!raises && !worker.reserved() && worker.fence().toEpochMilli() > nowMillis) {
        throw new IllegalStateException(
            "Worker "
                + worker.worker()
                + " of "
                + namespace.name()
                + " may have issued IDs up to "
                + worker.fence()
                + ", and the clock is at "
                + Instant.ofEpochMilli(nowMillis)
                + "; try again once it is past those IDs");
      }
    }
  }

  private void requireNotHeld(WorkerEntry worker, long nowMillis, long settleMillis) {
    Instant end = worker.fence().plusMillis(settleMillis);
    if (worker.held() && end.toEpochMilli() > nowMillis) {
      throw new IllegalStateException(
          "Worker "
              + worker.worker()
              + " of "
              + namespace.name()
              + " is leased to "
              + worker.holder()
              + ", process "
              + worker.pid()
              + "; stop that process, or if it is gone, try again at "
              + end);
    }
  }
}
