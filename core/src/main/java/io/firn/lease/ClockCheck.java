package io.firn.lease;

import io.firn.time.TimeSource;
import java.time.Instant;
import java.util.List;
import java.util.OptionalLong;

/**
 * Refuses a lease to a process whose clock others disagree with. No promise rests on this: a wrong
 * clock makes IDs whose time is wrong and worker IDs that stay taken, never duplicates.
 */
final class ClockCheck {

  private final RegisterStore store;
  private final Namespace namespace;
  private final TimeSource time;
  private final long maxSkewMillis;

  ClockCheck(LeaseConfig config, TimeSource time) {
    store = config.store();
    namespace = config.namespace();
    this.time = time;
    maxSkewMillis = config.maxClockSkewMillis();
  }

  /** The store's clock, or this process's where the store has none. */
  long referenceMillis() {
    long before = time.currentTimeMillis();
    OptionalLong storeClock = store.currentTimeMillis();
    if (storeClock.isEmpty()) {
      return before;
    }
    long reference = storeClock.getAsLong();
    long after = time.currentTimeMillis();
    refuse(reference - after, "", "behind", "the store's " + Instant.ofEpochMilli(reference));
    refuse(before - reference, "", "ahead of", "the store's " + Instant.ofEpochMilli(reference));
    return reference;
  }

  /**
   * Where the store has no clock: a fence too far ahead was written by a faster clock, or this
   * clock is slow. It is slow if no holder's fence is where it says that fences should be.
   */
  void againstPeers(WorkerRecord seen, long now) {
    long behind = aheadMillis(seen, now);
    if (behind > maxSkewMillis
        && store.currentTimeMillis().isEmpty()
        && records().stream().noneMatch(record -> agrees(record, now))) {
      refuse(behind, "at least", "behind", "that of " + seen.holder() + ", process " + seen.pid());
    }
  }

  private List<WorkerRecord> records() {
    return store.scan(namespace.workerPrefix()).stream().map(WorkerRecord::parse).toList();
  }

  private boolean agrees(WorkerRecord record, long now) {
    return record.fenceMillis() > now - record.windowMillis()
        && aheadMillis(record, now) <= maxSkewMillis;
  }

  /**
   * How far the clock that wrote this record is ahead of {@code now}, at least: IDs may lead the
   * clock by up to half a window, and the fence with them.
   */
  private static long aheadMillis(WorkerRecord record, long now) {
    long window = record.windowMillis();
    return record.fenceMillis() - (record.held() ? window : 0) - window / 2 - now;
  }

  private void refuse(long millis, String bound, String direction, String whose) {
    if (millis > maxSkewMillis) {
      throw new ClockSkewException(
          "clock: "
              + Instant.ofEpochMilli(time.currentTimeMillis())
              + " (expected: within "
              + maxSkewMillis
              + " ms of others, it is "
              + (bound.isEmpty() ? "" : bound + " ")
              + millis
              + " ms "
              + direction
              + " "
              + whose
              + ")");
    }
  }
}
