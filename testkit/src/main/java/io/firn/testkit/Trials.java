package io.firn.testkit;

import io.firn.time.TimeSource;
import java.lang.System.Logger.Level;
import java.util.function.Function;
import java.util.random.RandomGenerator;

/**
 * Tries a property on random inputs, for spaces that are too large to enumerate. The first seed is
 * new at every run and logged; a failure names the seed and the input of its own trial. {@code
 * -Dfirn.trials.seed=…} starts with that seed, so with the input that failed.
 */
public final class Trials {

  /** The system property that sets the first seed. */
  public static final String SEED_PROPERTY = "firn.trials.seed";

  private static final System.Logger LOGGER = System.getLogger(Trials.class.getName());

  private Trials() {}

  /**
   * A property that must hold for every input.
   *
   * @param <T> the type of the input
   */
  @FunctionalInterface
  public interface Property<T> {
    /** Returns if the property holds for the input, and throws anything if it does not. */
    void check(T input) throws Exception;
  }

  /**
   * Checks {@code count} inputs.
   *
   * @param name says in the log and the failure what is tried
   * @param input makes an input of random numbers, and of nothing else; its {@code toString} is
   *     part of the failure
   * @throws AssertionError at the first input for which the property does not hold
   */
  public static <T> void check(
      String name, int count, Function<RandomGenerator, T> input, Property<T> property) {
    if (count < 1) {
      throw new IllegalArgumentException("count: " + count + " (expected: at least 1)");
    }
    Long given = Long.getLong(SEED_PROPERTY);
    long seed = given != null ? given : TimeSource.system().random(1L << 53);
    LOGGER.log(
        Level.INFO, "{0}: {1} trials, -D{2}={3}", name, "" + count, SEED_PROPERTY, "" + seed);
    for (int i = 0; i < count; i++, seed += Numbers.STEP) {
      T tried = input.apply(new Numbers(seed));
      try {
        property.check(tried);
      } catch (Exception | AssertionError e) {
        throw new AssertionError(
            name
                + ": trial "
                + (i + 1)
                + " of "
                + count
                + " failed on "
                + tried
                + " (again: -D"
                + SEED_PROPERTY
                + "="
                + seed
                + "): "
                + e.getMessage(),
            e);
      }
    }
  }

  /** SplitMix64: the same numbers from the same seed on every JDK. */
  private static final class Numbers implements RandomGenerator {

    /** Odd, and not SplitMix64's own: neighboring trials share no numbers. */
    static final long STEP = 0xd1342543de82ef95L;

    private long state;

    Numbers(long seed) {
      state = seed;
    }

    @Override
    public long nextLong() {
      long z = state += 0x9e3779b97f4a7c15L;
      z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
      z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
      return z ^ (z >>> 31);
    }
  }
}
