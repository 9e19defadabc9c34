package io.firn.internal;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * One atomic {@code long}, alone on its cache lines: 120 bytes of padding before and after keep
 * neighbours, and the adjacent-line prefetcher, from slowing down its writers.
 */
public class Word extends WordValue {

  @SuppressWarnings("unused")
  private long q0, q1, q2, q3, q4, q5, q6, q7, q8, q9, qa, qb, qc, qd, qe;

  /** One in so many meetings makes a caller step aside: its number says which of the two. */
  private static final int MEETINGS_MASK = 7;

  private static final int STEP_ASIDE_SPINS = 128;

  private static final VarHandle VALUE;

  static {
    try {
      VALUE = MethodHandles.lookup().findVarHandle(WordValue.class, "value", long.class);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** A word that begins so. */
  public Word(long initial) {
    value = initial;
  }

  /** Opaque: a glance. Whoever acts on it does so with one of the atomic updates below. */
  public final long peek() {
    return (long) VALUE.getOpaque(this);
  }

  /**
   * For a caller that drew another number than {@link #peek} showed it, so has met another. Of two
   * neighbouring numbers at most one makes its caller step aside, which leaves the word's line to
   * the other for a run of draws.
   */
  public static void meet(long drawn) {
    if ((drawn & MEETINGS_MASK) == 0) {
      for (int i = 0; i < STEP_ASIDE_SPINS; i++) {
        Thread.onSpinWait();
      }
    }
  }

  /** Volatile: draws that came before are seen, in the order of all atomic updates. */
  public final long get() {
    return (long) VALUE.getVolatile(this);
  }

  /** Volatile: the draws of all threads have one order, and each sees the grants before it. */
  public final long getAndAdd(long count) {
    return (long) VALUE.getAndAdd(this, count);
  }

  /** As {@link #getAndAdd} of 1, by a caller that may step aside when it has met another. */
  public final long drawSteppingAside() {
    long seen = peek();
    long drawn = getAndAdd(1);
    if (drawn != seen) {
      meet(drawn);
    }
    return drawn;
  }

  /** Volatile, as {@link #getAndAdd}: whatever is drawn after it is seen to be. */
  public final long getAndSet(long next) {
    return (long) VALUE.getAndSet(this, next);
  }

  /** Volatile, as {@link #getAndAdd}. */
  public final boolean compareAndSet(long expected, long next) {
    return VALUE.compareAndSet(this, expected, next);
  }

  /** Release: whoever sees it sees what was written before. */
  public final void setRelease(long next) {
    VALUE.setRelease(this, next);
  }
}

class WordValue extends CacheLinePad {
  long value;
}
