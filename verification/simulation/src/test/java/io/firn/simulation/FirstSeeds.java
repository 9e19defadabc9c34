package io.firn.simulation;

import io.firn.simulation.schemes.Mutant;
import java.util.stream.LongStream;

/**
 * The seeds of a search for a planted bug. One that is known to find the bug comes first, because
 * few others do. If a change of the simulator makes it miss the bug, the search takes longer.
 */
final class FirstSeeds {

  private FirstSeeds() {}

  /** Returns the seeds below {@code most}, after one that is known to find the bug. */
  static LongStream of(Mutant mutant, long most) {
    return LongStream.concat(LongStream.of(known(mutant)), LongStream.range(0, most));
  }

  private static long known(Mutant mutant) {
    return switch (mutant) {
      case FLOOR_NOT_READ -> 13;
      case SETTLES_WITHOUT_LEAD -> 204;
      case SETTLES_WITHOUT_SKEW -> 382;
      case SETTLES_WITHOUT_SPLIT -> 350;
      case WRITES_UNBOUND -> 173;
      case WRITES_UNBOUND_WHERE_ABSENT -> 173;
      case WRITES_UNBOUND_WHERE_PRESENT -> 41_181;
      default -> 0;
    };
  }
}
