package io.firn.simulation;

import io.firn.IdLayout;
import io.firn.simulation.judges.BlockJudge;
import io.firn.simulation.judges.CarriedGrants;
import io.firn.simulation.judges.LeaseGrants;
import io.firn.simulation.judges.RegionJudge;
import io.firn.simulation.judges.ReservationJudge;
import io.firn.simulation.judges.StrictJudge;
import io.firn.simulation.judges.WatermarkJudge;
import io.firn.simulation.schemes.BlockScheme;
import io.firn.simulation.schemes.CarryOverScheme;
import io.firn.simulation.schemes.FirnScheme;
import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.schemes.RegionScheme;
import io.firn.simulation.schemes.ReservationScheme;
import io.firn.simulation.schemes.SegmentScheme;
import io.firn.simulation.schemes.WatermarkScheme;
import io.firn.simulation.world.Chaos;
import io.firn.simulation.world.Cluster;
import io.firn.simulation.world.EventLog;
import io.firn.simulation.world.Grants;
import io.firn.simulation.world.Judge;
import io.firn.simulation.world.Ledger;
import io.firn.simulation.world.Load;
import io.firn.simulation.world.Loss;
import io.firn.simulation.world.Node;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import io.firn.simulation.world.Violation;
import io.firn.simulation.world.World;
import java.util.List;

/** One run of the production code: faults for a while, then none, and everyone issues again. */
final class Simulation {

  private static final Load LOAD = new Load(5, 8, 2 * World.NANOS_PER_MILLI);
  private static final Load CALM = new Load(2, 1, 1);

  /** Fences further ahead than this are waited for with the power off. */
  private static final int MOST_WINDOWS_AHEAD = 10;

  private static final int WINDOWS_TO_RECOVER = 8;

  /** Longer than the longest pause between two tries to fetch a segment. */
  private static final long NANOS_TO_RECOVER = 2_000 * World.NANOS_PER_MILLI;

  /**
   * The additional time with a watermark: in a store without a clock, a holder that is gone is
   * declared dead once its register has not changed for longer than clocks may be apart.
   */
  private static final long MORE_NANOS_WITH_WATERMARK = 6_000 * World.NANOS_PER_MILLI;

  /** The most that the watermark is behind at the end, in windows. */
  private static final int MOST_WINDOWS_BEHIND = 5;

  /** The time before the end within which each generator must issue an ID, in windows. */
  private static final int WINDOWS_TO_ISSUE = 3;

  private final Settings settings;
  private final Loss loss;
  private final World world;
  private final Cluster cluster;
  private final Scheme scheme;
  private final StrictJudge judge;
  private final BlockJudge blocks;
  private final RegionJudge regions;
  private final ReservationJudge reservations;
  private final WatermarkJudge watermarks = new WatermarkJudge();
  private final long window;

  private Simulation(Settings settings, Mutant mutant, Loss loss, EventLog log) {
    this.settings = settings;
    this.loss = loss;
    world = new World(log);
    window = settings.terms().windowNanos();
    boolean inRegions = settings.subject() == Subject.REGIONS;
    IdLayout layout = inRegions ? settings.terms().layoutOfRegions() : settings.terms().layout();
    Ledger ledger = new Ledger();
    Grants grants =
        switch (settings.subject()) {
          case SEGMENTS -> ledger.segments();
          case CARRY_OVER -> new CarriedGrants(layout, ledger);
          default -> new LeaseGrants(layout, ledger);
        };
    judge = new StrictJudge(grants, settings.mayForget());
    blocks = new BlockJudge(judge, layout);
    regions = new RegionJudge(judge, layout);
    reservations = new ReservationJudge(judge, layout);
    scheme =
        switch (settings.subject()) {
          case LEASES -> new FirnScheme(mutant);
          case SEGMENTS -> new SegmentScheme(mutant);
          case WATERMARK -> new WatermarkScheme(mutant, watermarks);
          case BLOCKS -> new BlockScheme(mutant, blocks);
          case CARRY_OVER -> new CarryOverScheme(mutant);
          case REGIONS -> new RegionScheme(mutant, regions);
          case RESERVATIONS -> new ReservationScheme(mutant, reservations);
        };
    Judge all =
        switch (settings.subject()) {
          case BLOCKS -> blocks;
          case REGIONS -> regions;
          case RESERVATIONS -> reservations;
          default -> judge;
        };
    cluster = new Cluster(settings, world, scheme, all, LOAD, ledger, layout);
  }

