package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.lease.WorkerRegisters.Hold;
import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The right of one generator to one worker ID, kept alive: renewed at half the window, replaced by
 * another when it is lost, given back on {@link #close}. Thread-safe.
 */
public final class Lease implements AutoCloseable {

  private static final Logger LOG = System.getLogger("io.firn.lease");

  /** After a failure the store is asked again so often in a window. */
  private static final int RETRIES_PER_WINDOW = 16;

  private static final long MAX_RETRY_MILLIS = 5_000;

  /** A renewal that finds an earlier one of unknown outcome has to follow it once. */
  private static final int MAX_RENEWALS_AT_ONCE = 3;

  private static final long MAX_ACQUIRE_PAUSE_MILLIS = 500;

  private final LeaseConfig config;
  private final TimeSource time;
  private final WorkerRegisters registers;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable Leaseholder holder;
  private volatile long renewedNanos;
  private long dueNanos;
  private boolean lost;
  private boolean expiryTold;
  private volatile Hold hold;
  private volatile boolean urged;
  private volatile boolean closed;
  private volatile @Nullable String trouble;

  private Lease(LeaseConfig config, TimeSource time, WorkerRegisters registers, Hold hold) {
    this.config = config;
    this.time = time;
    this.registers = registers;
    this.hold = hold;
    renewedNanos = time.nanoTime();
    dueNanos = renewedNanos + halfWindowNanos();
  }

  /**
   * Leases a worker ID.
   *
   * @throws NoFreeWorkerException if none is free within the configured time
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws ClockSkewException if this process's clock is too far from others'
   * @throws StoreException if the store cannot be asked
   */
  public static Lease acquire(LeaseConfig config, IdLayout layout, TimeSource time) {
    config.worker().ifPresent(worker -> checkWorker(worker, layout));
    WorkerRegisters registers = new WorkerRegisters(config, layout, time);
    Lease lease = new Lease(config, time, registers, firstHold(config, time, registers));
    LOG.log(Level.DEBUG, () -> "leased " + lease.describe());
    lease.tell(LeaseListener::acquired);
    return lease;
  }

  private static void checkWorker(long worker, IdLayout layout) {
    if (worker < 0 || worker >= layout.workers()) {
      throw new IllegalArgumentException(
          "worker: "
              + worker
              + " (expected: 0.."
              + (layout.workers() - 1)
              + ", the layout is "
              + layout
              + ")");
    }
  }

  private static Hold firstHold(LeaseConfig config, TimeSource time, WorkerRegisters registers) {
    long begin = time.nanoTime();
    while (true) {
      try {
        return registers.acquire(Long.MIN_VALUE);
      } catch (NoFreeWorkerException e) {
        long waited = TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - begin);
        long left = config.acquireTimeoutMillis() - waited;
        if (left <= 0) {
          throw e;
        }
        pause(time, Math.min(left, 1 + time.random(MAX_ACQUIRE_PAUSE_MILLIS)), e);
      }
    }
  }

  private static void pause(TimeSource time, long millis, FirnException reason) {
    time.parkNanos(TimeUnit.MILLISECONDS.toNanos(millis));
    if (Thread.currentThread().isInterrupted()) {
      throw reason;
    }
  }

  /** The window of now. */
  public Window window() {
    return hold.window();
  }

  /** Names the generator that draws under this lease, and has the lease kept from now on. */
  public void keepFor(Leaseholder generator) {
    lock.lock();
    try {
      holder = generator;
    } finally {
      lock.unlock();
    }
    config.keeper().add(this);
  }

  /** Has the window extended as soon as can be, because the generator has come to its end. */
  public void urge() {
    if (!urged && trouble == null) {
      urged = true;
      config.keeper().urge(this);
    }
  }

  /** Whether {@link #urge} was called and nothing has been done about it yet. */
  boolean isUrged() {
    return urged;
  }

  /** What the last attempt to extend the window failed with; empty if it did not. */
  public Optional<String> trouble() {
    return Optional.ofNullable(trouble);
  }

  /** The lease as it is now. */
  public LeaseStatus status() {
    Hold now = hold;
    Window window = now.window();
    return new LeaseStatus(
        config.namespace().name(),
        now.worker(),
        Instant.ofEpochMilli(window.notBeforeMillis()),
        Instant.ofEpochMilli(window.notAfterMillis()),
        Instant.ofEpochMilli(time.currentTimeMillis()),
        Duration.ofNanos(time.nanoTime() - renewedNanos),
        config.store().toString(),
        trouble());
  }

  /** The failure to throw when the window is used up. */
  public LeaseExpiredException expired() {
    return new LeaseExpiredException(status());
  }

  /**
   * Does what is due: renews, or seeks another worker ID.
   *
   * @return in how many nanoseconds it wants to be called again; negative if never
   */
  long maintain() {
    lock.lock();
    try {
      if (closed || holder == null) {
        return -1;
      }
      long wait = dueNanos - time.nanoTime();
      if (wait > 0 && !urged) {
        return wait;
      }
      urged = false;
      maintainNow(holder);
      return Math.max(0, dueNanos - time.nanoTime());
    } finally {
      lock.unlock();
    }
  }

  private void maintainNow(Leaseholder generator) {
    long begin = time.nanoTime();
    try {
      if (!lost) {
        lost = !renew(generator);
        if (lost) {
          LOG.log(Level.WARNING, () -> "lost " + describe() + "; seeking another worker ID");
          if (config.store().mayForget()) {
            stop(generator);
          }
          tell(LeaseListener::lost);
        }
      }
      if (lost && !closed) { // a listener may have closed it
        replace(generator);
      }
      trouble = null;
      expiryTold = false;
      dueNanos = begin + halfWindowNanos();
    } catch (RuntimeException e) { // also a store's own: the keeper serves other leases too
      noteTrouble(e);
      dueNanos = begin + retryNanos();
    }
  }

  private boolean renew(Leaseholder generator) {
    for (int attempt = 0; attempt < MAX_RENEWALS_AT_ONCE; attempt++) {
      long now = time.currentTimeMillis();
      long newest = generator.newestMillis();
      long until = Math.max(now, newest);
      Hold renewed = registers.renew(hold, until);
      if (renewed == null) {
        return false;
      }
      permit(generator, renewed, leadStillUsed(newest, now));
      if (renewed.record().fenceMillis() >= until + config.windowMillis()) {
        break;
      }
    }
    tell(LeaseListener::renewed);
    return true;
  }

  /** Whoever has the register of a store that forgot may not have begun past this window. */
  private void stop(Leaseholder generator) {
    Window window = window();
    long end = Math.min(window.notAfterMillis(), generator.newestMillis());
    Window stopped =
        new Window(window.worker(), window.notBeforeMillis(), end, window.leadMillis());
    hold = new Hold(hold.worker(), hold.version(), hold.record(), stopped);
    generator.permit(stopped);
  }

  private void replace(Leaseholder generator) {
    long newest = generator.newestMillis();
    Hold next = registers.acquire(newest);
    long kept = leadStillUsed(newest, time.currentTimeMillis());
    permit(generator, next, Math.max(next.window().leadMillis(), kept));
    lost = false;
    LOG.log(Level.DEBUG, () -> "leased " + describe());
    tell(LeaseListener::acquired);
  }

  /** What is left of the lead that the window gave: it shrinks as the clock catches up. */
  private long leadStillUsed(long newestMillis, long nowMillis) {
    return Math.min(hold.window().leadMillis(), Math.max(0, newestMillis - nowMillis));
  }

  private void permit(Leaseholder generator, Hold next, long leadMillis) {
    Window window = next.window();
    Window permitted =
        new Window(window.worker(), window.notBeforeMillis(), window.notAfterMillis(), leadMillis);
    hold = new Hold(next.worker(), next.version(), next.record(), permitted);
    renewedNanos = time.nanoTime();
    generator.permit(permitted);
  }

  private void noteTrouble(RuntimeException e) {
    boolean first = trouble == null;
    trouble = e instanceof FirnException ? e.getMessage() : e.toString();
    if (first) {
      LOG.log(Level.WARNING, () -> "not renewed: " + describe(), e);
    }
    if (!expiryTold && time.currentTimeMillis() >= window().notAfterMillis()) {
      expiryTold = true;
      LOG.log(Level.ERROR, () -> status().describeExpiry());
      tell(LeaseListener::expired);
    }
  }

  private long halfWindowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(config.windowMillis()) / 2;
  }

  private long retryNanos() {
    long millis = Math.min(MAX_RETRY_MILLIS, config.windowMillis() / RETRIES_PER_WINDOW);
    return TimeUnit.MILLISECONDS.toNanos(Math.max(1, millis));
  }

  private void tell(BiConsumer<LeaseListener, LeaseStatus> event) {
    try {
      event.accept(config.listener(), status());
    } catch (RuntimeException | LinkageError | AssertionError e) {
      LOG.log(Level.WARNING, () -> "listener failed for " + describe(), e);
    }
  }

  private String describe() {
    Hold now = hold;
    return "worker "
        + now.worker()
        + " of "
        + config.namespace().name()
        + " until "
        + Instant.ofEpochMilli(now.window().notAfterMillis())
        + " in "
        + config.store();
  }

  /**
   * Closes the generator for good and gives the worker ID back, with what is left of its window. If
   * the store cannot be told, the worker stays taken until its fence, and no harm is done.
   */
  @Override
  public void close() {
    lock.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      long newest = holder == null ? Long.MIN_VALUE : holder.close();
      if (!lost) {
        release(newest);
      }
    } finally {
      lock.unlock();
    }
    config.keeper().remove(this);
  }

  private void release(long newest) {
    try {
      boolean told = registers.release(hold, newest);
      LOG.log(Level.DEBUG, () -> (told ? "released " : "left to expire ") + describe());
    } catch (RuntimeException e) { // closing must not fail: the fence frees the worker
      LOG.log(Level.WARNING, () -> "left to expire " + describe(), e);
    }
  }
}
