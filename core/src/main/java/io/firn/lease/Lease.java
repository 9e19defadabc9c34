package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.internal.Lane;
import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.internal.Waiters;
import io.firn.store.Register;
import io.firn.store.StoreClosedException;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The right of one generator to one worker ID, kept alive: renewed at half the window, replaced by
 * another when it is lost, released on {@link #close}. Thread-safe.
 *
 * <p>All calls of the store are made by one task of the {@link LeaseKeeper}, which is never run by
 * two threads at once. A second task, of a thread that calls no store, notices that the fence has
 * passed, also while the first one hangs in a call, which a third one reports. The generator is
 * held weakly: if it is dropped without being closed, the lease runs out.
 *
 * <p>For {@code Snowflake} only: to lease a worker ID, use its builder.
 */
public final class Lease implements AutoCloseable {

  /** The maximum time that a commit waits for its guard to be opened. */
  private static final long MAX_GUARD_NANOS = TimeUnit.SECONDS.toNanos(10);

  /** The maximum time that close waits for a store to release the worker ID. */
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LeaseConfig config;
  private final TimeSource time;
  private final Waiters waiters = new Waiters();
  private final LeaseEvents events;
  private final LeasedWorker worker;
  private final GrantedWindow granted;
  private final LastError lastError;
  private final FenceWatch watch;
  private final Lane.Task maintenance;
  private long dueNanos;
  private volatile boolean renewalRequested;

  /** True once the worker ID is released, or its holder was dropped: no task has more to do. */
  private volatile boolean ended;

  private Lease(
      LeaseConfig config,
      IdLayout layout,
      @Nullable IdLayout next,
      TimeSource time,
      long maxLeadMillis) {
    this.config = config;
    this.time = time;
    events = new LeaseEvents(config.listener(), config.keeper().listeners(), waiters::wake);
    worker = new LeasedWorker(config, layout, next, time, maxLeadMillis, events);
    granted = worker.granted();
    lastError = worker.lastError();
    watch = new FenceWatch(this, config, worker, events, time);
    maintenance = config.keeper().lane(config.store()).task(this::maintain);
    dueNanos =
        worker.renewedNanos() + (worker.isLost() ? config.retryNanos() : config.halfWindowNanos());
  }

  /**
   * Checks that a layout has the datacenter and the worker ID of a lease.
   *
   * @throws IllegalArgumentException if it has not, or they do not belong together
   */
  public static void checkFits(LeaseConfig config, IdLayout layout) {
    WorkerPool.checkFits(config, layout);
  }

  /**
   * Checks that a layout has datacenters. {@link IdLayout} checks the number itself.
   *
   * @throws IllegalArgumentException if it has none
   */
  public static void checkDatacenter(long datacenter, IdLayout layout) {
    if (layout.field(Kind.DATACENTER).isEmpty()) {
      throw new IllegalArgumentException(
          "datacenter: " + datacenter + " (expected: none, the layout is " + layout + ")");
    }
  }

  /**
   * Leases a worker ID.
   *
   * @param layout one that {@linkplain #checkFits fits} the lease, as does the next one
   * @param next the layout to switch to when the namespace changes to it; null for none
   * @param maxLeadMillis how far the generator's IDs may run ahead of the clock
   * @throws NoFreeWorkerException if none is free within the configured time
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws ClockSkewException if this process's clock is too far from the store's
   * @throws StoreException if the store cannot be asked within the configured time
   * @throws io.firn.WaitInterruptedException if the thread is interrupted while it waits
   */
  public static Lease acquire(
      LeaseConfig config,
      IdLayout layout,
      @Nullable IdLayout next,
      TimeSource time,
      long maxLeadMillis) {
    Lease lease = new Lease(config, layout, next, time, maxLeadMillis);
    LeaseEvents.logNow(Level.DEBUG, "leased " + lease.worker.describe(), null);
    lease.events.notifyNow(LeaseListener::acquired, lease.status());
    return lease;
  }

  /** Returns the layout that the namespace had when this was leased. For its generator. */
  public IdLayout layout() {
    return worker.layout();
  }

  /** Returns the current window. */
  @SuppressWarnings("exports") // for Snowflake only
  public LeaseWindow window() {
    return granted.window();
  }

  /**
   * Names the generator that draws under this lease. Starts renewals.
   *
   * @return what the generator must keep alive: the lease does not
   */
  @SuppressWarnings("exports") // for Snowflake only
  public LeasedGenerator keepFor(LeasedGenerator generator) {
    LeasedGenerator called = config.keeper().between(config.store(), generator);
    granted.drawnBy(called);
    maintenance.runWithin(Math.max(0, dueNanos - time.nanoTime()));
    watch.begin();
    return called;
  }

  /** Requests an early renewal, because the generator has come to the end of the window. */
  public void renewNow() {
    if (!lastError.isThere()) {
      renewalRequested = true;
      maintenance.runWithin(0);
    }
    watch.lookNow();
  }

  /**
   * Waits until the condition holds, the lease is closed, renewing fails, the time is over, or the
   * thread is interrupted. Each change of the window re-evaluates the condition.
   */
  public void await(BooleanSupplier condition, long maxNanos) {
    boolean unused =
        waiters.await(
            () -> granted.isClosed() || lastError.isThere() || condition.getAsBoolean(),
            time,
            maxNanos);
  }

  /** Returns how long a caller should wait for a window at least: getting one takes a call. */
  public long minWaitMillis() {
    return config.minWaitMillis();
  }

  /**
   * Returns whether a caller whose window is over need not wait: the last attempt to extend it
   * failed, or did not trust the clock of this host.
   */
  public boolean hasProblem() {
    return lastError.isThere();
  }

  /** Returns the current state of the lease. */
  public LeaseStatus status() {
    return worker.status();
  }

  /** Returns the length of a window, in milliseconds. */
  public long windowMillis() {
    return config.windowMillis();
  }

  /** Returns how far this process's clock may be from the store's, in milliseconds. */
  public long maxClockSkewMillis() {
    return config.maxClockSkewMillis();
  }

  /**
   * Returns why no row with an ID of this lease may be committed now; empty if it may. That is so
   * until a margin before the fence: later, another process may declare this holder dead.
   */
  public Optional<String> commitRefusal() {
    return worker.commitRefusal();
  }

  /** Returns how long a commit in doubt may still be applied: the longest grace of readers. */
  public long commitGraceNanos() {
    return worker.commitGraceNanos();
  }

  /** Returns what names the acquisition under which a scope is opened. */
  public String acquisition() {
    return worker.guard().acquisition();
  }

  /**
   * Returns the register that guards the commits of an acquisition; waits for it to be opened.
   *
   * @return empty if the acquisition was lost
   * @throws StoreException if it is not opened in time
   */
  public Optional<Register> guard(String acquisition) {
    LeaseGuard guard = worker.guard();
    if (!guard.isOpen(acquisition)) {
      renewNow();
      await(() -> guard.isOpen(acquisition), MAX_GUARD_NANOS);
    }
    if (!guard.isOpen(acquisition)) {
      throw new StoreException(
          "The guard of commits of "
              + worker.describe()
              + " was not opened"
              + status().problem().map(problem -> ": " + problem).orElse(" in time")
              + "; roll back");
    }
    return guard.register(acquisition);
  }

  /** Requests a new guard in place of one that a transaction did not find. */
  public void replaceGuard(Register register) {
    worker.guard().replace(register);
  }

  /** Logs a line about this lease. */
  public void logWarning(String what) {
    events.log(Level.WARNING, what + ": " + worker.describe(), null);
  }

  /** Returns the failure to throw when the window is used up. */
  public LeaseExpiredException expired() {
    LeaseStatus now = status();
    return new LeaseExpiredException(now, worker.describeExpiry(now));
  }

  // The tasks of the keeper.

  /**
   * Does what is due: renews, seeks another worker ID, or releases the worker ID.
   *
   * @return in how many nanoseconds it wants to be called again; negative if never
   */
  private long maintain() {
    if (ended) {
      return -1;
    }
    GrantedWindow.End closed = granted.end();
    if (closed != null) {
      end(closed);
      return -1;
    }
    LeasedGenerator generator = granted.generator();
    if (generator == null) {
      endDropped();
      return -1;
    }
    long wait = dueNanos - time.nanoTime();
    if (wait > 0 && !renewalRequested) {
      return wait;
    }
    extend(generator);
    closed = granted.end();
    if (closed != null) { // meanwhile, here or by another thread
      end(closed);
      return -1;
    }
    return Math.max(0, dueNanos - time.nanoTime());
  }

  private void extend(LeasedGenerator generator) {
    renewalRequested = false;
    long begin = time.nanoTime();
    watch.callBegins();
    try {
      dueNanos = begin + worker.extend(generator);
    } catch (RuntimeException e) { // also a store's own
      lastError.record(e);
      dueNanos = begin + config.retryNanos(e);
    } catch (Throwable e) { // the keeper reports it, and runs this again
      lastError.record(e);
      dueNanos = begin + config.retryNanos(e);
      maintenance.runWithin(Math.max(0, dueNanos - time.nanoTime()));
      throw e;
    } finally {
      watch.callEnded();
      waiters.wake();
    }
  }

  private void endDropped() {
    ended = true;
    watch.cancel();
    events.log(
        Level.WARNING,
        "a generator was dropped without being closed; not renewing " + worker.describe(),
        null);
  }

  /** Returns whether no fence is of interest any more. For the watch of the fence. */
  boolean isOver() {
    return granted.isClosed() || ended;
  }

  // The end.

  /**
   * Closes the generator permanently and releases the worker ID, with what is left of its window.
   * Waits for the store for a limited time. If the store does not answer, the worker stays taken
   * until its fence, no harm is done, and its {@link #status()} says why.
   */
  @Override
  public void close() {
    if (!granted.close()) {
      return;
    }
    waiters.wake();
    watch.cancel();
    if (maintenance.isRunHere()) { // a store or a log handler closes it: the task then ends it
      return;
    }
    Lane lane = config.keeper().lane(config.store());
    if (lane.isManual()) {
      maintenance.runHere();
      events.deliverHere();
      return;
    }
    maintenance.runWithin(0);
    long begin = lane.time().nanoTime();
    if (!waiters.awaitUninterruptibly(() -> ended, lane.time(), MAX_CLOSE_NANOS)) {
      lastError.recordNotReleased("the store did not answer in time", null);
    }
    long left = MAX_CLOSE_NANOS - (lane.time().nanoTime() - begin);
    boolean unused = waiters.awaitUninterruptibly(events::isDelivered, lane.time(), left);
  }

  private void end(GrantedWindow.End closed) {
    try {
      if (worker.isLost() || closed.forgotten()) {
        lastError.recordLost();
      } else if (closed.hadOpenScopes()) {
        lastError.recordNotReleased("scopes are open, and their rows may still be committed", null);
      } else {
        worker.release(closed.newestMillis());
      }
    } catch (FirnException e) {
      lastError.recordNotReleased(String.valueOf(e.getMessage()), null);
    } catch (StoreClosedException e) { // by a stop that did not wait, as its time was over
      lastError.recordNotReleased("the store was closed before", null);
    } catch (RuntimeException | LinkageError | AssertionError e) { // the fence frees the worker
      lastError.recordNotReleased(e.toString(), e);
    } finally {
      ended = true;
      waiters.wake();
    }
  }
}
