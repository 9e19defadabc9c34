package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.internal.ClockReading;
import io.firn.internal.Lane;
import io.firn.internal.LeaseHolder;
import io.firn.internal.LeaseInterposer;
import io.firn.internal.LeaseWindow;
import io.firn.internal.UnreadableRecordException;
import io.firn.internal.Waiters;
import io.firn.lease.LeaseProtocol.Renewal;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The right of one generator to one worker ID, kept alive: renewed at half the window, replaced by
 * another when it is lost, given back on {@link #close}. Thread-safe.
 *
 * <p>All calls of the store are made by one task of the {@link LeaseKeeper}, which is never run by
 * two threads at once. A second task, of a thread that calls no store, notices that the fence has
 * passed, also while the first one hangs in a call, which a third one reports. The generator is
 * held weakly: if it is dropped without being closed, the lease runs out.
 *
 * <p>For {@code Snowflake} only: to lease a worker ID, use its builder.
 */
public final class Lease implements AutoCloseable {

  /** After a failure the store is asked again this often in a window. */
  private static final int RETRIES_PER_WINDOW = 16;

  private static final long MAX_RETRY_MILLIS = 5_000;

  /** On a store that may forget, renewing ends this part of a window before the fence at most. */
  private static final int MARGINS_PER_WINDOW = 4;

  private static final long MAX_ACQUIRE_PAUSE_MILLIS = 500;

  /** A worker ID may be given back at any time, before the fence that is known. */
  private static final long MAX_PAUSE_FOR_FENCE_MILLIS = 5_000;

  /**
   * A pinned worker ID is waited for unasked if it is free within this many windows, and a split.
   */
  private static final int MAX_WINDOWS_TO_WAIT = 4;

  private static final long MAX_MIN_WAIT_MILLIS = 1_000;
  private static final int WAITS_PER_WINDOW = 4;

  /** The maximum time that close waits for a store to take the worker ID back. */
  private static final long MAX_CLOSE_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final LeaseConfig config;
  private final TimeSource time;
  private final LeaseProtocol protocol;
  private final WorkerSearch search;
  private final Settlement settlement;
  private final FloorWatch floor;
  private final LayoutWatch layouts;
  private final ReferenceClock clock;
  private final Lane.Task maintenance;
  private final Lane.Task watch;
  private final Lane.Task overdue;
  private final Waiters waiters = new Waiters();
  private final LeaseEvents events;
  private final Optional<CarryOver> carryOver;

  /** Guards the notifications of the holder; never held while a store or a listener is called. */
  private final ReentrantLock granting = new ReentrantLock();

  private WeakReference<LeaseHolder> holder = new WeakReference<>(null);
  private boolean lost;
  private boolean kept;
  private volatile boolean forgotten;
  private long dueNanos;
  private volatile long renewedNanos;

  /** When the call began that extended the window last. */
  private volatile long askedNanos;

  private volatile LeaseWindow window;
  private @Nullable ClockReading overSince;
  private volatile boolean renewalRequested;
  private volatile boolean expiryNotified;

  /** True if a renewal failed, and none has succeeded since. Used by the maintenance only. */
  private boolean failureLogged;

  private volatile boolean closed;
  private volatile boolean scopesOpen;
  private volatile boolean ended;
  private volatile long newestAtClose = Long.MIN_VALUE;
  private volatile @Nullable String lastError;

  private Lease(LeaseConfig config, LayoutWatch layouts, TimeSource time, long maxLeadMillis) {
    this.config = config;
    this.time = time;
    clock = new ReferenceClock(config, time);
    this.layouts = layouts;
    settlement = new Settlement(config, layouts, time, maxLeadMillis, clock);
    events = new LeaseEvents(config.listener(), config.keeper().listeners(), waiters::wake);
    protocol = new LeaseProtocol(config, settlement, layouts, maxLeadMillis, time, clock);
    floor = new FloorWatch(config);
    search = new WorkerSearch(config, layouts, time, protocol, settlement, clock, floor);
    maintenance = config.keeper().lane(config.store()).task(this::maintain);
    watch = config.keeper().timer().task(this::watch);
    overdue = config.keeper().timer().task(this::reportOverdue);
    carryOver = CarryOver.of(config, layouts.layout(), time);
    window = acquireFirst();
    layouts.grant();
    renewedNanos = time.nanoTime();
    dueNanos = renewedNanos + (lost ? retryNanos() : halfWindowNanos());
  }

  /**
   * Leases a worker ID.
   *
   * @param next the layout to go over to when the namespace does; null for none
   * @param maxLeadMillis how far the generator's IDs may run ahead of the clock
   * @throws NoFreeWorkerException if none is free within the configured time
   * @throws LayoutMismatchException if the namespace has another layout
   * @throws ClockSkewException if this process's clock is too far from the store's
   * @throws StoreException if the store cannot be asked within the configured time
   */
  public static Lease acquire(
      LeaseConfig config,
      IdLayout layout,
      @Nullable IdLayout next,
      TimeSource time,
      long maxLeadMillis) {
    WorkerPool.checkFits(config, layout);
    LayoutWatch layouts = new LayoutWatch(config, layout, next, time);
    Lease lease = new Lease(config, layouts, time, maxLeadMillis);
    LeaseEvents.logNow(Level.DEBUG, "leased " + lease.describe(), null);
    lease.events.notifyNow(LeaseListener::acquired, lease.status());
    return lease;
  }

  static void checkWorker(long worker, IdLayout layout) {
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

  private LeaseWindow acquireFirst() {
    long begin = time.nanoTime();
    long timeout = config.acquireTimeoutMillis().orElse(-1);
    boolean lookedForRest = false;
    String refusal = "";
    while (true) {
      FirnException failure;
      long pause;
      try {
        askedNanos = time.nanoTime();
        return search.acquire(Long.MIN_VALUE);
      } catch (NoFreeWorkerException e) {
        failure = e;
        pause = Math.min(MAX_PAUSE_FOR_FENCE_MILLIS, Math.max(1, e.freeInMillis()));
        if (timeout < 0 || (e.isUnsettled() && !config.mayTimeOut())) {
          timeout = elapsedMillis(begin) + unaskedWaitMillis(e);
        }
      } catch (UnreadableRecordException e) { // waiting makes it no better
        throw e;
      } catch (StoreException e) {
        if (carryOver.isPresent() && !lookedForRest) {
          lookedForRest = true;
          try {
            return takeRest(carryOver.get(), e);
          } catch (IOException refused) {
            refusal = "; " + refused.getMessage();
          }
        }
        failure = refusal.isEmpty() ? e : new StoreException(e.getMessage() + refusal, e);
        pause = 1 + time.random(MAX_ACQUIRE_PAUSE_MILLIS);
      }
      long left = timeout - elapsedMillis(begin);
      if (left <= 0) {
        throw failure;
      }
      time.parkNanos(TimeUnit.MILLISECONDS.toNanos(Math.min(left, pause)));
      if (Thread.currentThread().isInterrupted()) {
        throw failure;
      }
    }
  }

  /**
   * Takes the rest of a window that the process before has left. It counts as that of a lease that
   * was lost: it is used up, not renewed, and another worker ID is sought.
   */
  private LeaseWindow takeRest(CarryOver file, StoreException failure) throws IOException {
    LeaseWindow rest = file.take();
    lost = true;
    lastError = failure.getMessage();
    failureLogged = true;
    askedNanos = time.nanoTime() - 2 * halfWindowNanos(); // nothing is committed under it
    LeaseEvents.logNow(
        Level.WARNING,
        "issuing the rest of a window, up to "
            + Instant.ofEpochMilli(rest.notAfterMillis())
            + ", from "
            + file
            + ": "
            + failure.getMessage(),
        null);
    return rest;
  }

  private long elapsedMillis(long beginNanos) {
    return TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - beginNanos);
  }

  /** Returns how long to wait for a pinned worker ID that a crash left behind: it is free soon. */
  private long unaskedWaitMillis(NoFreeWorkerException e) {
    long wait = e.freeInMillis() + config.maxClockSkewMillis();
    long longest =
        MAX_WINDOWS_TO_WAIT * config.windowMillis()
            + config.maxSplitMillis()
            + settlement.settleMillis();
    if (!e.isUnsettled() && (config.worker().isEmpty() || e.freeInMillis() > longest)) {
      return 0;
    }
    LeaseEvents.logNow(Level.WARNING, "waiting for up to " + wait + " ms: " + e.getMessage(), null);
    return wait;
  }

  /** Returns the layout that the namespace had when this was leased. For its generator. */
  public IdLayout layout() {
    return layouts.layout();
  }

  /** Returns the current window. */
  @SuppressWarnings("exports") // for Snowflake only
  public LeaseWindow window() {
    return window;
  }

  /**
   * Names the generator that draws under this lease, and has the lease kept from now on.
   *
   * @return what the generator must keep alive: the lease does not
   */
  @SuppressWarnings("exports") // for Snowflake only
  public LeaseHolder keepFor(LeaseHolder generator) {
    LeaseHolder called =
        config.store() instanceof LeaseInterposer interposer
            ? interposer.interpose(generator)
            : generator;
    granting.lock();
    try {
      holder = new WeakReference<>(called);
      kept = true;
    } finally {
      granting.unlock();
    }
    maintenance.runWithin(Math.max(0, dueNanos - time.nanoTime()));
    watch.runWithin(untilFenceNanos(nowMillis()));
    return called;
  }

  /** Requests an early renewal, because the generator has come to the end of the window. */
  public void renewNow() {
    if (lastError == null) {
      renewalRequested = true;
      maintenance.runWithin(0);
    }
    watch.runWithin(0);
  }

  /**
   * Waits until the condition holds, the lease is closed, renewing fails, the time is over, or the
   * thread is interrupted. Every change of the window has the condition looked at again.
   */
  public void await(BooleanSupplier condition, long maxNanos) {
    boolean unused =
        waiters.await(
            () -> closed || lastError != null || condition.getAsBoolean(), time, maxNanos);
  }

  /** Returns how long a caller should wait for a window at least: getting one takes a call. */
  public long minWaitMillis() {
    return Math.min(MAX_MIN_WAIT_MILLIS, config.windowMillis() / WAITS_PER_WINDOW);
  }

  /** Returns what the last attempt to extend the window failed with; empty if it did not. */
  public Optional<String> lastError() {
    return Optional.ofNullable(lastError);
  }

  /** Returns the lease as it is now. */
  public LeaseStatus status() {
    LeaseWindow now = window;
    return new LeaseStatus(
        config.namespace().name(),
        now.worker(),
        config.instance(),
        Instant.ofEpochMilli(now.notBeforeMillis()),
        Instant.ofEpochMilli(now.notAfterMillis()),
        Instant.ofEpochMilli(time.currentTimeMillis()),
        Duration.ofNanos(time.nanoTime() - renewedNanos),
        config.store().toString(),
        floor.published(),
        lastError());
  }

  /** Returns the length of a window, in milliseconds. */
  public long windowMillis() {
    return config.windowMillis();
  }

  /**
   * Returns why no row with an ID of this lease may be committed now; empty if it may. That is so
   * until a margin before the fence: later, another process may declare this holder dead.
   */
  public Optional<String> commitRefusal() {
    ClockReading now = clock.read();
    long millis = Math.max(now.wallMillis(), clock.believedMillis());
    long window = config.windowMillis();
    long margin = Math.min(config.maxClockSkewMillis(), window / MARGINS_PER_WINDOW);
    long sinceMillis = TimeUnit.NANOSECONDS.toMillis(now.nanos() - askedNanos);
    boolean over = millis >= this.window.notAfterMillis() - margin;
    return over || sinceMillis >= window - margin
        ? Optional.of(
            "the lease of its IDs has nearly run out, it was renewed " + sinceMillis + " ms ago")
        : Optional.empty();
  }

  /** Logs a line about this lease. */
  public void logWarning(String what) {
    events.log(Level.WARNING, what + ": " + describe(), null);
  }

  /** Returns the failure to throw when the window is used up. */
  public LeaseExpiredException expired() {
    return new LeaseExpiredException(status());
  }

  // The tasks of the keeper.

  /**
   * Does what is due: renews, seeks another worker ID, or gives the worker ID back.
   *
   * @return in how many nanoseconds it wants to be called again; negative if never
   */
  private long maintain() {
    if (ended) {
      return -1;
    }
    if (closed) {
      end();
      return -1;
    }
    LeaseHolder generator = holder.get();
    if (generator == null) {
      ended = true;
      watch.cancel();
      events.log(
          Level.WARNING,
          "a generator was dropped without being closed; not renewing " + describe(),
          null);
      return -1;
    }
    long wait = dueNanos - time.nanoTime();
    if (wait > 0 && !renewalRequested) {
      return wait;
    }
    renewalRequested = false;
    long begin = time.nanoTime();
    long untilOverdue = untilOverdueNanos();
    if (untilOverdue > 0) {
      overdue.runWithin(untilOverdue);
    }
    try {
      dueNanos = begin + maintainNow(generator);
    } catch (RuntimeException e) { // also a store's own
      recordError(e);
      dueNanos = begin + retryNanos(e);
    } catch (Throwable e) { // the keeper reports it, and runs this again
      recordError(e);
      dueNanos = begin + retryNanos(e);
      maintenance.runWithin(Math.max(0, dueNanos - time.nanoTime()));
      throw e;
    } finally {
      overdue.cancel();
      waiters.wake();
    }
    if (closed) { // by a listener
      end();
      return -1;
    }
    return Math.max(0, dueNanos - time.nanoTime());
  }

  /** Returns after how many nanoseconds to renew again. */
  private long maintainNow(LeaseHolder generator) {
    clearDoubt();
    if (!lost) {
      // Readers of the watermark wait for this fence by the store's clock.
      boolean readers = floor.isWanted() || generator.usesScopes();
      long now = clock.renewalMillis(protocol.mayForget() || isWindowShort() || readers);
      lost = !isRenewable(now) || !renew(generator, now);
    }
    if (lost && !closed) { // a listener may have closed it
      replace(generator);
    }
    Optional<String> doubt = clock.doubt();
    if (doubt.isPresent()) {
      setLastError(doubt.get(), null);
      return Math.min(halfWindowNanos(), clock.stableNanos());
    }
    lastError = null;
    reportRecovery();
    long now = nowMillis();
    return Math.min(halfWindowNanos(), Math.min(floor.heartbeatNanos(now), layouts.dueNanos(now)));
  }

  /**
   * Returns whether a window by this process's own clock may look half used up, and so free, to
   * another process: such a window is renewed by the store's clock.
   */
  private boolean isWindowShort() {
    return config.windowMillis() <= 2 * config.maxClockSkewMillis();
  }

  /**
   * Returns whether neither the window nor the layout has ended yet. After it, another process may
   * have taken the worker; where the store forgets that, renewing would resurrect this lease.
   */
  private boolean isRenewable(long nowMillis) {
    long margin =
        protocol.mayForget()
            ? Math.min(config.maxClockSkewMillis(), config.windowMillis() / MARGINS_PER_WINDOW)
            : 0;
    if (layouts.isOver(nowMillis)) {
      return false;
    }
    boolean renewable = nowMillis + margin < protocol.fenceMillis();
    if (!renewable) {
      events.log(Level.WARNING, "not renewed in time: " + describe(), null);
    }
    return renewable;
  }

  private boolean renew(LeaseHolder generator, long nowMillis) {
    long asked = time.nanoTime();
    // IDs follow this process's clock, which may be ahead of the store's by the skew, but no more.
    long own = nowMillis();
    long now =
        own - nowMillis <= config.maxClockSkewMillis() ? Math.max(nowMillis, own) : nowMillis;
    OptionalLong low =
        floor.isWanted() || generator.usesScopes()
            ? OptionalLong.of(generator.lowMillis(now)) // first: it moves the word
            : OptionalLong.empty();
    long newest = generator.newestMillis();
    long until = Math.min(Math.max(newest, now), now + generator.maxLeadMillis());
    layouts.advance(now, window.worker());
    long fence = Math.min(until + config.windowMillis(), layouts.untilMillis());
    Renewal renewal = protocol.renew(fence, low);
    if (renewal == Renewal.EXTENDED && !look(generator).hasWorker(window.worker(), layout())) {
      renewal = Renewal.LOST; // another store may have leased it meanwhile
    }
    switch (renewal) {
      case EXTENDED -> {
        askedNanos = asked;
        LeaseWindow held = window;
        long begin = Math.max(held.notBeforeMillis(), layouts.fromMillis());
        long end = Math.min(protocol.fenceMillis(), layouts.untilMillis());
        long lead = leadStillUsed(Math.max(newest, begin), nowMillis());
        permit(generator, new LeaseWindow(held.worker(), begin, end, lead));
        notify(LeaseListener::renewed);
      }
      case LOST -> {
        events.log(Level.WARNING, "lost " + describe() + "; seeking another worker ID", null);
        if (protocol.mayForget() || floor.isWanted() || generator.usesScopes()) {
          stop(generator);
        }
      }
      case COPIED -> {
        stop(generator);
        events.log(
            Level.WARNING,
            "lost "
                + describe()
                + ", which a copy of this process has renewed, or an operator has released;"
                + " seeking another worker ID",
            null);
      }
      case DISPROVED -> {
        stop(generator);
        events.log(Level.ERROR, describeLoss(generator.newestMillis()), null);
      }
    }
    if (renewal != Renewal.EXTENDED) {
      notify(LeaseListener::lost);
    }
    return renewal == Renewal.EXTENDED;
  }

  /**
   * Reads what the namespace says, after a renewal was applied: only that permits its window. A
   * write that was bound to the namespace has read it.
   *
   * @return the home datacenters. A change of them that did not see the renewal is seen here.
   */
  private Homes look(LeaseHolder generator) {
    boolean floorIsDue = floor.isDue(generator.usesScopes());
    Homes homes = protocol.boundHomes().orElseGet(() -> search.readHomes(floorIsDue));
    if (protocol.isBound() && floorIsDue) {
      floor.look();
    }
    layouts.settle();
    return homes;
  }

  private String describeLoss(long newestMillis) {
    return "store "
        + config.store()
        + " lost a write that it had acknowledged: IDs of "
        + describeWorker()
        + " with times from "
        + Instant.ofEpochMilli(window.notBeforeMillis())
        + " to "
        + Instant.ofEpochMilli(newestMillis)
        + " may be issued again by another process; this one has stopped and is seeking another"
        + " worker ID";
  }

  /** Ends the window before the newest tick that was drawn: no more of it may be. */
  private void stop(LeaseHolder generator) {
    LeaseWindow now = window;
    long end = Math.min(now.notAfterMillis(), generator.newestMillis() - 1);
    grant(
        new LeaseWindow(now.worker(), now.notBeforeMillis(), end, now.leadMillis()),
        generator::permit);
  }

  private void replace(LeaseHolder generator) {
    long newest = generator.newestMillis();
    long asked = time.nanoTime();
    LeaseWindow next = search.acquire(newest);
    askedNanos = asked;
    long kept = leadStillUsed(newest, nowMillis());
    permit(
        generator,
        new LeaseWindow(
            next.worker(),
            next.notBeforeMillis(),
            next.notAfterMillis(),
            Math.max(next.leadMillis(), kept)));
    lost = false;
    events.log(Level.DEBUG, "leased " + describe(), null);
    notify(LeaseListener::acquired);
  }

  /** Returns what is left of the window's lead, which shrinks as the clock catches up. */
  private long leadStillUsed(long newestMillis, long nowMillis) {
    return Math.min(window.leadMillis(), Math.max(0, newestMillis - nowMillis));
  }

  private void permit(LeaseHolder generator, LeaseWindow next) {
    renewedNanos = time.nanoTime();
    if (layouts.isChanged()) {
      events.log(Level.INFO, describeWorker() + " goes over to layout " + layouts.layout(), null);
      grant(next, window -> generator.goOver(layouts.layout().toString(), window));
      layouts.grant();
    } else {
      grant(next, generator::permit);
    }
    expiryNotified = false;
  }

  private void grant(LeaseWindow next, Consumer<LeaseWindow> permission) {
    granting.lock();
    try {
      if (!closed) {
        permission.accept(next); // first: whoever sees the window may draw in it
        window = next;
      }
    } finally {
      granting.unlock();
    }
  }

  private long nowMillis() {
    return clock.read().wallMillis();
  }

  /** Notices that the fence has passed, whatever the cause; returns when to look again. */
  private long watch() {
    if (closed || ended) {
      return -1;
    }
    ClockReading now = clock.read();
    long left = untilFenceNanos(now.wallMillis());
    if (left > 0) {
      overSince = null;
      return left;
    }
    if (clock.hasJumped(now) && !isOverForARetry(now)) { // it may go back at once
      return retryNanos();
    }
    if (!expiryNotified) {
      expiryNotified = true;
      events.log(Level.ERROR, status().describeExpiry(), null);
      notify(LeaseListener::expired);
    }
    return retryNanos();
  }

  private long untilOverdueNanos() {
    return renewedNanos + halfWindowNanos() / 2 * 3 - time.nanoTime();
  }

  /** Logs that a call of the store hangs, while IDs go on. */
  private long reportOverdue() {
    if (!closed && lastError == null && untilOverdueNanos() <= 0) {
      events.log(
          Level.WARNING,
          "renewal overdue: "
              + describe()
              + ", last renewed "
              + status().sinceRenewal().toMillis()
              + " ms ago; the store has not answered since",
          null);
    }
    return -1;
  }

  private boolean isOverForARetry(ClockReading now) {
    ClockReading since = overSince == null ? now : overSince;
    overSince = since;
    return now.nanos() - since.nanos() >= retryNanos();
  }

  private long untilFenceNanos(long nowMillis) {
    long millis = window.notAfterMillis() - nowMillis;
    return millis <= 0 ? 0 : TimeUnit.MILLISECONDS.toNanos(Math.min(millis, config.windowMillis()));
  }

  // Errors, the log and the listener.

  private void clearDoubt() {
    if (clock.doubt().isPresent()) {
      lastError = null;
    }
  }

  private void recordError(Throwable e) {
    setLastError(e instanceof FirnException ? String.valueOf(e.getMessage()) : e.toString(), e);
  }

  private void setLastError(String error, @Nullable Throwable cause) {
    boolean first = lastError == null;
    lastError = error;
    if (first) {
      failureLogged = true;
      events.log(Level.WARNING, "not renewed: " + describe() + "; " + error, cause);
    }
  }

  /** Logs the end of what was logged as {@code not renewed}. */
  private void reportRecovery() {
    if (failureLogged) {
      failureLogged = false;
      events.log(Level.INFO, "renewed again: " + describe(), null);
    }
  }

  private long halfWindowNanos() {
    return TimeUnit.MILLISECONDS.toNanos(config.windowMillis()) / 2;
  }

  private long retryNanos() {
    long millis = Math.min(MAX_RETRY_MILLIS, config.windowMillis() / RETRIES_PER_WINDOW);
    return TimeUnit.MILLISECONDS.toNanos(Math.max(1, millis));
  }

  private long retryNanos(Throwable e) {
    long retry = retryNanos();
    if (!(e instanceof NoFreeWorkerException none)) {
      return retry;
    }
    // The clock that says when a worker ID is free may be set right before that.
    long longest = Math.min(MAX_PAUSE_FOR_FENCE_MILLIS, config.windowMillis() / 2);
    return Math.max(retry, TimeUnit.MILLISECONDS.toNanos(Math.min(longest, none.freeInMillis())));
  }

  private void notify(BiConsumer<LeaseListener, LeaseStatus> event) {
    events.notify(event, status());
  }

  private String describe() {
    return describeWorker()
        + " until "
        + Instant.ofEpochMilli(window.notAfterMillis())
        + " in "
        + config.store();
  }

  private String describeWorker() {
    return "worker " + window.worker() + " of " + config.namespace().name();
  }

  // The end.

  /**
   * Closes the generator permanently and gives the worker ID back, with what is left of its window.
   * Waits for the store for a limited time. If the store does not answer, the worker stays taken
   * until its fence, no harm is done, and {@link #lastError} says why.
   */
  @Override
  public void close() {
    granting.lock();
    try {
      if (closed) {
        return;
      }
      LeaseHolder generator = holder.get();
      newestAtClose = generator == null ? Long.MIN_VALUE : generator.close();
      forgotten = kept && generator == null; // nobody knows what it drew
      scopesOpen = generator != null && generator.hasOpenScopes();
      closed = true;
    } finally {
      granting.unlock();
    }
    waiters.wake();
    watch.cancel();
    if (maintenance.isRunHere()) { // a listener closes it: the task ends it after the listener
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
      recordNotGivenBack("the store did not answer in time", null);
    }
    long left = MAX_CLOSE_NANOS - (lane.time().nanoTime() - begin);
    boolean unused = waiters.awaitUninterruptibly(events::isDelivered, lane.time(), left);
  }

  private void end() {
    try {
      if (lost || forgotten) {
        lastError = lastError().orElse("the lease was lost before");
      } else if (scopesOpen) {
        recordNotGivenBack("scopes are open, and their rows may still be committed", null);
      } else if (carryOver.isPresent() && isStoreDown()) {
        carryOver(carryOver.get());
      } else if (release()) {
        lastError = null;
        events.log(Level.DEBUG, "released " + describe(), null);
      } else {
        recordNotGivenBack(
            "another process has changed its register, or the store did not confirm the write",
            null);
      }
    } catch (FirnException e) {
      recordNotGivenBack(String.valueOf(e.getMessage()), null);
    } catch (RuntimeException | LinkageError | AssertionError e) { // the fence frees the worker
      recordNotGivenBack(e.toString(), e);
    } finally {
      ended = true;
      waiters.wake();
    }
  }

  /** Asks before a release is sent: that may arrive whatever the store answers. */
  private boolean isStoreDown() {
    try {
      Optional<Register> unused = config.store().read(config.namespace().layoutRegister());
      return false;
    } catch (StoreException e) {
      lastError = e.getMessage();
      return !floor.isWanted() && layouts.isPlain();
    }
  }

  private void carryOver(CarryOver file) {
    LeaseWindow now = window;
    long from = Math.max(newestAtClose, now.notBeforeMillis());
    try {
      file.write(new LeaseWindow(now.worker(), from, now.notAfterMillis(), 0));
      recordNotGivenBack("the rest of its window is left in " + file, null);
    } catch (IOException e) {
      recordNotGivenBack("the rest of its window could not be left in " + file + ": " + e, e);
    }
  }

  private boolean release() {
    // A copy of this process may have drawn the rest of a window that is over.
    boolean over = nowMillis() >= protocol.fenceMillis();
    return protocol.release(over ? Long.MAX_VALUE : newestAtClose);
  }

  private void recordNotGivenBack(String error, @Nullable Throwable cause) {
    lastError = error;
    events.log(
        Level.WARNING,
        "not given back: " + describe() + "; it stays taken until then; " + error,
        cause);
  }
}
