package io.firn.lease;

import io.firn.IdLayout;
import io.firn.internal.Require;
import io.firn.time.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides where ID times of blocks may be taken: not before the settling time ends, only while the
 * layout is used, and so close to the clock that no new process begins before them.
 *
 * <p>Where new processes wait after a loss, nothing is taken until the settling time is over. If
 * times past its end were taken earlier, the next loss could take their record back, and a holder
 * that has not seen the first loss would write its own record again and reach them.
 */
final class TimesLimits {

  /** The worker that was taken last is taken again if its times begin this soon. */
  private static final long MAX_PAUSE_MILLIS = 1_000;

  private final LeaseConfig config;
  private final IdLayout layout;
  private final LayoutWatch layouts;
  private final long maxAheadMillis;

  TimesLimits(LeaseConfig config, IdLayout layout, LayoutWatch layouts, long maxAheadMillis) {
    this.config = config;
    this.layout = layout;
    this.layouts = layouts;
    this.maxAheadMillis = maxAheadMillis;
  }

  /**
   * The times that may be taken.
   *
   * @param beginMillis where they begin at the earliest
   * @param lastBeginMillis where they begin at the latest
   */
  record Window(long beginMillis, long lastBeginMillis) {
    long soonMillis() {
      return Math.min(lastBeginMillis, beginMillis + MAX_PAUSE_MILLIS);
    }
  }

  /**
   * Returns where times may be taken.
   *
   * @param nowMillis the clock that was read
   * @param markRead the mark that was read; null where the store has no identity
   * @param ticks how many ticks in a row
   * @param begin a time in the first tick; empty for now, or as soon after as workers are free
   * @throws IllegalArgumentException if the epoch of the layout is in the future
   * @throws NoFreeWorkerException if there is no such time
   */
  Window window(long nowMillis, @Nullable MarkRead markRead, long ticks, Optional<Instant> begin) {
    Require.begun(layout.epoch(), Instant.ofEpochMilli(nowMillis)); // else it would begin there
    long duration = ticks * layout.tick().toMillis();
    long settled = markRead == null ? Long.MIN_VALUE : firstTickStart(markRead.settledAtMillis());
    long soonest = firstTickStart(nowMillis);
    long last = soonest + maxAheadMillis - duration;
    if (markRead != null && config.store().mayForget()) {
      long bound =
          markRead.mark().settleMillis() - config.maxClockSkewMillis() - config.maxSplitMillis();
      last = Math.min(last, nowMillis + bound - duration);
    }
    long asked = begin.map(instant -> tickStart(instant.toEpochMilli())).orElse(soonest);
    long earliest = Math.max(asked, settled);
    earliest = withinLayout(earliest, duration, begin);
    last = tickStart(Math.min(last, layouts.untilMillis() - duration));
    if (markRead != null && markRead.mustWait()) {
      throw unsettled("try again then", settled, nowMillis);
    }
    if (begin.isPresent() && earliest > asked) {
      throw unsettled("ask for IDs from then on", settled, nowMillis);
    }
    if (earliest > last && settled > nowMillis) {
      throw unsettled("try again then", settled, nowMillis);
    }
    if (earliest > last) {
      throw tooFarAhead(begin, duration, last + duration - nowMillis);
    }
    return new Window(earliest, begin.isPresent() ? earliest : last);
  }

  /** Returns when the tick begins that holds a time: no other part of it may be taken either. */
  private long tickStart(long millis) {
    return millis - Math.floorMod(millis - layout.epoch().toEpochMilli(), layout.tick().toMillis());
  }

  /** Returns when the first tick begins that begins at a time or past it. */
  private long firstTickStart(long millis) {
    return tickStart(millis + layout.tick().toMillis() - 1);
  }

  /** Returns where ticks of the layout begin, at or past the beginning of one. */
  private long withinLayout(long millis, long durationMillis, Optional<Instant> begin) {
    long first = Math.max(millis, firstTickStart(layouts.fromMillis()));
    long until = layouts.untilMillis();
    if (first <= until - durationMillis && (first == millis || begin.isEmpty())) {
      return first;
    }
    String name = config.namespace().name();
    Instant wanted = Instant.ofEpochMilli(millis);
    if (first > millis) {
      throw new NoFreeWorkerException(
          "Namespace "
              + name
              + " has its layout since "
              + Instant.ofEpochMilli(layouts.fromMillis())
              + ", and IDs from "
              + wanted
              + " were asked for; ask for IDs of a later time",
          0);
    }
    throw new NoFreeWorkerException(
        "Namespace "
            + name
            + " changes its layout at "
            + Instant.ofEpochMilli(until)
            + ", and "
            + durationMillis
            + " ms of ID time from "
            + wanted
            + " were asked for; ask for fewer IDs",
        0);
  }

  private RuntimeException tooFarAhead(
      Optional<Instant> begin, long durationMillis, long maxMillis) {
    String most = DurationText.write(Duration.ofMillis(maxMillis));
    return begin.isPresent()
        ? new IllegalArgumentException(
            "begin: " + begin.get() + " (expected: IDs at most " + most + " ahead of the clock)")
        : new NoFreeWorkerException(
            "Namespace "
                + config.namespace().name()
                + " has at most "
                + maxMillis
                + " ms of ID time ahead of the clock, where new processes begin if store "
                + config.store()
                + " forgets, and "
                + durationMillis
                + " ms were asked for; ask for fewer IDs",
            0);
  }

  private NoFreeWorkerException unsettled(String remedy, long settledAtMillis, long nowMillis) {
    return NoFreeWorkerException.unsettled(
        "Store "
            + config.store()
            + " was started, promoted or restored; IDs of namespace "
            + config.namespace().name()
            + " begin at "
            + Instant.ofEpochMilli(settledAtMillis)
            + ", when its settling time ends; "
            + remedy,
        settledAtMillis - nowMillis);
  }
}
