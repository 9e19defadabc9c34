package io.firn.simulation.schemes;

import io.firn.FirnException;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.simulation.judges.ReservationJudge;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Numbers;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.StoreView;
import io.firn.simulation.world.Terms;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * Generators, and in each process an operator who reserves worker IDs of the upper half for another
 * system and releases them again when that has ended.
 */
public final class ReservationScheme implements Scheme {

  private static final String OTHER = "old system";
  private static final int RELEASE_PER_MILLE = 400;

  /** Further than a release sets the fence past the clock. */
  private static final long AHEAD_MILLIS = 20_000;

  private final Mutant mutant;
  private final ReservationJudge judge;
  private final FirnScheme leases;

  /** Creates the scheme; the judge sees the reservations. */
  public ReservationScheme(Mutant mutant, ReservationJudge judge) {
    this.mutant = mutant;
    this.judge = judge;
    leases = new FirnScheme(mutant);
  }

  @Override
  public Crew start(Incarnation process) {
    return leases
        .crew(process, InterposedStore.keeper(process.time()))
        .keepingFirst(new Operator(process)::start);
  }

  private final class Operator {

    private final Incarnation process;
    private final Numbers random;
    private final Terms terms;
    private final Namespace namespace;
    private boolean started;

    Operator(Incarnation process) {
      this.process = process;
      random = process.numbers();
      terms = process.cluster().settings().terms();
      RegisterStore store = new StoreView(process.cluster(), process, "the operator of " + process);
      namespace = Namespace.of(mutant.reservations(store), FirnScheme.NAMESPACE, process.time());
    }

    void start() {
      if (!started && process.cluster().isOpen() && !process.cluster().isRepaired()) {
        started = true;
        process.later(random.below(2 * terms.windowNanos()), this::act);
      }
    }

    private void act() {
      long half = process.cluster().layout().workers() / 2;
      long worker = half + random.below(half);
      if (judge.begins(process, worker)) {
        try {
          reserveOrRelease(worker);
        } catch (FirnException
            | LinkageError
            | IllegalArgumentException
            | IllegalStateException
            | UnsupportedOperationException e) {
          process.log("is refused worker", worker, e.getClass().getSimpleName());
        } finally {
          judge.ends(process, worker);
        }
      }
      started = false; // its keeper starts the next
    }

    private void reserveOrRelease(long worker) {
      long now = process.cluster().world().trueMillis();
      long window = terms.windowMillis();
      judge.issuesElsewhere(
          worker,
          now + random.oneOf(random.below(2 * window) - window, random.below(AHEAD_MILLIS)));
      if (random.perMille(RELEASE_PER_MILLE)) {
        release(worker);
      } else {
        Instant until =
            random.perMille(500)
                ? WorkerEntry.NEVER
                : Instant.ofEpochMilli(now + random.below(6 * window));
        WorkerEntry entry =
            namespace.reserve(worker, process.cluster().layout(), OTHER, until, false);
        process.log("reserves worker", worker);
        judge.reserved(
            process,
            worker,
            entry.since().orElseThrow().toEpochMilli(),
            entry.fence().toEpochMilli());
      }
    }

    private void release(long worker) {
      OptionalLong newest = judge.endsElsewhere(worker);
      if (newest.isPresent()) {
        Instant issuedBefore = Instant.ofEpochMilli(newest.getAsLong() + 1);
        WorkerEntry entry = namespace.release(worker, issuedBefore);
        process.log("releases worker", entry.worker());
      }
    }
  }
}
