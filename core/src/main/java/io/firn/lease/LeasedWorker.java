package io.firn.lease;

import io.firn.IdLayout;
import io.firn.internal.ClockReading;
import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.lease.LeaseProtocol.Renewal;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The worker ID of a lease: leased, renewed, replaced by another when it is lost, and released. The
 * methods that call the store are called by one thread at a time, all others by any.
 */
final class LeasedWorker {

  private final LeaseConfig config;
  private final TimeSource time;
  private final LeaseEvents events;
  private final LastError lastError;
  private final LayoutWatch layouts;
  private final ReferenceClock clock;
  private final CommitCheck commits;
  private final LeaseProtocol protocol;
  private final FloorWatch floor;
  private final LeaseGuard guard;
  private final WorkerSearch search;
  private final Optional<CarryOver> carryOver;
  private final GrantedWindow granted;
  private final ExpiryReport expiry = new ExpiryReport(this::isExpired, this::reportExpiry);
  private volatile long renewedNanos;
  private boolean lost;

  /**
   * Leases a worker ID.
   *
   * @throws io.firn.FirnException as {@link Lease#acquire} does
   */
  LeasedWorker(
      LeaseConfig config,
      IdLayout layout,
      @Nullable IdLayout next,
      TimeSource time,
      long maxLeadMillis,
      LeaseEvents events) {
    this.config = config;
    this.time = time;
    this.events = events;
    lastError = new LastError(events, this::describe);
    layouts = new LayoutWatch(config, layout, next, time);
    clock = new ReferenceClock(config, time);
    commits = new CommitCheck(config, clock);
    MarkProtocol marks = new MarkProtocol(config, layouts, time, maxLeadMillis, clock);
    protocol = new LeaseProtocol(config, marks, layouts, maxLeadMillis, time, clock);
    floor = new FloorWatch(config);
    guard = new LeaseGuard(config, time);
    search = new WorkerSearch(config, layouts, time, protocol, marks, clock, floor);
    carryOver = CarryOver.of(config, layouts.layout(), time);
    FirstAcquisition.Result first =
        new FirstAcquisition(config, search, marks, carryOver, time).run();
    granted = new GrantedWindow(first.window());
    commits.extended(first.askedNanos());
    first.failure().ifPresent(this::beginAsLost);
    guard.acquired();
    layouts.grant();
    renewedNanos = time.nanoTime();
  }

  /** Begins with a window that is used up, not renewed, while another worker ID is sought. */
  private void beginAsLost(String failure) {
    lost = true;
    lastError.begin(failure);
  }

  /** Returns whether another worker ID is sought. For the thread that calls the store. */
  boolean isLost() {
    return lost;
  }

  /** Returns the current window, and what ends it. */
  GrantedWindow granted() {
    return granted;
  }

  /** Returns the error of the last attempt to extend the window. */
  LastError lastError() {
    return lastError;
  }

  /** Returns the layout that the namespace has. */
  IdLayout layout() {
    return layouts.layout();
  }

  /** Returns the clock that the fence is compared with. */
  ReferenceClock clock() {
    return clock;
  }

  /** Returns what guards the commits of this holder. */
  LeaseGuard guard() {
    return guard;
  }

  /** Returns when the window was extended last, or leased. */
  long renewedNanos() {
    return renewedNanos;
  }

  /** As {@link Lease#commitRefusal}. */
  Optional<String> commitRefusal() {
    return commits.refusal(granted.window().notAfterMillis());
  }

  /** As {@link Lease#commitGraceNanos}. */
  long commitGraceNanos() {
    return TimeUnit.MILLISECONDS.toNanos(Math.max(FloorRecord.GRACE_MILLIS, floor.graceMillis()));
  }

