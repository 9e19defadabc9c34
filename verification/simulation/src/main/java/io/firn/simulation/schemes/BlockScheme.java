package io.firn.simulation.schemes;

import io.firn.FirnException;
import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import io.firn.block.IdBlocks;
import io.firn.lease.LeaseKeeper;
import io.firn.simulation.judges.BlockJudge;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Numbers;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.StoreView;
import io.firn.simulation.world.Terms;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Generators, and in each process a job that reserves blocks of IDs beside them. */
public final class BlockScheme implements Scheme {

  private static final int FORGET_PER_MILLE = 200;
  private static final long LEAST_MILLIS_AHEAD = 1_000;

  private static final int JOBS = 4;

  /** The rows of a page. */
  private static final int PAGE = 8;

  private final Mutant mutant;
  private final BlockJudge judge;
  private final FirnScheme leases;

  /** Creates the scheme; the judge sees the blocks and the rows. */
  public BlockScheme(Mutant mutant, BlockJudge judge) {
    this.mutant = mutant;
    this.judge = judge;
    leases = new FirnScheme(mutant);
  }

  @Override
  public Crew start(Incarnation process) {
    LeaseKeeper keeper = InterposedStore.keeper(process.time());
    return leases.crew(process, keeper).keepingFirst(new Loader(process, keeper)::start);
  }

  /** Reserves a block, over and over, as long as there are faults. */
  private final class Loader {

    private final Incarnation process;
    private final LeaseKeeper keeper;
    private final Numbers random;
    private final Terms terms;
    private @Nullable IdBlocks blocks;
    private boolean started;

    Loader(Incarnation process, LeaseKeeper keeper) {
      this.process = process;
      this.keeper = keeper;
      random = process.numbers();
      terms = process.cluster().settings().terms();
    }

    void start() {
      if (!started && goesOn()) {
        started = true;
        later();
      }
    }

    private boolean goesOn() {
      return process.cluster().isOpen() && !process.cluster().isRepaired();
    }

    private void later() {
      process.later(random.below(terms.windowNanos() / 3), this::load);
    }

    private void load() {
      try {
        switch (random.below(4)) {
          case 0 -> fresh();
          case 1 -> old();
          case 2 -> stamp("load-" + random.below(JOBS), true);
          default -> stampOrForget("daily");
        }
      } catch (FirnException | LinkageError | IllegalArgumentException e) {
        // The last of them is of a clock before the epoch, or of a name in a store that may forget.
        process.log("has no block:", e.getClass().getSimpleName());
      }
      started = goesOn();
      if (started) {
        later();
      }
    }

    private void fresh() {
      take(blocks().take(size()));
    }

    private void old() {
      long now = process.time().currentTimeMillis();
      Instant begin = Instant.ofEpochMilli(now - random.below(4 * terms.windowMillis()));
      take(blocks().take(size(), begin));
    }

    private void take(IdBlock block) {
      process.log("takes", block.size(), "IDs of", block.workers());
      judge.isFresh(process, block);
    }

    /** Up to a window of ID time. */
    private long size() {
      long ticks = terms.windowMillis() / terms.tickMillis();
      return 1 + random.below(ticks << terms.sequenceBits());
    }

    /** Stamps a page of rows, of an input in two or three parts: row N is in part N mod parts. */
    private void stamp(String job, boolean always) {
      int parts = 2 + random.below(2);
      int part = random.below(parts);
      int page = random.below(2);
      String shape = mutant.shape("parts=" + parts);
      long forgottenBefore = judge.forgottenBefore(job);
      IdBlock block = blocks().named(new BlockName(job, shape, part, page), PAGE);
      process.log("opens page", page, "of part", part, "of", job, "in", parts);
      judge.opened(process, job, forgottenBefore, block);
      for (int i = 0; i < PAGE; i++) {
        long row = (page * PAGE + i) * (long) parts + part;
        judge.stamped(job + " row " + row, block.get(i), always);
      }
    }

    private void stampOrForget(String job) {
      if (random.perMille(FORGET_PER_MILLE)) {
        long begun = judge.moment();
        boolean forgot = blocks().forget(job);
        process.log(forgot ? "forgets" : "does not know", job);
        judge.forgot(job, begun);
      } else {
        stamp(job, false);
      }
    }

    private IdBlocks blocks() {
      IdBlocks known = blocks;
      if (known == null) {
        RegisterStore store = new StoreView(process.cluster(), process, "the job of " + process);
        known =
            IdBlocks.builder(FirnScheme.lease(mutant.blocks(store), process, keeper).build())
                .layout(process.cluster().layout())
                .maxAhead(Duration.ofMillis(Math.max(LEAST_MILLIS_AHEAD, 2 * terms.windowMillis())))
                .timeSource(process.time())
                .build();
        blocks = known;
      }
      return known;
    }
  }
}
