package io.firn.benchmarks;

/**
 * The findings of one round about a row.
 *
 * @param rate million IDs per second, of all threads together
 * @param cores how many cores were kept busy
 * @param worstMillis the longest call; NaN where it was not measured
 * @param bytes allocated per ID
 */
record Sample(double rate, double cores, double worstMillis, double bytes) {

  /**
   * Returns what a core would do that it had to itself, where other guests took some of its time.
   */
  double ratePerCore() {
    return rate / cores;
  }
}
