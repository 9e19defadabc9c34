package io.firn.simulation.world;

/** SplitMix64: the same numbers from the same seed on every JDK. */
public final class Numbers {

  private static final long STEP = 0x9e3779b97f4a7c15L;

  private long state;

  Numbers(long seed) {
    state = mixed(seed + STEP);
  }

  /** Returns numbers that have nothing to do with those of other labels. */
  public static Numbers of(long seed, long label) {
    return new Numbers(mixed(seed) ^ mixed(~label * STEP));
  }

  public long next() {
    return mixed(state += STEP);
  }

  private static long mixed(long number) {
    long z = (number ^ (number >>> 30)) * 0xbf58476d1ce4e5b9L;
    z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
    return z ^ (z >>> 31);
  }

  /** Returns a number in 0..bound-1. */
  public long below(long bound) {
    return Long.remainderUnsigned(next(), bound);
  }

  /** Returns a number in 0..bound-1. */
  public int below(int bound) {
    return (int) below((long) bound);
  }

  /** A number in from..to. */
  long between(long from, long to) {
    return from + below(to - from + 1);
  }

  public boolean perMille(int chance) {
    return below(1_000) < chance;
  }

  public long oneOf(long... choices) {
    return choices[below(choices.length)];
  }
}
