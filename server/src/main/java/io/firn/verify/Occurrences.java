package io.firn.verify;

import java.util.Arrays;

/**
 * IDs in any order, each kept at most twice: what is more is counted and dropped when there is no
 * room. So one ID on many lines takes no memory of its own.
 */
final class Occurrences {

  private static final int MAX_KEPT = 2;

  private long[] ids;
  private int size;
  private long dropped;

  /**
   * Makes room.
   *
   * @param expected how many IDs there are unless some are on very many lines; at least 1
   */
  Occurrences(int expected) {
    ids = new long[expected];
  }

  void add(long id) {
    if (size == ids.length) {
      compact();
      if (size > ids.length / 2) {
        ids = Arrays.copyOf(ids, Math.multiplyExact(ids.length, 2));
      }
    }
    ids[size++] = id;
  }

  private void compact() {
    Arrays.sort(ids, 0, size);
    int kept = 0;
    for (int i = 0; i < size; i++) {
      if (kept < MAX_KEPT || ids[kept - MAX_KEPT] != ids[i]) {
        ids[kept++] = ids[i];
      }
    }
    dropped += size - kept;
    size = kept;
  }

  /**
   * Returns the IDs that were added more than once, in ascending order. Nothing is added after
   * that.
   */
  long[] repeated() {
    compact();
    int repeated = 0;
    for (int i = 1; i < size; i++) {
      if (ids[i] == ids[i - 1]) {
        ids[repeated++] = ids[i]; // behind what is compared from here on
      }
    }
    dropped += repeated;
    return Arrays.copyOf(ids, repeated);
  }

  /** Returns how many IDs were added beyond one each, once {@link #repeated} was called. */
  long extra() {
    return dropped;
  }

  /** Returns how many IDs fit into the memory that it has. */
  int capacity() {
    return ids.length;
  }
}
