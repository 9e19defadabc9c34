package io.firn.simulation.schemes;

import io.firn.FirnException;
import io.firn.IdScope;
import io.firn.ScopeExpiredException;
import io.firn.Snowflake;
import io.firn.block.IdBlocks;
import io.firn.lease.LeaseKeeper;
import io.firn.lease.Watermark;
import io.firn.simulation.judges.WatermarkJudge;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.StoreView;
import io.firn.simulation.world.World;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Writers of rows that draw their IDs in scopes, and in each process a reader that asks for the
 * watermark. In every third seed, that also reserves a block of IDs outside of it now and then.
 */
public final class WatermarkScheme implements Scheme {

  /** Transactions that last longer than their scope. */
  private static final int HANGING_PER_MILLE = 50;

  private static final int BLOCKS_PER_MILLE = 200;

  private final Mutant mutant;
  private final WatermarkJudge judge;
  private final FirnScheme leases;

  /** Creates the scheme; the judge sees the rows and the watermarks. */
  public WatermarkScheme(Mutant mutant, WatermarkJudge judge) {
    this.mutant = mutant;
    this.judge = judge;
    leases = new FirnScheme(mutant);
  }

  @Override
  public Crew start(Incarnation process) {
    LeaseKeeper keeper = InterposedStore.keeper(process.time());
    Reader reader = new Reader(process, keeper);
    return new Crew() {
      @Override
      public Member open(int slot) {
        return new Writer(process, leases.snowflake(process, slot, keeper));
      }

      @Override
      public long keep() {
        reader.start();
        return keeper.runDue();
      }
    };
  }

  private static long windowNanos(Incarnation process) {
    return process.cluster().settings().terms().windowNanos();
  }

  /** Returns how long a commit takes at most, and a reader waits for it past a fence. */
  private static long graceNanos(Incarnation process) {
    return 2 * windowNanos(process);
  }

  /** Draws IDs in scopes, and commits their rows some time later. */
  private final class Writer implements Member {

    private final Incarnation process;
    private final Snowflake snowflake;

    Writer(Incarnation process, Snowflake snowflake) {
      this.process = process;
      this.snowflake = snowflake;
    }

    @Override
    public long nextId() {
      long[] id = new long[1];
      nextIds(id, 0, 1);
      return id[0];
    }

    @Override
    public void nextIds(long[] target, int from, int to) {
      long window = windowNanos(process);
      IdScope scope = snowflake.scope(Duration.ofNanos(window));
      scope.nextIds(target, from, to);
      long first = target[from];
      boolean hangs = process.numbers().perMille(HANGING_PER_MILLE);
      long open = process.numbers().below(hangs ? 3 * window : window / 2);
      process.later(open, () -> commit(scope, first));
    }

    private void commit(IdScope scope, long first) {
      World world = process.cluster().world();
      long asked = world.now();
      try {
        if (mutant.checksCommits()) {
          scope.beforeCommit();
        }
      } catch (ScopeExpiredException e) {
        process.log("rolls back the row of", first);
        return;
      }
      long most = graceNanos(process) / 2;
      if (world.now() - asked > most) { // as idle_in_transaction_session_timeout has it
        process.log("stood still for too long: the database rolls back the row of", first);
        close(scope);
        return;
      }
      long takes = process.numbers().oneOf(process.numbers().below(most), most);
      long wait = process.numbers().oneOf(process.numbers().below(takes + 1), takes);
      long due = world.now() + wait;
      // The database commits, whatever becomes of the process.
      world.after(wait, () -> judge.committed(first, due));
      process.later(takes, () -> close(scope));
    }

    private static void close(IdScope scope) {
      try {
        scope.close();
      } catch (ScopeExpiredException e) {
        // The lease was lost meanwhile; the row was committed in time.
      }
    }

    @Override
    public void close() {
      snowflake.close();
    }
  }

  /** Asks for the watermark, over and over. */
  private final class Reader {

    private final Incarnation process;
    private final LeaseKeeper keeper;
    private final RegisterStore store;
    private final boolean takesBlocks;
    private @Nullable Watermark watermark;
    private @Nullable IdBlocks blocks;
    private boolean started;

    Reader(Incarnation process, LeaseKeeper keeper) {
      this.process = process;
      this.keeper = keeper;
      store = new StoreView(process.cluster(), process, "the reader of " + process);
      takesBlocks = process.cluster().settings().seed() % 3 == 0;
    }

    void start() {
      if (!started) {
        started = true;
        process.later(process.numbers().below(windowNanos(process)), this::read);
      }
    }

    private void read() {
      try {
        Watermark.Reading reading = watermark().current();
        long now = process.cluster().world().now();
        judge.received(reading.id(), reading.before().toEpochMilli(), now);
        process.log("receives the watermark", reading.id());
      } catch (FirnException | LinkageError | IllegalArgumentException e) {
        // The last of them is of a namespace that nobody has used yet.
        process.log("receives no watermark:", e.getClass().getSimpleName());
      }
      if (takesBlocks && process.numbers().perMille(BLOCKS_PER_MILLE)) {
        load();
      }
      started = process.cluster().isOpen();
      if (started) {
        process.later(process.numbers().below(windowNanos(process) / 2), this::read);
      }
    }

    private void load() {
      try {
        process.log("takes an ID of", blocks().take(1).workers());
      } catch (FirnException | LinkageError | IllegalArgumentException e) {
        process.log("has no block:", e.getClass().getSimpleName());
      }
    }

    private IdBlocks blocks() {
      IdBlocks known = blocks;
      if (known == null) {
        known =
            IdBlocks.builder(FirnScheme.lease(store, process, keeper).build())
                .layout(process.cluster().layout())
                .timeSource(process.time())
                .outsideWatermark()
                .build();
        blocks = known;
      }
      return known;
    }

    private Watermark watermark() {
      Watermark known = watermark;
      if (known == null) {
        long grace = mutant.waitsForCommits() ? graceNanos(process) : 0;
        Watermark.Builder builder =
            Watermark.builder(store, FirnScheme.NAMESPACE)
                .timeSource(process.time())
                .grace(Duration.ofMillis(grace / World.NANOS_PER_MILLI));
        known =
            process.cluster().settings().hasIdentity()
                ? builder.allowMayForget().build()
                : builder.build();
        watermark = known;
      }
      return known;
    }
  }
}
