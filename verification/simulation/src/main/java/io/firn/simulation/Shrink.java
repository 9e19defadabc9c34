package io.firn.simulation;

import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Scale;
import io.firn.simulation.world.Settings;
import java.util.ArrayList;
import java.util.List;

/** Makes a failing run smaller while it still fails: fewer faults, nodes, generators, windows. */
final class Shrink {

  private static final int MAX_RUNS = 300;

  private final Mutant mutant;
  private Settings smallest;
  private int runs;

  private Shrink(Settings failing, Mutant mutant) {
    smallest = failing;
    this.mutant = mutant;
  }

  static Settings of(Settings failing, Mutant mutant) {
    Shrink shrink = new Shrink(failing, mutant);
    while (shrink.step() && shrink.runs < MAX_RUNS) {}
    return shrink.smallest;
  }

  private boolean step() {
    for (Scale smaller : smaller(smallest.scale())) {
      Settings candidate = smallest.with(smaller);
      runs++;
      if (Simulation.run(candidate, mutant).isFailed()) {
        smallest = candidate;
        return true;
      }
    }
    return false;
  }

  private static List<Scale> smaller(Scale scale) {
    List<Scale> all = new ArrayList<>();
    scale.faults().forEach(fault -> all.add(scale.without(fault)));
    if (scale.nodes() > 1) {
      all.add(scale.withNodes(scale.nodes() - 1));
    }
    if (scale.slots() > 1) {
      all.add(scale.withSlots(scale.slots() - 1));
    }
    if (scale.windows() > 1) {
      all.add(scale.withWindows(scale.windows() / 2));
      all.add(scale.withWindows(scale.windows() - 1));
    }
    return all;
  }
}
