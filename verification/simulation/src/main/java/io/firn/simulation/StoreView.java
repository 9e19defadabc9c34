package io.firn.simulation;

import io.firn.lease.Register;
import io.firn.lease.RegisterStore;
import io.firn.lease.StoreException;
import io.firn.lease.WriteResult;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The register store as one generator sees it. */
final class StoreView implements RegisterStore {

  private static final int STALE_PER_MILLE = 300;

  private final Cluster cluster;
  private final Object owner;
  private final Link link;

  StoreView(Cluster cluster, Incarnation process, Object owner) {
    this.cluster = cluster;
    this.owner = owner;
    link = new Link(cluster, process);
  }

  @Override
  public Optional<Register> read(String name) {
    return answered(link.ask(() -> cluster.truth().read(name)));
  }

  @Override
  public List<Register> scan(String prefix) {
    return answered(link.ask(() -> cluster.truth().scan(prefix, staleness())));
  }

  private long staleness() {
    return cluster.odds().strikes(Fault.STALE_SCAN, STALE_PER_MILLE)
        ? cluster.odds().of(Fault.STALE_SCAN).below(2 * cluster.settings().terms().windowNanos())
        : 0;
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    if (link.isRefused()) {
      throw unreachable();
    }
    WriteResult result =
        link.change(() -> cluster.truth().write(owner, name, expectedVersion, value));
    return result == null ? WriteResult.UNKNOWN : result;
  }

  @Override
  public OptionalLong currentTimeMillis() {
    return cluster.settings().terms().storeClock()
        ? OptionalLong.of(answered(link.ask(cluster.world()::trueMillis)))
        : OptionalLong.empty();
  }

  @Override
  public boolean mayForget() {
    return cluster.settings().mayForget();
  }

  private static <T> T answered(@Nullable T answer) {
    if (answer == null) {
      throw unreachable();
    }
    return Objects.requireNonNull(answer);
  }

  private static StoreException unreachable() {
    return new StoreException("store: simulated (expected: to be reached)");
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "simulated";
  }
}
