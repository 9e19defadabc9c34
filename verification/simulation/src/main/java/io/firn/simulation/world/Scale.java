package io.firn.simulation.world;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The size of a run, which shrinking a failure reduces.
 *
 * @param nodes how many hosts there are
 * @param slots how many generators each process has
 * @param windows how long the run is, in windows
 * @param faults what goes wrong
 */
public record Scale(int nodes, int slots, int windows, Set<Fault> faults) {

  public Scale {
    EnumSet<Fault> ordered = EnumSet.noneOf(Fault.class);
    ordered.addAll(faults);
    faults = Collections.unmodifiableSet(ordered);
  }

  public Scale withNodes(int count) {
    return new Scale(count, slots, windows, faults);
  }

  public Scale withSlots(int count) {
    return new Scale(nodes, count, windows, faults);
  }

  public Scale withWindows(int count) {
    return new Scale(nodes, slots, count, faults);
  }

  public Scale withFaults(Collection<Fault> only) {
    return new Scale(nodes, slots, windows, Set.copyOf(only));
  }

  public Scale without(Fault fault) {
    return withFaults(faults.stream().filter(other -> other != fault).toList());
  }
}
