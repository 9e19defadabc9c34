package io.firn.verify;

import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * IDs that were found more than once.
 *
 * @param ids how many IDs
 * @param extra how many lines they have beyond one each
 * @param first those that were read first, in that order
 */
record Repeats(long ids, long extra, List<Repeat> first) {

  static final Repeats NONE = new Repeats(0, 0, List.of());

  /**
   * One ID.
   *
   * @param positions where it was found among all IDs, from 0; the first eight
   */
  record Repeat(long id, List<Long> positions) {}

  Repeats plus(Repeats other, int shown) {
    List<Repeat> earliest =
        Stream.concat(first.stream(), other.first.stream())
            .sorted(Comparator.comparing(repeat -> repeat.positions().get(0)))
            .limit(shown)
            .toList();
    return new Repeats(ids + other.ids, extra + other.extra, earliest);
  }
}
