package io.firn.server;

import io.firn.Snowflake;
import io.firn.SnowflakeBuilder;
import io.firn.lease.LeaseConfig;
import io.firn.lease.LeaseListener;
import io.firn.lease.Namespace;
import io.firn.lease.RegisterSegments;
import io.firn.lease.RegisterStore;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentGeneratorBuilder;
import io.firn.segment.SegmentStats;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SegmentConfig;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.SnowflakeConfig;
import io.firn.time.TimeSource;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces of a server by their names. To open one asks the register store, so it is done on
 * threads of its own. Thread-safe.
 */
public final class Namespaces {

  private static final int OPENERS = 4;
  private static final long STOCK_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  private final ServerConfig config;
  private final RegisterStore store;
  private final TimeSource time;
  private final Map<String, NamespaceEntry> entries = new ConcurrentHashMap<>();
  private final ReentrantLock adding = new ReentrantLock();
  private final ScheduledThreadPoolExecutor openers =
      new ScheduledThreadPoolExecutor(OPENERS, DaemonThreads.named("firn-opener"));
  private final CensusTaker census;

  Namespaces(ServerConfig config, RegisterStore store, TimeSource time) {
    this.config = config;
    this.store = store;
    this.time = time;
    census = new CensusTaker(store, this::snowflakes, openers, time);
  }

  private List<String> snowflakes() {
    return statuses().stream()
        .filter(status -> status.config() instanceof SnowflakeConfig)
        .map(NamespaceStatus::name)
        .toList();
  }

  /** The namespace of that name if it is open; never waits. */
  public @Nullable OpenNamespace opened(String name) {
    NamespaceEntry entry = entries.get(name);
    return entry == null ? null : entry.opened();
  }

  /**
   * Opens a namespace, or finds it open. Fails with a {@link Refusal} if there is no such
   * namespace, or it cannot be opened now.
   */
  public CompletableFuture<OpenNamespace> open(String name) {
    try {
      return entry(name).open(openers);
    } catch (Refusal | RejectedExecutionException e) {
      return CompletableFuture.failedFuture(Refusal.of(e));
    }
  }

  /** Issues IDs of a namespace, opened or not, however long that takes. */
  public CompletableFuture<long[]> nextIds(String name, int count) {
    return open(name).thenCompose(namespace -> namespace.nextIds(count));
  }

  private NamespaceEntry entry(String name) {
    NamespaceEntry known = entries.get(name);
    return known != null ? known : newEntry(name);
  }

  private NamespaceEntry newEntry(String name) {
    NamespaceConfig wanted = config.namespace(name).orElseThrow(() -> unknown(name));
    Refusal.read(() -> Namespace.of(store, name));
    adding.lock();
    try {
      if (entries.size() >= config.limits().namespaces()) {
        entries.values().removeIf(NamespaceEntry::isStale);
      }
      if (entries.size() >= config.limits().namespaces() && !entries.containsKey(name)) {
        throw full(name);
      }
      return entries.computeIfAbsent(
          name, absent -> new NamespaceEntry(name, wanted, () -> open(name, wanted), time));
    } finally {
      adding.unlock();
    }
  }

  private Refusal unknown(String name) {
    return new Refusal(
        Refusal.Kind.NOT_FOUND,
        "namespace: "
            + name
            + " (expected: one of "
            + String.join(", ", config.namespaces().keySet())
            + ")");
  }

  private Refusal full(String name) {
    return new Refusal(
        Refusal.Kind.TOO_MANY,
        "namespace: "
            + name
            + " (expected: one that is open, for no more than "
            + config.limits().namespaces()
            + " may be)");
  }

  private OpenNamespace open(String name, NamespaceConfig wanted) {
    if (wanted instanceof SnowflakeConfig snowflake) {
      LeaseTally leases = new LeaseTally();
      return new OpenSnowflakes(name, snowflake, snowflake(name, snowflake, leases), leases);
    }
    return segments(name, (SegmentConfig) wanted);
  }

