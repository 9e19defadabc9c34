package io.firn;

import io.firn.IdLayout.Kind;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** Every layout of few bits: each set of fields with time, in each order, in each width. */
final class SmallLayouts {

  static final Instant EPOCH = Instant.parse("2026-01-01T00:00:00Z");

  private SmallLayouts() {}

  static List<IdLayout> all(int maxBits) {
    List<IdLayout> layouts = new ArrayList<>();
    extend(layouts, new ArrayDeque<>(), maxBits);
    return layouts;
  }

  /** Those of {@link #all} whose IDs grow with time: no sequence above it. */
  static List<IdLayout> growing(int maxBits) {
    return all(maxBits).stream()
        .filter(layout -> layout.shift(Kind.SEQUENCE) <= layout.shift(Kind.TIME))
        .toList();
  }

  /** Those of {@link #growing} that have neither datacenter nor worker. */
  static List<IdLayout> ofTimeAndSequence(int maxBits) {
    return growing(maxBits).stream().filter(layout -> layout.workers() == 1).toList();
  }

  private record Width(Kind kind, int bits) {}

  private static void extend(List<IdLayout> layouts, Deque<Width> widths, int bitsLeft) {
    if (widths.stream().anyMatch(width -> width.kind() == Kind.TIME)) {
      IdLayout.Builder builder = IdLayout.builder().epoch(EPOCH);
      widths.forEach(width -> builder.field(width.kind(), width.bits()));
      layouts.add(builder.build());
    }
    for (Kind kind : Kind.values()) {
      if (widths.stream().noneMatch(width -> width.kind() == kind)) {
        for (int bits = 1; bits <= bitsLeft; bits++) {
          widths.addLast(new Width(kind, bits));
          extend(layouts, widths, bitsLeft - bits);
          widths.removeLast();
        }
      }
    }
  }
}
