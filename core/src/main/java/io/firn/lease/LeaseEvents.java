package io.firn.lease;

import io.firn.internal.Lane;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The log lines of a lease and the notifications of its listener, in their order, on a thread that
 * renews no lease: a listener or a log handler that blocks delays no renewal. Thread-safe.
 */
final class LeaseEvents {

  private static final Logger LOG = System.getLogger("io.firn.lease");

  /** Room for the events of some hours, in case the listener blocks. Later ones are dropped. */
  private static final int MAX_QUEUED = 1_000;

  private final LeaseListener listener;
  private final Lane.Task delivery;
  private final Runnable whenDelivered;
  private final Queue<Runnable> queue = new ConcurrentLinkedQueue<>();
  private final AtomicInteger queued = new AtomicInteger();
  private final AtomicInteger dropped = new AtomicInteger();

  LeaseEvents(LeaseListener listener, Lane lane, Runnable whenDelivered) {
    this.listener = listener;
    this.whenDelivered = whenDelivered;
    delivery = lane.task(this::deliver);
  }

  void log(Level level, String message, @Nullable Throwable cause) {
    add(() -> logNow(level, message, cause));
  }

  void notify(BiConsumer<LeaseListener, LeaseStatus> event, LeaseStatus status) {
    add(() -> notifyNow(event, status));
  }

  /** Logs on the calling thread, whatever a log handler throws: it must not end a lease. */
  static void logNow(Level level, String message, @Nullable Throwable cause) {
    try {
      LOG.log(level, message, cause);
    } catch (Throwable ignored) {
      return; // nothing is left to report it to
    }
  }

  /** Notifies the listener on the calling thread. */
  void notifyNow(BiConsumer<LeaseListener, LeaseStatus> event, LeaseStatus status) {
    try {
      event.accept(listener, status);
    } catch (Throwable e) {
      logNow(
          Level.WARNING,
          "listener failed for worker " + status.worker() + " of " + status.namespace(),
          e);
    }
  }

  private void add(Runnable event) {
    if (queued.incrementAndGet() > MAX_QUEUED) {
      queued.decrementAndGet();
      dropped.incrementAndGet();
      return;
    }
    queue.add(event);
    delivery.runWithin(0);
  }

  private long deliver() {
    for (Runnable event = queue.poll(); event != null; event = queue.poll()) {
      try {
        event.run();
      } finally {
        queued.decrementAndGet();
      }
    }
    int lost = dropped.getAndSet(0);
    if (lost > 0) {
      logNow(Level.WARNING, lost + " events of a lease dropped: its listener was blocked", null);
    }
    whenDelivered.run();
    return -1;
  }

  /** Delivers on the calling thread what is left, unless another one is delivering. */
  void deliverHere() {
    delivery.runHere();
  }

  /** Returns whether everything was delivered, apart from what runs on the calling thread. */
  boolean isDelivered() {
    return queued.get() == 0 || delivery.isRunHere();
  }
}