  LeaseStatus status() {
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
        lastError.text(),
        lastError.doubt());
  }

  /** Returns what reports the end of the window. */
  ExpiryReport expiry() {
    return expiry;
  }

  private void reportExpiry() {
    LeaseStatus status = status();
    events.log(Level.ERROR, describeExpiry(status), null);
    events.notify(LeaseListener::expired, status);
  }

  private boolean isExpired() {
    ClockReading now = clock.read();
    return granted.window().notAfterMillis() <= now.wallMillis() && !clock.hasJumped(now);
  }

  /** Describes the end of the window, and the change of layout that has ended it. */
  String describeExpiry(LeaseStatus now) {
    return now.describeExpiry() + layouts.changeAt(now.fence()).map("; "::concat).orElse("");
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

  private void notify(BiConsumer<LeaseListener, LeaseStatus> event) {
    events.notify(event, status());
  }

  /**
   * Renews, or leases another worker ID when this one is lost.
   *
   * @return after how many nanoseconds to do so again
   * @throws io.firn.FirnException if the store refuses or does not answer
   */
  long extend(LeasedGenerator generator) {
    if (!lost) {
      // Readers of the watermark wait for this fence by the store's clock.
      boolean readers = hasReaders(generator);
      long asked = time.nanoTime(); // before the clock is read that the fence follows
      long now = clock.renewalMillis(protocol.mayForget() || isWindowShort() || readers);
      lost = !isRenewable(now) || !renew(generator, now, asked);
      if (lost) {
        stopForReaders(generator);
      }
    }
    if (lost && !granted.isClosed()) { // it may have been closed meanwhile
      replace(generator);
    }
    String doubt = clock.doubt();
    lastError.end(doubt);
    if (doubt != null) {
      return Math.min(config.halfWindowNanos(), clock.stableNanos());
    }
    long now = nowMillis();
    return Math.min(
        config.halfWindowNanos(),
        Math.min(floor.heartbeatNanos(now), layouts.dueNanos(now, granted.window())));
  }

  private boolean hasReaders(LeasedGenerator generator) {
    return floor.isWanted() || generator.usesScopes();
  }

  /**
   * Ends a window that is not renewed, and lets its scopes expire, where readers of the watermark
   * may pass its IDs.
   */
  private void stopForReaders(LeasedGenerator generator) {
    if (hasReaders(generator)) {
      granted.stop(generator);
    }
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
      expiry.reportIfOver();
    }
    return renewable;
  }

  private boolean renew(LeasedGenerator generator, long nowMillis, long asked) {
    // IDs follow this process's clock, which may be ahead of the store's by the skew, but no more.
    long own = nowMillis();
    boolean agree = Math.abs(own - nowMillis) <= config.maxClockSkewMillis();
    long now = agree ? Math.max(nowMillis, own) : nowMillis;
    // The low mark follows it too: it moves the word, and callers wait for a word that is ahead.
    OptionalLong low =
        hasReaders(generator)
            ? OptionalLong.of(generator.lowMillis(agree ? own : nowMillis)) // before newestMillis
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
      case EXTENDED -> permitRenewed(generator, held, newest, asked);
      case LOST -> {
        events.log(Level.WARNING, "lost " + describe() + "; seeking another worker ID", null);
        if (protocol.mayForget()) {
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

  /** Permits the window of a renewal that was applied. */
  private void permitRenewed(LeasedGenerator generator, LeaseWindow held, long newest, long asked) {
    expiry.reportIfOver();
    if (protocol.takeRewritten()) {
      events.log(Level.WARNING, describeRewrite(), null);
    }
    commits.extended(asked);
    long begin = Math.max(held.notBeforeMillis(), layouts.fromMillis());
    long end = Math.min(protocol.fenceMillis(), layouts.untilMillis());
    long lead = leadStillUsed(Math.max(newest, begin), nowMillis());
    boolean unused = permit(generator, new LeaseWindow(held.worker(), begin, end, lead));
    boolean valid = expiry.extend(); // last: the watch of the fence reads it first
    guard.renewed();
    if (valid) {
      notify(LeaseListener::renewed);
    }
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
    stopForReaders(generator); // also scopes that were opened since expire, in any layout
    guard.acquired();
    commits.extended(asked);
    long kept = leadStillUsed(newest, nowMillis());
    boolean permitted =
        permit(
            generator,
            new LeaseWindow(
                next.worker(),
                next.notBeforeMillis(),
                next.notAfterMillis(),
                Math.max(next.leadMillis(), kept)));
    expiry.begin(); // last: the watch of the fence reads it first
    if (!permitted) { // closed meanwhile: the lease ends as one that was lost
      search.release(next.notBeforeMillis());
      return;
    }
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

  /** Permits a window, unless the generator is closed; returns whether this call did. */
  private boolean permit(LeasedGenerator generator, LeaseWindow next) {
    layouts.log().logPending(events);
    boolean permitted;
    if (layouts.isChanged()) {
      events.log(Level.INFO, describeWorker() + " switches to layout " + layouts.layout(), null);
      permitted =
          granted.grant(next, window -> generator.switchTo(layouts.layout().toString(), window));
      layouts.grant();
    } else {
      permitted = granted.grant(next, generator::permit);
    }
    renewedNanos = time.nanoTime();
    return permitted;
  }

  private long nowMillis() {
    return clock.read().wallMillis();
  }

  /**
   * Releases the worker ID of a generator that is closed.
   *
   * @param newestMillis the end of the newest tick that was drawn
   * @throws StoreException if the store cannot be asked
   */
  void release(long newestMillis) {
    Optional<LeaseRelease.Refusal> refusal =
        new LeaseRelease(config, protocol, layouts, floor, clock)
            .run(granted.window(), newestMillis, carryOver);
    if (refusal.isPresent()) {
      lastError.recordNotReleased(refusal.get().reason(), refusal.get().cause());
    } else {
      lastError.forget();
      events.log(Level.DEBUG, "released " + describe(), null);
    }
  }
}
