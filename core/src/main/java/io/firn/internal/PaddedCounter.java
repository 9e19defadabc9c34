package io.firn.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One atomic {@code long}, alone on its cache lines: 120 bytes of padding before and after keep
 * neighbors, and the adjacent-line prefetcher, from slowing down its writers.
 */
public class PaddedCounter extends WordValue {

  @SuppressWarnings("unused")
  private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;

  /** Of the numbers drawn under contention, those that are multiples of eight back off. */
  private static final int BACK_OFF_MASK = 7;

  private static final int BACK_OFF_SPINS = 128;

  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(WordValue.class, "value", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Creates a counter that begins with that value. */
  public PaddedCounter(long initial) {
    value = initial;
  }

  /**
   * Reads in opaque mode: a hint. A caller that acts on it uses one of the atomic updates below.
   */
  public final long peek() {
    return (long) VALUE.getOpaque(this);
  }

  /**
   * Backs off after contention: the caller drew another number than {@link #peek} returned, so
   * another thread drew in between. Of two neighboring numbers at most one makes its caller spin,
   * which leaves the cache line to the other thread for a run of draws.
   */
  public static void backOff(long drawn) {
    if ((drawn & BACK_OFF_MASK) == 0) {
      for (int i = 0; i < BACK_OFF_SPINS; i++) {
        Thread.onSpinWait();
      }
    }
  }

  /** Reads in volatile mode: sees all draws before it, in the order of the atomic updates. */
  public final long get() {
    return (long) VALUE.getVolatile(this);
  }

  /**
   * Adds in volatile mode: the draws of all threads have one order, and each sees the grants before
   * it.
   */
  public final long getAndAdd(long count) {
    return (long) VALUE.getAndAdd(this, count);
  }

  /** Adds 1 as {@link #getAndAdd} does, and backs off after contention. */
  public final long incrementWithBackoff() {
    long seen = peek();
    long drawn = getAndAdd(1);
    if (drawn != seen) {
      backOff(drawn);
    }
    return drawn;
  }

  /** Sets in volatile mode, as {@link #getAndAdd}: every draw comes before or after it. */
  public final long getAndSet(long next) {
    return (long) VALUE.getAndSet(this, next);
  }

  /** Compares and sets in volatile mode, as {@link #getAndAdd}. */
  public final boolean compareAndSet(long expected, long next) {
    return VALUE.compareAndSet(this, expected, next);
  }

  /** Sets in release mode: a reader of this value sees all that was written before. */
  public final void setRelease(long next) {
    VALUE.setRelease(this, next);
  }
}

class WordValue extends CacheLinePad {
  long value;
}
