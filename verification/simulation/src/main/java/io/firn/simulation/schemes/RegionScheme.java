package io.firn.simulation.schemes;

import io.firn.simulation.judges.RegionJudge;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Scheme;
import io.firn.testkit.InterposedStore;

/**
 * Generators of two regions, each with registers of its own and a home datacenter. Now and then a
 * process is configured with the datacenter of the other region; not where the store may lose the
 * homes, because the first new process after that records its own datacenter, whichever it is.
 */
public final class RegionScheme implements Scheme {

  private static final int MISTAKEN_PER_MILLE = 200;

  private final RegionJudge judge;
  private final FirnScheme leases;

  /** Creates the scheme; the judge knows which regions have recorded their home. */
  public RegionScheme(Mutant mutant, RegionJudge judge) {
    this.judge = judge;
    leases = new FirnScheme(mutant);
  }

  @Override
  public Crew start(Incarnation process) {
    long region = RegionJudge.regionOf(process);
    return leases.crew(
        process,
        InterposedStore.keeper(process.time()),
        FirnScheme.NAMESPACE + "-" + region,
        (slot, lease) -> {
          boolean mistaken =
              judge.hasHome(region)
                  && !process.cluster().isRepaired()
                  && !process.cluster().settings().hasIdentity()
                  && process.numbers().perMille(MISTAKEN_PER_MILLE);
          if (mistaken) {
            process.log("is configured with the datacenter of the other region");
          }
          lease.datacenter(mistaken ? 1 - region : region);
        });
  }
}
