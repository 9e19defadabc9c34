package io.firn.testkit;

/**
 * Sizes of tests: small ones for every build, large ones with {@code -Dfirn.deep=true}. Both check
 * the same property.
 */
public final class Sizes {

  /** The system property that selects large sizes. */
  public static final String DEEP_PROPERTY = "firn.deep";

  private Sizes() {}

  /** Returns {@code large} with {@code -Dfirn.deep=true}, otherwise {@code small}. */
  public static int deep(int small, int large) {
    return isDeep() ? large : small;
  }

  /** Returns {@code large} with {@code -Dfirn.deep=true}, otherwise {@code small}. */
  public static long deep(long small, long large) {
    return isDeep() ? large : small;
  }

  /** Returns whether this build checks large sizes. */
  public static boolean isDeep() {
    return Boolean.getBoolean(DEEP_PROPERTY);
  }
}
