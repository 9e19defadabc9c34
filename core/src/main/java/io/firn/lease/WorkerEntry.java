package io.firn.lease;

import io.firn.IdLayout;
import java.time.Instant;
import java.util.Locale;
import java.util.Optional;

/**
 * The current or last holder of a worker ID.
 *
 * @param worker the worker ID; datacenter and worker as one number where a layout has both
 * @param held whether it is leased and was not released cleanly
 * @param since the first instant of ID time of its holder, if the register records it
 * @param fence no ID at or past it has been permitted; where it is reserved, the end of that
 * @param holder the instance; where it is reserved, the system that uses it
 * @param pid the process ID of the instance, 0 where it is reserved
 * @param reserved whether another system uses it, so that no lease takes it before its fence
 * @param block whether its last ID times, those up to the fence, belong to a block of IDs; the
 *     holder is the process that reserved the block
 * @param low the low mark of its holder, if that publishes one: no ID of the holder before it is in
 *     an open scope, or is drawn any more; see {@link Watermark}
 * @param layout the layout of its holder's IDs, or of the system that it is reserved for; empty if
 *     a process of an earlier version wrote it
 */
public record WorkerEntry(
    long worker,
    boolean held,
    Optional<Instant> since,
    Instant fence,
    String holder,
    long pid,
    boolean reserved,
    boolean block,
    Optional<Instant> low,
    Optional<IdLayout> layout) {

  /** The fence of a worker ID that is reserved without an end. */
  public static final Instant NEVER = Instant.ofEpochMilli(WorkerRecord.NEVER_MILLIS);

  /** The states of a worker ID. */
  public enum State {
    /** Leased, with a fence ahead. */
    HELD,
    /** Leased, with a fence that has passed. */
    EXPIRED,
    /** Released cleanly, or a reservation or a block that has ended. */
    RELEASED,
    /** Used by another system, and taken by no lease. */
    RESERVED,
    /** Reserved for a block of IDs, and taken by no lease before its fence. */
    BLOCK;

    /** Returns the name in lower case. */
    public String label() {
      return name().toLowerCase(Locale.ROOT);
    }
  }

  /** Returns the state of the worker ID at an instant. */
  public State state(Instant now) {
    boolean over = !fence.isAfter(now);
    if (held) {
      return over ? State.EXPIRED : State.HELD;
    }
    if (over) {
      return State.RELEASED;
    }
    return reserved ? State.RESERVED : block ? State.BLOCK : State.RELEASED;
  }
}
