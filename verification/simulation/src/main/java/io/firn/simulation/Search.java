package io.firn.simulation;

import io.firn.simulation.schemes.Chart;
import io.firn.simulation.schemes.Mutant;
import io.firn.simulation.world.Settings;
import java.util.Objects;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/** Runs seed after seed until one fails, and makes that one small. */
final class Search {

  private final Mutant mutant;
  private final LongFunction<Settings> settings;
  private final long begin = System.nanoTime();
  private long seeds;
  private long ids;
  private long events;
  private @Nullable Outcome failed;

  Search(Mutant mutant, LongFunction<Settings> settings) {
    this.mutant = mutant;
    this.settings = settings;
  }

  void run(long seed) {
    Outcome outcome = Simulation.run(settings.apply(seed), mutant);
    seeds++;
    ids += outcome.ids();
    events += outcome.events();
    if (outcome.isFailed()) {
      failed = outcome;
    }
  }

  boolean isOver() {
    return failed != null;
  }

  long seeds() {
    return seeds;
  }

  String report() {
    String done =
        Chart.grouped(seeds)
            + " seeds, "
            + Chart.grouped(events)
            + " events, "
            + Chart.grouped(ids)
            + " IDs, "
            + Simulate.perSecond(seeds, System.nanoTime() - begin)
            + " seeds a second: ";
    return done + (failed == null ? "no violation" : "a violation\n" + failure(failed));
  }

  private String failure(Outcome outcome) {
    Settings small = Shrink.of(outcome.settings(), mutant);
    Outcome again = Simulation.runWithLog(small, mutant);
    return again.log()
        + "replay: "
        + small.command()
        + (mutant == Mutant.NONE ? "" : " --mutant " + mutant);
  }

  /** Returns what went wrong in the run that failed. */
  Throwable violation() {
    return Objects.requireNonNull(Objects.requireNonNull(failed).failure());
  }
}
