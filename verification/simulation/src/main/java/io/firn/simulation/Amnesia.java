package io.firn.simulation;

import io.firn.simulation.schemes.Chart;
import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.schemes.Table;
import io.firn.simulation.world.Fault;
import io.firn.simulation.world.Loss;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Subject;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** The remaining risk when the one assumption is broken: the store loses acknowledged writes. */
final class Amnesia {

  private static final Set<Fault> LIFE =
      EnumSet.of(Fault.CRASH, Fault.CLOSE, Fault.DELAY, Fault.STALE_SCAN);
  private static final Set<Fault> PAUSES_AND_CUTS =
      EnumSet.of(
          Fault.CRASH,
          Fault.CLOSE,
          Fault.DELAY,
          Fault.STALE_SCAN,
          Fault.SLOW_READ,
          Fault.PAUSE,
          Fault.TWIN,
          Fault.LOST_REQUEST,
          Fault.LOST_REPLY,
          Fault.LATE_WRITE,
          Fault.PARTITION,
          Fault.OUTAGE);

  /** A kind of memory loss, with what else goes wrong, and what came of it. */
  private static final class Trial {
    final String name;
    final Set<Fault> faults;
    final Loss loss;
    long runs;
    long failed;
    long ids;
    long duplicates;
    long ofTheDead;
    long noticed;
    long missed;

    Trial(String name, Loss loss, Set<Fault> others) {
      this.name = name;
      this.loss = loss;
      EnumSet<Fault> all = EnumSet.of(loss.fault());
      all.addAll(others);
      faults = all;
    }
  }

  private final Subject subject;
  private final List<Trial> trials;

  Amnesia(Subject subject) {
    this.subject = subject;
    trials = subject == Subject.SEGMENTS ? ofSegments() : ofLeases();
  }

  private static List<Trial> ofLeases() {
    return List.of(
        new Trial("one full flush", Loss.ONE_FLUSH, Set.of()),
        new Trial("one full flush; crashes, restarts, slow store", Loss.ONE_FLUSH, LIFE),
        new Trial("one full flush; pauses and cuts too", Loss.ONE_FLUSH, PAUSES_AND_CUTS),
        new Trial("one fall back by up to W/2", Loss.ONE_FALL_BACK, Set.of()),
        new Trial("one fall back; crashes, restarts, slow store", Loss.ONE_FALL_BACK, LIFE),
        new Trial("one fall back; pauses and cuts too", Loss.ONE_FALL_BACK, PAUSES_AND_CUTS),
        new Trial("a flush every three windows; all of that", Loss.FLUSHES, PAUSES_AND_CUTS),
        new Trial(
            "a fall back every three windows; all of that", Loss.FALL_BACKS, PAUSES_AND_CUTS));
  }

  private static List<Trial> ofSegments() {
    return List.of(
        new Trial("one failover", Loss.ONE_FAILOVER, Set.of()),
        new Trial("one failover; crashes, restarts, slow store", Loss.ONE_FAILOVER, LIFE),
        new Trial("one failover; pauses and cuts too", Loss.ONE_FAILOVER, PAUSES_AND_CUTS),
        new Trial("a failover every three windows; all of that", Loss.FAILOVERS, PAUSES_AND_CUTS),
        new Trial("one fall back by up to W/2; all of that", Loss.ONE_FALL_BACK, PAUSES_AND_CUTS),
        new Trial("one full flush; all of that", Loss.ONE_FLUSH, PAUSES_AND_CUTS));
  }

  /** One loss of memory with sane clocks, and nothing else. */
  static Outcome run(long seed, Loss loss) {
    return run(seed, Subject.LEASES, loss, Mutant.NONE);
  }

  static Outcome run(long seed, Subject subject, Loss loss, Mutant mutant) {
    Settings settings = settings(seed, new Trial("", loss, Set.of())).with(subject);
    return Simulation.run(settings, mutant, loss);
  }

  void run(long seed) {
    for (Trial trial : trials) {
      Settings settings = settings(seed, trial).with(subject);
      Outcome outcome = Simulation.run(settings, Mutant.NONE, trial.loss);
      trial.runs++;
      trial.ids += outcome.ids();
      trial.duplicates += outcome.duplicates();
      trial.ofTheDead += outcome.ofTheDead();
      trial.noticed += outcome.noticed();
      trial.missed += outcome.missed();
      trial.failed += outcome.duplicates() > 0 ? 1 : 0;
    }
  }

  private static Settings settings(long seed, Trial trial) {
    Settings drawn = Settings.of(seed);
    return drawn.with(drawn.terms().forgetful()).with(drawn.scale().withFaults(trial.faults));
  }

  String table() {
    boolean segments = subject == Subject.SEGMENTS;
    List<String> columns =
        new ArrayList<>(
            List.of(
                "what is lost, and what else goes wrong",
                "runs",
                "with a duplicate",
                "IDs",
                "duplicates"));
    if (segments) {
      columns.addAll(List.of("of a crashed process", "noticed", "missed"));
    }
    Table table = new Table(columns.toArray(String[]::new));
    for (Trial trial : trials) {
      LongStream counts =
          LongStream.concat(
              LongStream.of(trial.runs, trial.failed, trial.ids, trial.duplicates),
              segments
                  ? LongStream.of(trial.ofTheDead, trial.noticed, trial.missed)
                  : LongStream.empty());
      table.row(Stream.concat(Stream.of(trial.name), counts.mapToObj(Chart::grouped)).toArray());
    }
    return table.toString();
  }
}
