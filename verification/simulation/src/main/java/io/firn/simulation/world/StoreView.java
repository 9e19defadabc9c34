package io.firn.simulation.world;

import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.Snapshot;
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
  private static final int SPLIT_PER_MILLE = 500;

  private static final int ERROR_PER_MILLE = 20;
  private static final int SENT_TWICE_PER_MILLE = 500;

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
        .answer(
            () -> {
              process.looks();
              return orError(() -> answered(link.ask(() -> cluster.truth().read(name))));
            });
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
    return process
        .tape()
        .answer(
            () -> send(name, expectedVersion, value),
            () -> sendOnceMore(name, expectedVersion, value));
  }

  private WriteResult send(String name, long expectedVersion, String value) {
    return process.send(
        name,
        value,
        () -> {
          WriteResult result = orError(() -> write(name, expectedVersion, value));
          process.notified(result.outcome() != WriteResult.Outcome.UNKNOWN);
          if (result.outcome() == WriteResult.Outcome.APPLIED) {
            cluster.truth().acknowledged(owner, name, result.version(), value);
          }
          return result;
        });
  }

  /** A write of a process that is copied meanwhile is sent by both, or the copy hears no more. */
  private WriteResult sendOnceMore(String name, long expectedVersion, String value) {
    return process.numbers().perMille(SENT_TWICE_PER_MILLE)
        ? send(name, expectedVersion, value)
        : WriteResult.UNKNOWN;
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
  public Optional<Snapshot> snapshot(List<String> names) {
    return cluster.settings().hasIdentity()
        ? process
            .tape()
            .answer(
                () ->
                    Optional.of(
                        answered(
                            link.ask(
                                () ->
                                    somewhere(
                                        () -> cluster.truth().snapshot(names, clockMillis()))))))
        : Optional.empty();
  }

  @Override
  public WriteResult compareAndSet(
      String name, long expectedVersion, String value, Binding binding) {
    return process
        .tape()
        .answer(
            () -> {
              WriteResult result = orError(() -> write(name, expectedVersion, value, binding));
              if (result.outcome() == WriteResult.Outcome.APPLIED) {
                cluster.truth().acknowledgedBound(owner, name, result.version(), value);
              }
              return result;
            });
  }

  private WriteResult write(String name, long expectedVersion, String value, Binding binding) {
    if (link.isRefused()) {
      throw unreachable();
    }
    Truth truth = cluster.truth();
    WriteResult result =
        link.change(
            () -> somewhere(() -> truth.write(owner, name, expectedVersion, value, binding)));
    return result == null ? WriteResult.UNKNOWN : result;
  }

  /** Makes a call of the store, or of the one that it was before it was lost. */
  private <T> T somewhere(Supplier<T> call) {
    return cluster.odds().strikes(Fault.SPLIT, SPLIT_PER_MILLE)
        ? cluster.truth().inLost(call)
        : call.get();
  }

  private long clockMillis() {
    return cluster.storeMillis() + cluster.clockErrorMillis();
  }

  @Override
  public OptionalLong currentTimeMillis() {
    return cluster.settings().terms().storeClock()
        ? process.tape().answer(() -> OptionalLong.of(answered(link.ask(this::clockMillis))))
        : OptionalLong.empty();
  }

  @Override
  public boolean mayForget() {
    return cluster.settings().mayForget() || cluster.settings().hasIdentity();
  }

  @Override
  public boolean allowsCounters() {
    return true;
  }

  private static <T> T answered(@Nullable T answer) {
    if (answer == null) {
      throw unreachable();
    }
    return Objects.requireNonNull(answer);
  }

  private static StoreException unreachable() {
    return new StoreException("Store simulated was not reached");
  }

  @Override
  public void close() {}

  @Override
  public String toString() {
    return "simulated";
  }
}
