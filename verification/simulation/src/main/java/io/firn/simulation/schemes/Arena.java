package io.firn.simulation.schemes;

import io.firn.IdLayout;
import io.firn.simulation.judges.CountingJudge;
import io.firn.simulation.world.Chaos;
import io.firn.simulation.world.Cluster;
import io.firn.simulation.world.EventLog;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Ledger;
import io.firn.simulation.world.Load;
import io.firn.simulation.world.Loss;
import io.firn.simulation.world.Node;
import io.firn.simulation.world.Numbers;
import io.firn.simulation.world.Scale;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.simulation.world.Terms;
import io.firn.simulation.world.World;
import java.util.EnumSet;
import java.util.Set;

/**
 * The setting in which schemes are compared: twenty minutes of eight instances with one generator
 * each, a layout of 1,024 workers, and 30 s for leases, sessions and times to live.
 */
final class Arena {

  private static final Load LOAD = new Load(4, 20, 4 * World.NANOS_PER_MILLI);
  private static final Terms TERMS =
      new Terms(10, 12, 1, 30_000, 0, 1_000, 5_000, true, false, false);
  private static final int NODES = 8;
  private static final int WINDOWS = 40;
  private static final int FAULT_PER_MILLE = 300;
  private static final int LOOP_PER_MILLE = 100;

  private Arena() {}

  static CountingJudge run(long seed, Scheme scheme) {
    World world = new World(EventLog.none());
    CountingJudge judge = new CountingJudge(world);
    Settings settings =
        new Settings(seed, Subject.LEASES, TERMS, new Scale(NODES, 1, WINDOWS, faults(seed)));
    Cluster cluster =
        new Cluster(settings, world, scheme, judge, LOAD, new Ledger(), IdLayout.CLASSIC);
    cluster.openUntil(WINDOWS * TERMS.windowNanos());
    for (Node node : cluster.nodes()) {
      world.after(cluster.random().below(TERMS.windowNanos()), node::start);
    }
    new Chaos(cluster, Loss.NONE).start();
    world.drain();
    return judge;
  }

  private static Set<Fault> faults(long seed) {
    Numbers random = Numbers.of(seed, -3);
    EnumSet<Fault> faults = EnumSet.noneOf(Fault.class);
    for (Fault fault : Fault.values()) {
      int odds = fault == Fault.CRASH_LOOP ? LOOP_PER_MILLE : FAULT_PER_MILLE;
      if (random.perMille(odds) && !Fault.AMNESIA.contains(fault) && !Fault.LATER.contains(fault)) {
        faults.add(fault);
      }
    }
    return faults;
  }
}
