package io.firn;

import io.firn.internal.CacheLinePad;

/**
 * The numbers of a tick in blocks, for one thread; see {@link Snowflake#newHandle}. Padded on both
 * sides: handles of several threads are often made one after the other.
 */
final class Handle extends HandleState implements IdGenerator {

  @SuppressWarnings("unused")
  private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;

  static final int MAX_IDS_PER_CLOCK_READ = 1 << 16;

  /** A block larger than this gains nothing and wastes more when the tick ends. */
  private static final int MAX_BLOCK = 1 << 10;

  private final Snowflake source;
  private final int idsPerClockRead;
  private final long idStep;
  private final long maxLeadMillis;
  private final long span;

  Handle(Snowflake source, int idsPerClockRead) {
    this.source = source;
    this.idsPerClockRead = idsPerClockRead;
    idStep = source.idStep();
    maxLeadMillis = source.maxLeadMillis();
    span = source.tickMillis() + maxLeadMillis;
  }

  @Override
  public long nextId() {
    if (left > 0 && (--unread > 0 || isDue(source.sinceEpoch()))) {
      left--;
      long id = next;
      next += idStep;
      return id;
    }
    return refill();
  }

  /** Whether a number of the block's tick may be issued now: not too far ahead, and not stale. */
  private boolean isDue(long now) {
    unread = idsPerClockRead;
    return Long.compareUnsigned(now - tickStart + maxLeadMillis, span) < 0;
  }

  private long refill() {
    long now = source.sinceEpoch();
    source.dropped(left);
    left = 0;
    boolean sameTick = Long.compareUnsigned(now - tickStart, source.tickMillis()) < 0;
    block = sameTick ? Math.min(block * 2, MAX_BLOCK) : 1;
    long id = source.claim(block, now);
    tickStart = source.tickStart(id);
    left = source.claimed(id, block) - 1;
    next = id + idStep;
    unread = idsPerClockRead;
    return id;
  }
}

class HandleState extends CacheLinePad {
  long next;
  long tickStart;
  int left;
  int unread;
  int block = 1;
}
