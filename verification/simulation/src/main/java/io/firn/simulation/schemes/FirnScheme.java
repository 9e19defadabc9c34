package io.firn.simulation.schemes;

import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.lease.AfterLoss;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseKeeper;
import io.firn.lease.LeaseListener;
import io.firn.lease.LeaseStatus;
import io.firn.simulation.world.Cluster;
import io.firn.simulation.world.Incarnation;
import io.firn.simulation.world.Scheme;
import io.firn.simulation.world.Settings;
import io.firn.simulation.world.Slot;
import io.firn.simulation.world.StoreView;
import io.firn.simulation.world.Terms;
import io.firn.store.RegisterStore;
import io.firn.testkit.InterposedStore;
import java.time.Duration;

/** The production generator under the production lease. */
public final class FirnScheme implements Scheme {

  static final String NAMESPACE = "orders";

  private final Mutant mutant;

  public FirnScheme(Mutant mutant) {
    this.mutant = mutant;
  }

  @Override
  public Crew start(Incarnation process) {
    return crew(process, InterposedStore.keeper(process.time()));
  }

  Crew crew(Incarnation process, LeaseKeeper keeper) {
    return crew(process, keeper, NAMESPACE, (slot, lease) -> pin(process, slot, lease));
  }

  /** The settings that a scheme gives the lease of a generator. */
  interface Setting {
    void set(int slot, LeaseConfig.Builder lease);
  }

  /** Returns generators of a namespace. */
  Crew crew(Incarnation process, LeaseKeeper keeper, String namespace, Setting setting) {
    return new Crew() {
      @Override
      public Member open(int slot) {
        return new Leased(snowflake(process, slot, keeper, namespace, setting));
      }

      @Override
      public long keep() {
        return keeper.runDue();
      }
    };
  }

  Snowflake snowflake(Incarnation process, int slot, LeaseKeeper keeper) {
    return snowflake(
        process, slot, keeper, NAMESPACE, (place, lease) -> pin(process, place, lease));
  }

  private Snowflake snowflake(
      Incarnation process, int slot, LeaseKeeper keeper, String namespace, Setting setting) {
    Cluster cluster = process.cluster();
    Terms terms = cluster.settings().terms();
    RegisterStore store = new StoreView(cluster, process, process.slot(slot));
    LeaseConfig.Builder lease =
        lease(mutant.store(store, process), namespace, process, keeper)
            .listener(new Teller(process.slot(slot)));
    setting.set(slot, lease);
    return Snowflake.builder()
        .layout(cluster.layout())
        .maxLead(Duration.ofMillis(terms.leadMillis()))
        .maxWait(Duration.ofMillis(terms.waitMillis()))
        .timeSource(process.time())
        .lease(lease.build())
        .build();
  }

  /** Pins a generator to its own worker ID, if the processes have agreed on that. */
  static void pin(Incarnation process, int slot, LeaseConfig.Builder lease) {
    if (process.cluster().settings().terms().pinned()) {
      lease.worker(process.number(slot)).acquireTimeout(Duration.ZERO);
    }
  }

  /** Returns what the processes have agreed on. */
  static LeaseConfig.Builder lease(RegisterStore store, Incarnation process, LeaseKeeper keeper) {
    return lease(store, NAMESPACE, process, keeper);
  }

  private static LeaseConfig.Builder lease(
      RegisterStore store, String namespace, Incarnation process, LeaseKeeper keeper) {
    Settings settings = process.cluster().settings();
    Terms terms = settings.terms();
    return LeaseConfig.builder(store, namespace)
        .keeper(keeper)
        .instance(process.instance())
        .window(Duration.ofMillis(terms.windowMillis()))
        .maxClockSkew(Duration.ofMillis(terms.skewMillis()))
        .maxSplit(Duration.ofMillis(settings.splitMillis()))
        .settleTime(Duration.ofMillis(settings.settleMillis()))
        .afterLoss(settings.waitsAfterLoss() ? AfterLoss.WAIT : AfterLoss.AHEAD);
  }

  private record Leased(Snowflake snowflake) implements Member {

    @Override
    public long nextId() {
      return snowflake.nextId();
    }

    @Override
    public void nextIds(long[] target, int from, int to) {
      snowflake.nextIds(target, from, to);
    }

    @Override
    public IdGenerator newHandle() {
      return snowflake.newHandle()::nextId;
    }

    @Override
    public void close() {
      snowflake.close();
    }
  }

  /** Logs the events of a lease. */
  private record Teller(Slot slot) implements LeaseListener {

    @Override
    public void acquired(LeaseStatus status) {
      slot.log("has worker", status.worker(), "from", since(status.notBefore().toEpochMilli()));
    }

    @Override
    public void renewed(LeaseStatus status) {
      slot.log("has worker", status.worker(), "until", since(status.fence().toEpochMilli()));
    }

    @Override
    public void lost(LeaseStatus status) {
      slot.log("has lost worker", status.worker());
    }

    @Override
    public void expired(LeaseStatus status) {
      slot.log("is past its window of worker", status.worker());
    }

    private static long since(long millis) {
      return millis - Settings.START_MILLIS;
    }
  }
}