  static Outcome run(Settings settings, Mutant mutant) {
    return run(settings, mutant, Loss.NONE);
  }

  static Outcome run(Settings settings, Mutant mutant, Loss loss) {
    return new Simulation(settings, mutant, loss, EventLog.none()).run();
  }

  static Outcome runWithLog(Settings settings, Mutant mutant) {
    return runWithLog(settings, mutant, Loss.NONE);
  }

  static Outcome runWithLog(Settings settings, Mutant mutant, Loss loss) {
    return new Simulation(settings, mutant, loss, EventLog.kept()).run();
  }

  private Outcome run() {
    Throwable failure = null;
    world.log().head(settings);
    try {
      sufferFaults();
      recover();
    } catch (Violation e) {
      failure = e;
      world.log("violation:", e.text(), causeOf(e));
    } finally {
      scheme.end();
    }
    world.log("end:", judge.count(), "IDs,", judge.duplicates(), "of them twice");
    return new Outcome(
        settings,
        judge.count(),
        judge.duplicates(),
        judge.duplicatesOfTheDead(),
        cluster.truth().segments().noticed(),
        cluster.truth().segments().missed(),
        world.events(),
        failure,
        world.log().toString());
  }

  private static String causeOf(Violation violation) {
    Throwable cause = violation.getCause();
    return cause == null ? "" : cause.getClass().getName();
  }

  private void sufferFaults() {
    cluster.openUntil(settings.scale().windows() * window);
    for (Node node : cluster.nodes()) {
      world.after(cluster.random().below(window), node::start);
    }
    new Chaos(cluster, loss).start();
    world.drain();
  }

  private void recover() {
    world.log("faults end");
    cluster.repair(CALM);
    cluster.nodes().stream().skip(settings.scale().nodes()).forEach(Simulation::retire);
    long ahead = nanosUntilLatestFence();
    if (ahead > MOST_WINDOWS_AHEAD * window) {
      world.log("power off for", ahead / World.NANOS_PER_MILLI, "ms");
      nodes().forEach(node -> node.process().crash());
      world.pass(ahead);
      ahead = 0;
    }
    boolean readers = settings.subject() == Subject.WATERMARK;
    long more = readers ? MORE_NANOS_WITH_WATERMARK : 0;
    long deadline = world.now() + ahead + WINDOWS_TO_RECOVER * window + NANOS_TO_RECOVER + more;
    cluster.openUntil(deadline);
    nodes().forEach(Simulation::goOn);
    world.drain();
    judgeRecovery(deadline);
    if (readers) {
      judgeWatermark(deadline);
    }
    if (settings.subject() == Subject.BLOCKS) {
      world.log("there are", blocks.count(), "blocks, of", blocks.rows(), "rows");
    }
    if (settings.subject() == Subject.RESERVATIONS) {
      world.log("there were", reservations.count(), "reservations,", reservations.ended(), "ended");
    }
  }

  private static void retire(Node twin) {
    if (twin.isStarted()) {
      twin.retire();
    }
  }

  private List<Node> nodes() {
    return cluster.nodes().subList(0, settings.scale().nodes());
  }

  private long nanosUntilLatestFence() {
    long millis = cluster.truth().latestFence() - world.trueMillis();
    return Math.max(0, millis * World.NANOS_PER_MILLI);
  }

  private static void goOn(Node node) {
    if (node.process().isDead()) {
      node.start();
    } else {
      node.process().resume();
    }
  }

  private void judgeRecovery(long deadline) {
    long since = deadline - WINDOWS_TO_ISSUE * window;
    long able =
        nodes().stream()
            .flatMap(node -> node.process().slots().stream())
            .filter(slot -> slot.hasIssuedSince(since))
            .count();
    long all = (long) settings.scale().nodes() * settings.scale().slots();
    long expected = Math.min(all, settings.subject().mostGenerators(settings.terms()));
    if (able < expected) {
      throw new Violation(able + " of " + expected + " generators issue again");
    }
  }

  private void judgeWatermark(long deadline) {
    long latest = Settings.START_MILLIS + deadline / World.NANOS_PER_MILLI;
    long behind = latest - watermarks.receivedBeforeMillis();
    world.log("the watermark covers", watermarks.rows(), "rows and is behind by", behind, "ms");
    if (behind > MOST_WINDOWS_BEHIND * settings.terms().windowMillis()) {
      throw new Violation("the watermark is behind by " + behind + " ms");
    }
  }
}
