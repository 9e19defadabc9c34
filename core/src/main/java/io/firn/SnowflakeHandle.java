package io.firn;

import io.firn.internal.CacheLinePad;
import org.jspecify.annotations.Nullable;

/**
 * Draws from a {@link Snowflake} for one thread, in blocks of numbers; see {@link
 * Snowflake#newHandle}. Not thread-safe: a handle belongs to the first thread that draws from it.
 * It is not an {@link IdGenerator}, because those are shared.
 */
public final class SnowflakeHandle extends HandleState {

  // Padded on both sides: handles of several threads are often created one after the other.
  @SuppressWarnings("unused")
  private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;

  static final int MAX_IDS_PER_CLOCK_READ = 1 << 16;

  /** A block larger than this gains nothing and wastes more when the tick ends. */
  private static final int MAX_BLOCK = 1 << 10;

  private final Snowflake source;
  private final TickFormat format;
  private final int idsPerClockRead;
  private final long idStep;
  private final long maxLeadMillis;
  private final long span;
  private @Nullable SnowflakeHandle successor;

  SnowflakeHandle(Snowflake source, TickFormat format, long maxLeadMillis, int idsPerClockRead) {
    this.source = source;
    this.format = format;
    this.idsPerClockRead = idsPerClockRead;
    this.maxLeadMillis = maxLeadMillis;
    idStep = format.idStep();
    span = format.tickMillis() + maxLeadMillis;
  }

  /**
   * Issues an ID that is larger than every ID that this handle issued before.
   *
   * @throws FirnException if no ID can be issued now, as {@link Snowflake#nextId}
   * @throws IllegalStateException if another thread drew from this handle before; checked once a
   *     block, so that IDs may already have been repeated
   */
  public long nextId() {
    if (left > 0 && (--unread > 0 || isDue(source.drawMillis()))) {
      left--;
      long id = next;
      next += idStep;
      return id;
    }
    return refill();
  }

  /**
   * Returns whether a number of the block's tick may be issued now: not too far ahead, and not
   * stale.
   */
  private boolean isDue(long now) {
    unread = idsPerClockRead;
    return Long.compareUnsigned(now - tickStart + maxLeadMillis, span) < 0;
  }

  private long refill() {
    requireOwner();
    long now = source.sinceEpoch();
    source.countUnused(left);
    left = 0;
    boolean sameTick = Long.compareUnsigned(now - tickStart, format.tickMillis()) < 0;
    // A number that is kept for later would be missing in the low mark.
    block = sameTick && !source.usesScopes() ? Math.min(block * 2, MAX_BLOCK) : 1;
    long id = source.claim(block, now);
    if (id == SnowflakeSlowPath.HANDED_OVER) {
      return afterChange();
    }
    tickStart = format.tickStart(id);
    left = format.claimed(id, block) - 1;
    next = id + idStep;
    unread = idsPerClockRead;
    return id;
  }

  /** Draws from the generator of the next layout, with a handle of its own. */
  private long afterChange() {
    SnowflakeHandle other = successor;
    if (other == null) {
      other = source.successor().newHandle(idsPerClockRead);
      successor = other;
    }
    return other.nextId();
  }

  private void requireOwner() {
    Thread caller = Thread.currentThread();
    if (owner == null) {
      owner = caller;
    } else if (owner != caller) {
      throw new IllegalStateException(
          "The handle belongs to thread "
              + owner.getName()
              + " and was used by thread "
              + caller.getName()
              + ", so that IDs may have been repeated; call newHandle() in each thread");
    }
  }
}

class HandleState extends CacheLinePad {
  @Nullable Thread owner;
  long next;
  long tickStart;
  int left;
  int unread;
  int block = 1;
}
