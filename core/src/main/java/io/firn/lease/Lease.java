package io.firn.lease;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.internal.Lane;
import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.internal.Waiters;
import io.firn.lease.LeaseProtocol.Renewal;
import io.firn.store.Register;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
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
  private final LeaseProtocol protocol;
  private final WorkerSearch search;
  private final FloorWatch floor;
  private final LeaseGuard guard;
  private final LayoutWatch layouts;
  private final ReferenceClock clock;
  private final CommitCheck commits;
  private final Lane.Task maintenance;
  private final FenceWatch watch;
  private final Waiters waiters = new Waiters();
  private final LeaseEvents events;
  private final LastError lastError;
  private final Optional<CarryOver> carryOver;

  private final GrantedWindow granted;
  private boolean lost;
  private long dueNanos;
  private volatile long renewedNanos;
  private volatile boolean renewalRequested;

  private volatile boolean ended;

  private Lease(LeaseConfig config, LayoutWatch layouts, TimeSource time, long maxLeadMillis) {
    this.config = config;
    this.time = time;
    clock = new ReferenceClock(config, time);
    commits = new CommitCheck(config, clock);
    this.layouts = layouts;
    MarkProtocol markProtocol = new MarkProtocol(config, layouts, time, maxLeadMillis, clock);
    events = new LeaseEvents(config.listener(), config.keeper().listeners(), waiters::wake);
    lastError = new LastError(events, this::describe);
    protocol = new LeaseProtocol(config, markProtocol, layouts, maxLeadMillis, time, clock);
    floor = new FloorWatch(config);
    guard = new LeaseGuard(config, time);
    search = new WorkerSearch(config, layouts, time, protocol, markProtocol, clock, floor);
    maintenance = config.keeper().lane(config.store()).task(this::maintain);
    watch = new FenceWatch(this, config, clock, events, time);
    carryOver = CarryOver.of(config, layouts.layout(), time);
    FirstAcquisition.Result first =
        new FirstAcquisition(config, search, markProtocol, carryOver, time).run();
    granted = new GrantedWindow(first.window());
    commits.extended(first.askedNanos());
    first.failure().ifPresent(this::beginAsLost);
    guard.acquired();
    layouts.grant();
    renewedNanos = time.nanoTime();
    dueNanos = renewedNanos + (lost ? config.retryNanos() : config.halfWindowNanos());
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
    LayoutWatch layouts = new LayoutWatch(config, layout, next, time);
    Lease lease = new Lease(config, layouts, time, maxLeadMillis);
    LeaseEvents.logNow(Level.DEBUG, "leased " + lease.describe(), null);
    lease.events.notifyNow(LeaseListener::acquired, lease.status());
    return lease;
  }

  /** Begins with a window that is used up, not renewed, while another worker ID is sought. */
  private void beginAsLost(String failure) {
    lost = true;
    lastError.begin(failure);
  }

  /** Returns the layout that the namespace had when this was leased. For its generator. */
  public IdLayout layout() {
    return layouts.layout();
  }

  /** Returns the current window. */
  @SuppressWarnings("exports") // for Snowflake only
  public LeaseWindow window() {
    return granted.window();
  }

  /**
   * Names the generator that draws under this lease, and has the lease kept from now on.
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
   * thread is interrupted. Every change of the window has the condition looked at again.
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

  /** Returns what the last attempt to extend the window failed with; empty if it did not. */
  public Optional<String> lastError() {
    return lastError.text();
  }

  /** Returns the current state of the lease. */
  public LeaseStatus status() {
    LeaseWindow now = granted.window();
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
        protocol.low(),
        protocol.mark(),
        lastError());
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
    return commits.refusal(granted.window().notAfterMillis());
  }

  /** Returns how long a commit in doubt may still be applied: the longest grace of readers. */
  public long commitGraceNanos() {
    return TimeUnit.MILLISECONDS.toNanos(Math.max(FloorRecord.GRACE_MILLIS, floor.graceMillis()));
  }

  /** Returns what names the acquisition under which a scope is opened. */
  public String acquisition() {
    return guard.acquisition();
  }

  /**
   * Returns the register that guards the commits of an acquisition; waits for it to be opened.
   *
   * @return empty if the acquisition was lost
   * @throws StoreException if it is not opened in time
   */
  public Optional<Register> guard(String acquisition) {
    if (!guard.isOpen(acquisition)) {
      renewNow();
      await(() -> guard.isOpen(acquisition), MAX_GUARD_NANOS);
    }
    if (!guard.isOpen(acquisition)) {
      throw new StoreException(
          "The guard of commits of "
              + describe()
              + " was not opened"
              + lastError().map(error -> ": " + error).orElse(" in time")
              + "; roll back");
    }
    return guard.register(acquisition);
  }

  /** Requests a new guard in place of one that a transaction did not find. */
  public void replaceGuard(Register register) {
    guard.replace(register);
  }

  /** Logs a line about this lease. */
  public void logWarning(String what) {
    events.log(Level.WARNING, what + ": " + describe(), null);
  }

  /** Returns the failure to throw when the window is used up. */
  public LeaseExpiredException expired() {
    LeaseStatus now = status();
    return new LeaseExpiredException(now, describeExpiry(now));
  }

  /** Describes the end of the window, and the change of layout that has ended it. */
  String describeExpiry(LeaseStatus now) {
    return now.describeExpiry() + layouts.changeAt(now.fence()).map("; "::concat).orElse("");
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
    if (granted.isClosed()) {
      end();
      return -1;
    }
    LeasedGenerator generator = granted.generator();
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
    watch.callBegins();
    try {
      dueNanos = begin + maintainNow(generator);
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
    if (granted.isClosed()) { // meanwhile, here or by another thread
      end();
      return -1;
    }
    return Math.max(0, dueNanos - time.nanoTime());
  }

  /** Returns after how many nanoseconds to renew again. */
  private long maintainNow(LeasedGenerator generator) {
    if (clock.doubt().isPresent()) {
      lastError.forget();
    }
    if (!lost) {
      // Readers of the watermark wait for this fence by the store's clock.
      boolean readers = floor.isWanted() || generator.usesScopes();
      long asked = time.nanoTime(); // before the clock is read that the fence follows
      long now = clock.renewalMillis(protocol.mayForget() || isWindowShort() || readers);
      lost = !isRenewable(now) || !renew(generator, now, asked);
    }
    if (lost && !granted.isClosed()) { // it may have been closed meanwhile
      replace(generator);
    }
    Optional<String> doubt = clock.doubt();
    if (doubt.isPresent()) {
      lastError.record(doubt.get(), null);
      return Math.min(config.halfWindowNanos(), clock.stableNanos());
    }
    lastError.end();
    long now = nowMillis();
    return Math.min(
        config.halfWindowNanos(),
        Math.min(floor.heartbeatNanos(now), layouts.dueNanos(now, granted.window())));
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
    long margin = protocol.mayForget() ? config.marginMillis() : 0;
    if (layouts.isOver(nowMillis)) {
      return false;
    }
    boolean renewable = nowMillis + margin < protocol.fenceMillis();
    if (!renewable) {
      events.log(Level.WARNING, "not renewed in time: " + describe(), null);
    }
    return renewable;
  }

  private boolean renew(LeasedGenerator generator, long nowMillis, long asked) {
    // IDs follow this process's clock, which may be ahead of the store's by the skew, but no more.
    long own = nowMillis();
    long now =
        own - nowMillis <= config.maxClockSkewMillis() ? Math.max(nowMillis, own) : nowMillis;
    OptionalLong low =
        floor.isWanted() || generator.usesScopes()
            ? OptionalLong.of(generator.lowMillis(now)) // first: it moves the word
            : OptionalLong.empty();
    long newest = generator.newestMillis();
    LeaseWindow held = granted.window();
    long reached = Math.max(newest, held.notBeforeMillis());
    long until = Math.min(Math.max(reached, now), now + mostLead(generator));
    layouts.advance(now, held);
    long fence = Math.min(until + config.windowMillis(), layouts.untilMillis());
    boolean guarded = guard.openIfWanted(held.worker(), protocol.heldToken());
    Renewal renewal = protocol.renew(fence, low, guarded);
    if (renewal == Renewal.EXTENDED && !look(generator).hasWorker(held.worker(), layout())) {
      renewal = Renewal.LOST; // another store may have leased it meanwhile
    }
    switch (renewal) {
      case EXTENDED -> {
        if (protocol.takeRewritten()) {
          events.log(Level.WARNING, describeRewrite(), null);
        }
        commits.extended(asked);
        long begin = Math.max(held.notBeforeMillis(), layouts.fromMillis());
        long end = Math.min(protocol.fenceMillis(), layouts.untilMillis());
        long lead = leadStillUsed(Math.max(newest, begin), nowMillis());
        permit(generator, new LeaseWindow(held.worker(), begin, end, lead));
        guard.renewed();
        notify(LeaseListener::renewed);
      }
      case LOST -> {
        events.log(Level.WARNING, "lost " + describe() + "; seeking another worker ID", null);
        if (protocol.mayForget() || floor.isWanted() || generator.usesScopes()) {
          granted.stop(generator);
        }
      }
      case COPIED -> {
        granted.stop(generator);
        events.log(
            Level.WARNING,
            "lost "
                + describe()
                + ", which a copy of this process has renewed, or an operator has released;"
                + " seeking another worker ID",
            null);
      }
      case DISPROVED -> {
        granted.stop(generator);
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
  private Homes look(LeasedGenerator generator) {
    boolean floorIsDue = floor.isDue(generator.usesScopes());
    Homes homes = protocol.boundHomes().orElseGet(() -> search.readHomes(floorIsDue));
    if (protocol.isBound() && floorIsDue) {
      floor.look();
    }
    layouts.revertUnlessFixed();
    layouts.log().warnOfUnfixed(events, nowMillis());
    return homes;
  }

  private String describeRewrite() {
    return "store "
        + config.store()
        + " had lost the register of "
        + describeWorker()
        + ", as by a flush; it was written again, and the lease goes on until "
        + Instant.ofEpochMilli(protocol.fenceMillis());
  }

  private String describeLoss(long newestMillis) {
    return "store "
        + config.store()
        + " lost a write that it had acknowledged: IDs of "
        + describeWorker()
        + " with times from "
        + Instant.ofEpochMilli(granted.window().notBeforeMillis())
        + " to "
        + Instant.ofEpochMilli(newestMillis)
        + " may be issued again by another process; this one has stopped and is seeking another"
        + " worker ID";
  }

  private void replace(LeasedGenerator generator) {
    long newest = generator.newestMillis();
    long asked = time.nanoTime();
    LeaseWindow next = search.acquire(newest);
    guard.acquired();
    commits.extended(asked);
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

  /**
   * Returns how far a window may begin ahead of the clock: also as far as the held one does, behind
   * a floor of a reader whose clock was ahead. Where a store may lose writes, no window may end
   * later than new processes then expect.
   */
  private long mostLead(LeasedGenerator generator) {
    long own = generator.maxLeadMillis();
    return protocol.keepsWrites() ? Math.max(own, granted.window().leadMillis()) : own;
  }

  /** Returns what is left of the window's lead, which shrinks as the clock catches up. */
  private long leadStillUsed(long newestMillis, long nowMillis) {
    return Math.min(granted.window().leadMillis(), Math.max(0, newestMillis - nowMillis));
  }

  private void permit(LeasedGenerator generator, LeaseWindow next) {
    renewedNanos = time.nanoTime();
    layouts.log().logPending(events);
    if (layouts.isChanged()) {
      events.log(Level.INFO, describeWorker() + " switches to layout " + layouts.layout(), null);
      granted.grant(next, window -> generator.switchTo(layouts.layout().toString(), window));
      layouts.grant();
    } else {
      granted.grant(next, generator::permit);
    }
    watch.extended();
  }

  private long nowMillis() {
    return clock.read().wallMillis();
  }

  // For the watch of the fence.

  /** Returns whether no fence is of interest any more. */
  boolean isOver() {
    return granted.isClosed() || ended;
  }

  boolean isClosed() {
    return granted.isClosed();
  }

  /** Returns when the window was extended last, or leased. */
  long renewedNanos() {
    return renewedNanos;
  }

  // The log and the listener.

  void notify(BiConsumer<LeaseListener, LeaseStatus> event) {
    events.notify(event, status());
  }

  String describe() {
    return describeWorker()
        + " until "
        + Instant.ofEpochMilli(granted.window().notAfterMillis())
        + " in "
        + config.store();
  }

  private String describeWorker() {
    return "worker " + granted.window().worker() + " of " + config.namespace().name();
  }

  // The end.

  /**
   * Closes the generator permanently and releases the worker ID, with what is left of its window.
   * Waits for the store for a limited time. If the store does not answer, the worker stays taken
   * until its fence, no harm is done, and {@link #lastError()} says why.
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

  private void end() {
    try {
      if (lost || granted.isForgotten()) {
        lastError.recordLost();
      } else if (granted.hadOpenScopes()) {
        lastError.recordNotReleased("scopes are open, and their rows may still be committed", null);
      } else {
        release();
      }
    } catch (FirnException e) {
      lastError.recordNotReleased(String.valueOf(e.getMessage()), null);
    } catch (RuntimeException | LinkageError | AssertionError e) { // the fence frees the worker
      lastError.recordNotReleased(e.toString(), e);
    } finally {
      ended = true;
      waiters.wake();
    }
  }

  private void release() {
    Optional<LeaseRelease.Refusal> refusal =
        new LeaseRelease(config, protocol, layouts, floor, clock).run(granted, carryOver);
    if (refusal.isPresent()) {
      lastError.recordNotReleased(refusal.get().reason(), refusal.get().cause());
    } else {
      lastError.forget();
      events.log(Level.DEBUG, "released " + describe(), null);
    }
  }
}
