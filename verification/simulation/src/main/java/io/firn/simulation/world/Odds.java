package io.firn.simulation.world;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Decides which faults happen. Each kind has random numbers of its own, so that a run without one
 * kind is otherwise much the same.
 */
final class Odds {

  private final Map<Fault, Numbers> numbers = new EnumMap<>(Fault.class);
  private boolean repaired;

  Odds(long seed, Set<Fault> faults) {
    faults.forEach(fault -> numbers.put(fault, Numbers.of(seed, fault.name().hashCode())));
  }

  /** No more faults from now on. */
  void repair() {
    repaired = true;
  }

  /** Returns whether the faults are over. */
  boolean isRepaired() {
    return repaired;
  }

  boolean strikes(Fault fault, int perMille) {
    Numbers own = numbers.get(fault);
    return own != null && !repaired && own.perMille(perMille);
  }

  /** The numbers of a fault that struck. */
  Numbers of(Fault fault) {
    return Objects.requireNonNull(numbers.get(fault), fault::label);
  }

  Set<Fault> faults() {
    return numbers.keySet();
  }
}
