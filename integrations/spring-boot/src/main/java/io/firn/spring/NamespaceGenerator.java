package io.firn.spring;

import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.integration.SharedStart;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentGenerator;
import io.firn.store.StoreException;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.context.SmartLifecycle;

/**
 * The generator of one namespace, for as long as the context runs. It opens when the context
 * starts, or before if an ID is needed. It gives its lease or the rest of its segments back when
 * the context stops, and refuses from then on; where the context starts again, as after a
 * checkpoint, it leases again. Thread-safe.
 */
final class NamespaceGenerator implements IdGenerator, SmartLifecycle {

  private static final Log LOGGER = LogFactory.getLog(NamespaceGenerator.class);

  /**
   * Starts after the pools of connections, which have 0 or less, and stops before them; so what
   * serves requests starts after it and stops before.
   */
  private static final int PHASE = 1_000;

  private final String name;
  private final boolean listed;
  private final FirnProperties.Type type;
  private final @Nullable ScopeCheck scopeCheck;
  private final Supplier<IdGenerator> opener;
  private final SharedStart<IdGenerator> starts = new SharedStart<>();
  private volatile State state = new State(Stage.NEW, null);

  /** A new generator opens at the first request, a closed one only when the context starts. */
  enum Stage {
    NEW,
    OPEN,
    CLOSED
  }

  /**
   * @param ids issues IDs, or refuses after it was closed; null before the first opening
   */
  private record State(Stage stage, @Nullable IdGenerator ids) {}

  /**
   * @param listed whether the properties have the namespace; else only an entity names it
   * @param scopeCheck checks the scope of each transaction; null if a snowflake draws in none
   * @param opener opens a {@link Snowflake} or a {@link SegmentGenerator}, as the type says
   */
  NamespaceGenerator(
      String name,
      boolean listed,
      FirnProperties.Type type,
      @Nullable ScopeCheck scopeCheck,
      Supplier<IdGenerator> opener) {
    this.name = name;
    this.listed = listed;
    this.type = type;
    this.scopeCheck = scopeCheck;
    this.opener = opener;
  }

  String name() {
    return name;
  }

  FirnProperties.Type type() {
    return type;
  }

  /** Returns what issues now, or did until the context stopped; empty before the start. */
  Optional<IdGenerator> current() {
    return Optional.ofNullable(state.ids);
  }

  Stage stage() {
    return state.stage;
  }

  @Override
  public long nextId() {
    return source().nextId();
  }

  @Override
  public void nextIds(long[] target, int from, int to) {
    source().nextIds(target, from, to);
  }

  private IdGenerator source() {
    IdGenerator now = opened();
    return scopeCheck != null && now instanceof Snowflake snowflake
        ? TransactionScopes.current(name, snowflake, scopeCheck)
        : now;
  }

  private IdGenerator opened() {
    IdGenerator now = state.ids;
    return now == null ? starts.get(this::known, this::openForAnId) : now;
  }

  private @Nullable IdGenerator known() {
    if (state.stage == Stage.CLOSED) {
      throw new GeneratorClosedException();
    }
    return state.ids;
  }

  /**
   * Opens at the first ID, where the context has not.
   *
   * @throws StoreException with the cure, if an entity names the namespace alone: its lease needs a
   *     connection while the transaction of the ID holds one, and others may hold the rest
   */
  private IdGenerator openForAnId() {
    try {
      return open();
    } catch (StoreException e) {
      if (listed) {
        throw e;
      }
      throw new StoreException(
          e.getMessage()
              + "; namespace "
              + name
              + " leases its worker ID at its first ID, when transactions may hold all connections"
              + " of the pool: name it in firn.namespaces",
          e);
    }
  }

  private IdGenerator open() {
    IdGenerator opened = opener.get();
    if (scopeCheck != null && opened instanceof Snowflake snowflake) {
      prepare(scopeCheck, snowflake);
    }
    state = new State(Stage.OPEN, opened);
    logStart(opened);
    return opened;
  }

  private static void prepare(ScopeCheck check, Snowflake opened) {
    try {
      check.prepare(opened);
    } catch (Throwable e) { // gives the worker back: the next attempt leases again
      opened.close();
      throw e;
    }
  }

  /**
   * Leases the worker ID, or nothing for segments.
   *
   * @throws GeneratorStartException if that fails
   */
  @Override
  public void start() {
    try {
      starts.get(() -> isRunning() ? state.ids : null, this::open);
    } catch (RuntimeException e) {
      throw new GeneratorStartException(name, e);
    }
  }

  @Override
  public void stop() {
    starts.exclude(this::close);
  }

  private void close() {
    State before = state;
    state = new State(Stage.CLOSED, before.ids);
    if (before.ids instanceof Snowflake snowflake) {
      snowflake.close();
      if (before.stage == Stage.OPEN) {
        snowflake.leaseStatus().ifPresent(this::logEnd);
      }
    } else if (before.ids instanceof SegmentGenerator segments) {
      segments.close();
    }
  }

  private void logStart(IdGenerator opened) {
    if (opened instanceof Snowflake snowflake) {
      IdLayout layout = snowflake.layout();
      LOGGER.info(
          "Namespace "
              + name
              + " issues "
              + layout.name().orElseGet(layout::toString)
              + snowflake
                  .leaseStatus()
                  .map(lease -> " as worker " + lease.worker() + ", leased in " + lease.store())
                  .orElse(""));
    } else if (opened instanceof SegmentGenerator segments) {
      LOGGER.info("Namespace " + name + " issues segments of " + segments.stats().source());
    }
  }

  /** The lease logs too, but by java.util.logging, which the end of the JVM shuts down first. */
  private void logEnd(LeaseStatus lease) {
    String worker = "worker " + lease.worker() + " back";
    lease
        .lastError()
        .ifPresentOrElse(
            error ->
                LOGGER.warn(
                    "Namespace "
                        + name
                        + " could not give "
                        + worker
                        + "; it stays taken until "
                        + lease.fence()
                        + ": "
                        + error),
            () -> LOGGER.info("Namespace " + name + " gave " + worker));
  }

  @Override
  public boolean isRunning() {
    return state.stage == Stage.OPEN;
  }

  @Override
  public int getPhase() {
    return PHASE;
  }

  @Override
  public String toString() {
    return "NamespaceGenerator[" + name + "]";
  }
}
