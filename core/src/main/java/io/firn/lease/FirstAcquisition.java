package io.firn.lease;

import io.firn.FirnException;
import io.firn.WaitInterruptedException;
import io.firn.internal.LeaseWindow;
import io.firn.internal.UnreadableRecordException;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The first window of a lease: the caller waits for it. */
final class FirstAcquisition {

  private static final long MAX_ACQUIRE_PAUSE_MILLIS = 500;

  /** A wait that lasts longer than this is logged, with its reason. */
  private static final long SILENT_WAIT_MILLIS = 2_000;

  /**
   * A pinned worker ID is waited for unasked if it is free within this many windows, and a split.
   */
  private static final int MAX_WINDOWS_TO_WAIT = 4;

  private final LeaseConfig config;
  private final WorkerSearch search;
  private final MarkProtocol markProtocol;
  private final Optional<CarryOver> carryOver;
  private final TimeSource time;
  private boolean announced;
  private boolean lookedForRest;

  /** The reason why no rest of a window is used; empty until one was looked for. */
  private String restRefusal = "";

  FirstAcquisition(
      LeaseConfig config,
      WorkerSearch search,
      MarkProtocol markProtocol,
      Optional<CarryOver> carryOver,
      TimeSource time) {
    this.config = config;
    this.search = search;
    this.markProtocol = markProtocol;
    this.carryOver = carryOver;
    this.time = time;
  }

  /**
   * A window to begin with.
   *
   * @param askedNanos when the call began that acquired it
   * @param failure why the store could not be asked, where the window is the rest of one that the
   *     process before has left
   */
  record Result(LeaseWindow window, long askedNanos, Optional<String> failure) {}

  /**
   * Leases a worker ID, and waits for it as long as configured.
   *
   * @throws WaitInterruptedException if the thread is interrupted while it waits
   * @throws FirnException if none was leased in that time
   */
  Result run() {
    long begin = time.nanoTime();
    boolean unasked = config.acquireTimeoutMillis().isEmpty();
    long timeout = config.acquireTimeoutMillis().orElse(-1); // decided by the first refusal
    while (true) {
      FirnException failure;
      long pause;
      try {
        long asked = time.nanoTime();
        return new Result(search.acquire(Long.MIN_VALUE), asked, Optional.empty());
      } catch (NoFreeWorkerException e) {
        failure = e;
        pause = Math.min(LeaseConfig.MAX_PAUSE_FOR_FENCE_MILLIS, Math.max(1, e.freeInMillis()));
        if (timeout < 0 || (unasked && e.endsByItself())) {
          timeout = elapsedMillis(begin) + unaskedWaitMillis(e);
        }
      } catch (UnreadableRecordException e) { // waiting makes it no better
        throw e;
      } catch (StoreException e) {
        Optional<Result> rest = rest(e);
        if (rest.isPresent()) {
          return rest.get();
        }
        failure = restRefusal.isEmpty() ? e : new StoreException(e.getMessage() + restRefusal, e);
        pause = 1 + time.random(MAX_ACQUIRE_PAUSE_MILLIS);
      }
      long left = timeout - elapsedMillis(begin);
      if (left <= 0) {
        throw failure;
      }
      if (timeout - left >= SILENT_WAIT_MILLIS) {
        announceWait(left, failure);
      }
      long silent = announced ? pause : Math.max(1, SILENT_WAIT_MILLIS - (timeout - left));
      time.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.min(left, Math.min(pause, silent))));
      if (Thread.currentThread().isInterrupted()) {
        throw interrupted(Math.max(0, timeout - elapsedMillis(begin)), failure);
      }
    }
  }

  private WaitInterruptedException interrupted(long leftMillis, FirnException failure) {
    WaitInterruptedException interrupted =
        WaitInterruptedException.of(leftMillis, "a worker ID of " + config.namespace().name());
    interrupted.initCause(failure);
    return interrupted;
  }

  /** Looks once for the rest of a window that the process before has left; empty without one. */
  private Optional<Result> rest(StoreException failure) {
    if (carryOver.isEmpty() || lookedForRest) {
      return Optional.empty();
    }
    lookedForRest = true;
    try {
      return Optional.of(takeRest(carryOver.get(), failure));
    } catch (IOException refused) {
      restRefusal = "; " + refused.getMessage();
      return Optional.empty();
    }
  }

  /**
   * Takes the rest of a window that the process before has left. It counts as that of a lease that
   * was lost: it is used up, not renewed, and another worker ID is sought.
   */
  private Result takeRest(CarryOver file, StoreException failure) throws IOException {
    LeaseWindow rest = file.take();
    LeaseEvents.logNow(
        Level.WARNING,
        "issuing the rest of a window, up to "
            + Instant.ofEpochMilli(rest.notAfterMillis())
            + ", from "
            + file
            + ": "
            + failure.getMessage(),
        null);
    long asked = time.nanoTime() - 2 * config.halfWindowNanos(); // nothing is committed under it
    return new Result(rest, asked, Optional.ofNullable(failure.getMessage()));
  }

  private long elapsedMillis(long beginNanos) {
    return TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - beginNanos);
  }

  /**
   * Returns how long to wait where no timeout was set: for an obstacle that ends by itself, or for
   * a pinned worker ID that a crash left behind and that is free soon.
   */
  private long unaskedWaitMillis(NoFreeWorkerException e) {
    long wait = e.freeInMillis() + config.maxClockSkewMillis();
    long longest =
        MAX_WINDOWS_TO_WAIT * config.windowMillis()
            + config.maxSplitMillis()
            + markProtocol.settleMillis();
    if (!e.endsByItself() && (config.worker().isEmpty() || e.freeInMillis() > longest)) {
      return 0;
    }
    announceWait(wait, e);
    return wait;
  }

  /** Logs once what the caller waits for. */
  private void announceWait(long waitMillis, FirnException reason) {
    if (!announced) {
      announced = true;
      LeaseEvents.logNow(
          Level.WARNING,
          "waiting for up to "
              + waitMillis
              + " ms for a worker ID of "
              + config.namespace().name()
              + ": "
              + reason.getMessage(),
          null);
    }
  }
}
