package io.firn.lease;

import io.firn.internal.RecordText;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.NamespaceRecord.Settling;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** A new mark of a namespace that an operator asks for, maybe with a longer settling time. */
final class MarkChange {

  private static final int MAX_ATTEMPTS = 5;

  private final RegisterStore store;
  private final Namespace namespace;
  private final TimeSource time;
  private final OptionalLong raisedMillis;

  /**
   * Creates a change that writes nothing yet.
   *
   * @param raisedMillis the new settling time; empty to keep the current one
   */
  MarkChange(RegisterStore store, Namespace namespace, OptionalLong raisedMillis) {
    this.store = store;
    this.namespace = namespace;
    time = namespace.time();
    this.raisedMillis = raisedMillis;
  }

  /**
   * Writes a mark in two steps. A process that leases between them completes it, and it is begun
   * again.
   */
  Optional<Mark> write() {
    ReferenceClock clock = new ReferenceClock(store, time);
    String nonce = RecordText.nonce(time);
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      long before = time.nanoTime();
      Snapshot snapshot =
          store
              .snapshot(List.of(namespace.layoutRegister()))
              .orElseThrow(
                  () ->
                      new UnsupportedOperationException(
                          "store: " + store + " (expected: one with an identity)"));
      Register register = snapshot.register(namespace.layoutRegister()).orElse(null);
      Settling mark = register == null ? null : NamespaceRecord.parse(register).settling();
      if (register == null || mark == null) {
        return Optional.empty();
      }
      clock.check(snapshot.timeMillis(), before);
      boolean begun = mark.nonce().equals(nonce);
      long settleMillis = raisedMillis.orElse(mark.settleMillis());
      if (begun && mark.sinceMillis().isPresent()) {
        if (mark.settleMillis() == settleMillis) {
          return Optional.of(Namespace.markOf(mark));
        }
        nonce = RecordText.nonce(time);
        begun = false;
      }
      if (raisedMillis.isPresent()) {
        requireRaisable(mark, settleMillis, snapshot.timeMillis());
      }
      Settling next =
          begun
              ? mark.withSettleMillis(settleMillis).withSince(snapshot.timeMillis())
              : mark.renewed(snapshot.identity(), nonce);
      var unused = // whatever the outcome, it is read again
          store.compareAndSet(
              namespace.layoutRegister(),
              register.version(),
              NamespaceRecord.parse(register).withSettling(next).text(),
              new Binding(snapshot.identity(), namespace.layoutRegister(), register.version()));
    }
    throw namespace.unreported(MAX_ATTEMPTS, "the mark");
  }

  private void requireRaisable(Settling mark, long settleMillis, long nowMillis) {
    if (settleMillis <= mark.settleMillis()) {
      throw new IllegalArgumentException(
          "settleTime: "
              + settleMillis
              + " ms (expected: more than "
              + mark.settleMillis()
              + " ms, which namespace "
              + namespace.name()
              + " has)");
    }
    requireNoneHeld(nowMillis, mark.settleMillis());
  }

  private void requireNoneHeld(long nowMillis, long settleMillis) {
    for (WorkerEntry worker : namespace.workers()) {
      Instant end = worker.fence().plusMillis(settleMillis);
      if (worker.held() && end.toEpochMilli() > nowMillis) {
        throw new IllegalStateException(
            "worker "
                + worker.worker()
                + " of "
                + namespace.name()
                + " is leased to "
                + worker.holder()
                + ", process "
                + worker.pid()
                + " (expected: none leased; if that process is gone, try again at "
                + end
                + ")");
      }
    }
  }
}
