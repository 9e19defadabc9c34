package io.firn.verify;

import java.util.Arrays;
import java.util.stream.LongStream;

/** IDs at equal distances out of all, at most 1,024. */
final class Sample {

  private static final int MAX_IDS = 1 << 10;

  private final long[] ids = new long[MAX_IDS];
  private int size;
  private long distance = 1;
  private long untilNext;

  void add(long id) {
    if (untilNext-- > 0) {
      return;
    }
    if (size == MAX_IDS) {
      for (int i = 0; i < MAX_IDS / 2; i++) {
        ids[i] = ids[2 * i];
      }
      size = MAX_IDS / 2;
      distance *= 2;
    }
    ids[size++] = id;
    untilNext = distance - 1;
  }

  LongStream stream() {
    return Arrays.stream(ids, 0, size);
  }
}
