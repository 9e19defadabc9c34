package io.firn.simulation;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The register store as one generator sees it. */
public final class StoreView implements RegisterStore {

  private static final int STALE_PER_MILLE = 300;
  private static final int UNKEPT_PER_MILLE = 200;

  private static final int ERROR_PER_MILLE = 20;

  private final Cluster cluster;
  private final Incarnation process;
  private final Object owner;
  private final Link link;

  public StoreView(Cluster cluster, Incarnation process, Object owner) {
    this.cluster = cluster;
    this.process = process;
    this.owner = owner;
    link = new Link(cluster, process);
  }

  @Override
  public Optional<Register> read(String name) {
    return process
        .tape()
        .answer(() -> orError(() -> answered(link.ask(() -> cluster.truth().read(name)))));
  }

  @Override
  public List<Register> scan(String prefix) {
    return process
        .tape()
        .answer(() -> answered(link.ask(() -> cluster.truth().scan(prefix, staleness()))));
  }

  private long staleness() {
    return cluster.odds().strikes(Fault.STALE_SCAN, STALE_PER_MILLE)
        ? cluster.odds().of(Fault.STALE_SCAN).below(2 * windowNanos())
        : 0;
  }

  private long windowNanos() {
    return cluster.settings().terms().windowNanos();
  }

  @Override
  public WriteResult compareAndSet(String name, long expectedVersion, String value) {
    return process.tape().answer(() -> orError(() -> write(name, expectedVersion, value)));
  }

  /** Makes a call; sometimes an Error hides its result, or comes instead. */
  private <T> T orError(Supplier<T> call) {
    if (!cluster.odds().strikes(Fault.ERROR, ERROR_PER_MILLE)) {
      return call.get();
    }
    if (cluster.odds().of(Fault.ERROR).perMille(500)) {
      T unused = call.get();
    }
    process.log("gets an Error from the store");
    throw new NoClassDefFoundError("simulated");
  }

  private WriteResult write(String name, long expectedVersion, String value) {
    if (link.isRefused()) {
      throw unreachable();
    }
    if (cluster.odds().strikes(Fault.UNKEPT_WRITE, UNKEPT_PER_MILLE)) {
      long until = cluster.odds().of(Fault.UNKEPT_WRITE).below(windowNanos());
      link.loseAnswer(
          () -> cluster.truth().writeUnkept(owner, name, expectedVersion, value, until));
      return WriteResult.UNKNOWN;
    }
    WriteResult result =
        link.change(() -> cluster.truth().write(owner, name, expectedVersion, value));
    return result == null ? WriteResult.UNKNOWN : result;
  }

  @Override
  public OptionalLong currentTimeMillis() {
    return cluster.settings().terms().storeClock()
        ? process
            .tape()
            .answer(() -> OptionalLong.of(answered(link.ask(cluster.world()::trueMillis))))
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
