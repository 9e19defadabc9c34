package io.firn.simulation.judges;

import io.firn.IdLayout;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Judge;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.Violation;
import java.util.HashSet;
import java.util.Set;

/** Each region issues IDs of its own datacenter. */
public final class RegionJudge implements Judge {

  private final Judge generators;
  private final IdLayout layout;
  private final Set<Long> issuing = new HashSet<>();

  /** Creates a judge that has another one judge the IDs. */
  public RegionJudge(Judge generators, IdLayout layout) {
    this.generators = generators;
    this.layout = layout;
  }

  /** Returns the region of a process: 0 or 1, the number of its datacenter. */
  public static long regionOf(Incarnation process) {
    return process.number(0) / process.slots().size() % 2;
  }

  /** Returns whether a region has issued IDs, so that its home is recorded. */
  public boolean hasHome(long region) {
    return issuing.contains(region);
  }

  @Override
  public void issued(Slot slot, long id, long floor) {
    generators.issued(slot, id, floor);
    long region = regionOf(slot.process());
    if (layout.parse(id).datacenter() != region) {
      throw new Violation(slot + " issued " + id + ", whose datacenter is not at home there");
    }
    issuing.add(region);
  }
}