  private OpenSegments segments(String name, SegmentConfig wanted) {
    RegisterStore own = wanted.source().map(RegisterStore::open).orElse(null);
    try {
      SegmentGeneratorBuilder builder =
          SegmentGenerator.builder(RegisterSegments.of(own == null ? store : own), name)
              .maxWait(wanted.maxWait())
              .timeSource(time);
      wanted.step().ifPresent(builder::step);
      return new OpenSegments(name, wanted, stocked(builder.build(), wanted), own);
    } catch (RuntimeException e) {
      if (own != null) {
        own.close();
      }
      throw e;
    }
  }

  /** A generator is open when it has something to issue, as a lease is when it is acquired. */
  private SegmentGenerator stocked(SegmentGenerator generator, SegmentConfig wanted) {
    long begin = time.nanoTime();
    while (generator.left() == 0) {
      SegmentStats stats = generator.stats();
      long waited = time.nanoTime() - begin;
      if (stats.trouble().isPresent() || waited > wanted.maxWait().toNanos()) {
        generator.close();
        throw new Refusal(
            Refusal.Kind.UNAVAILABLE,
            "segments: none of key "
                + stats.key()
                + " after "
                + TimeUnit.NANOSECONDS.toMillis(waited)
                + " ms (expected: one from "
                + stats.source()
                + stats.trouble().map(text -> "; " + text).orElse("")
                + ")");
      }
      time.parkNanos(STOCK_POLL_NANOS);
    }
    return generator;
  }

  private Snowflake snowflake(String name, SnowflakeConfig wanted, LeaseListener leases) {
    LeaseConfig.Builder lease =
        LeaseConfig.builder(store, name).window(wanted.window()).listener(leases);
    config.instance().ifPresent(lease::instance);
    wanted.pinned().ifPresent(lease::worker);
    SnowflakeBuilder builder =
        Snowflake.builder()
            .layout(wanted.layout())
            .maxLead(wanted.maxLead())
            .maxWait(wanted.maxWait())
            .sequenceStart(wanted.sequenceStart())
            .timeSource(time)
            .lease(lease.build());
    if (wanted.allowUnderTenYears()) {
      builder.allowUnderTenYears();
    }
    return builder.build();
  }

  /** Opens the namespaces without which the server is not ready, and tries until they are open. */
  CompletableFuture<Void> openRequired() {
    return CompletableFuture.allOf(
        config.required().stream().map(this::persist).toArray(CompletableFuture<?>[]::new));
  }

  private CompletableFuture<OpenNamespace> persist(String name) {
    NamespaceEntry entry = entry(name);
    CompletableFuture<OpenNamespace> opening = entry.open(openers);
    opening.whenComplete(
        (opened, failure) -> {
          if (failure != null && !openers.isShutdown()) {
            long pause = Math.max(0, entry.retryInNanos());
            openers.schedule(() -> persist(name), pause, TimeUnit.NANOSECONDS);
          }
        });
    return opening;
  }

  /** All namespaces that were asked for, by name. */
  public List<NamespaceStatus> statuses() {
    return entries.values().stream()
        .map(NamespaceEntry::status)
        .sorted(Comparator.comparing(NamespaceStatus::name))
        .toList();
  }

  /** Those of them that a client may use. */
  public List<NamespaceStatus> statuses(Client client) {
    return statuses().stream().filter(status -> client.permits(status.name())).toList();
  }

  /** Who has which worker ID, a second ago at most; fails if the store does not tell. */
  public CompletableFuture<Census> census() {
    try {
      return census.latest();
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(Refusal.of(e));
    }
  }

  /** Why the server is not ready; empty if it is. */
  public Optional<String> trouble() {
    return config.required().stream()
        .map(name -> entry(name).status())
        .flatMap(status -> status.trouble().stream())
        .findFirst();
  }

  /** Ends issuing, and gives the leases back within that time; what is left then runs out. */
  void close(long nanos) {
    openers.shutdownNow();
    ExecutorService closers =
        Executors.newFixedThreadPool(OPENERS, DaemonThreads.named("firn-closer"));
    entries.values().forEach(entry -> closers.execute(entry::close));
    closers.shutdown();
    try {
      closers.awaitTermination(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    store.close();
  }
}
