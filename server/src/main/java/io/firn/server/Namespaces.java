package io.firn.server;

import io.firn.IdLayout;
import io.firn.block.BlockName;
import io.firn.block.IdBlock;
import io.firn.decode.KnownNamespace;
import io.firn.lease.LayoutChange.Plan;
import io.firn.lease.Watermark;
import io.firn.lease.WorkerEntry;
import io.firn.segment.Segment;
import io.firn.server.config.SegmentConfig;
import io.firn.server.config.ServerConfig;
import io.firn.server.config.SnowflakeConfig;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import io.netty.util.concurrent.EventExecutorGroup;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces of a server by their names. To open one asks the register store, so it is done on
 * threads of its own. Thread-safe.
 */
public final class Namespaces {

  private static final Logger LOG = System.getLogger("io.firn.server");

  /** The number of namespaces of a source that are opened at once, or closed at once. */
  private static final int OPENERS = 4;

  /** Those that close namespaces or read worker IDs wait for a store. */
  private static final int SCHEDULER_THREADS = 4;

  private static final int SEGMENT_TAKERS = 2;

  private final RegisterStore store;
  private final NamespaceTable table;

  /** The threads that open namespaces, by source, so that one that hangs delays no other. */
  private final Map<Optional<String>, ExecutorService> openers = new ConcurrentHashMap<>();

  private final ScheduledThreadPoolExecutor scheduler =
      new ScheduledThreadPoolExecutor(SCHEDULER_THREADS, DaemonThreads.named("firn-namespaces"));

  /** Refuses requests that wait too long for their namespaces to open. */
  private final EventExecutorGroup timers;

  private final StoreRequests requests;
  private final BlockingRequests segments;
  private final ClientScopes scopes;
  private final WorkerSnapshots snapshots;

  /** The names that have been required since the start; others count once they have opened. */
  private volatile Set<String> requiredFromStart;

  private volatile boolean stopping;

  Namespaces(
      ServerConfig config, RegisterStore store, AuditLog audit, EventLoops loops, TimeSource time) {
    this.store = store;
    timers = loops.group();
    requiredFromStart = Set.copyOf(config.required());
    NamespaceOpener opener = new NamespaceOpener(store, config.instance(), loops, time);
    table = new NamespaceTable(config, store, opener, audit, time);
    requests = new StoreRequests(store, loops, time);
    segments =
        new BlockingRequests(
            "the source of segments",
            SEGMENT_TAKERS,
            "firn-segment",
            BlockingRequests.MAX_WAIT,
            loops.group());
    scopes = new ClientScopes(loops.group(), time);
    snapshots = new WorkerSnapshots(store, this::snowflakes, scheduler, time);
    long window = config.defaults().window().toMillis();
    scheduler.scheduleWithFixedDelay(
        PeriodicWork.task(() -> table.closeUnused(scopes.namespaces())),
        window,
        window,
        TimeUnit.MILLISECONDS);
    // A status notices steps of the clock, whether or not it is requested.
    scheduler.scheduleWithFixedDelay(PeriodicWork.task(this::statuses), 1, 1, TimeUnit.SECONDS);
  }

  private List<String> snowflakes() {
    return statuses().stream()
        .filter(status -> status.config() instanceof SnowflakeConfig)
        .map(NamespaceStatus::name)
        .toList();
  }

  /** Returns the namespace of that name if it is open; never waits. */
  public @Nullable OpenNamespace opened(String name) {
    NamespaceEntry entry = table.find(name);
    return entry == null ? null : entry.opened();
  }

  /**
   * Opens a namespace, or finds it open. Fails with a {@link RequestException} if there is no such
   * namespace, or it cannot be opened now.
   */
  public CompletableFuture<OpenNamespace> open(String name) {
    try {
      return whenOpen(
          table.entry(name), OpenSnowflakes.MAX_WAIT_NANOS, CompletableFuture::completedFuture);
    } catch (RequestException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  /**
   * Answers a request once its namespace is open.
   *
   * @param maxNanos the longest time until the answer, counted from now
   */
  private <T> CompletableFuture<T> whenOpen(
      NamespaceEntry entry, long maxNanos, Function<OpenNamespace, CompletableFuture<T>> next) {
    try {
      CompletableFuture<T> answer = entry.openForRequest(opener(entry)).thenCompose(next);
      if (!answer.isDone()) {
        Future<?> end =
            timers.schedule(
                () -> answer.completeExceptionally(entry.overdue(maxNanos)),
                maxNanos,
                TimeUnit.NANOSECONDS);
        answer.whenComplete((value, failure) -> end.cancel(false));
      }
      return answer;
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(RequestException.of(e));
    }
  }

  /**
   * Returns the threads that open a namespace.
   *
   * @throws RejectedExecutionException if the namespaces are closed
   */
  private ExecutorService opener(NamespaceEntry entry) {
    if (scheduler.isShutdown()) {
      throw new RejectedExecutionException();
    }
    Optional<String> source =
        entry.config() instanceof SegmentConfig segments ? segments.source() : Optional.empty();
    return openers.computeIfAbsent(
        source, any -> DaemonThreads.pool(OPENERS, new LinkedBlockingQueue<>(), "firn-opener"));
  }

  /** Issues IDs of a namespace that is not open. */
  private CompletableFuture<long[]> issueWhenOpen(
      NamespaceEntry entry, Function<OpenNamespace, CompletableFuture<long[]>> next) {
    return whenOpen(entry, OpenNamespace.longestWaitNanos(entry.config()), next);
  }

  /**
   * Issues IDs to a caller: at once if there are enough, and otherwise as soon as possible. All
   * protocols issue in this way.
   *
   * @param ids filled from its beginning if the IDs are issued at once
   * @param continuation how the request continues if it has to wait
   * @param receiver is given the IDs; there may be more elements than those asked for
   * @throws io.firn.FirnException if the caller may not have the IDs, or they cannot be issued now
   */
  public void issue(
      Caller caller,
      String name,
      long[] ids,
      int count,
      Continuation continuation,
      Consumer<long[]> receiver) {
    OpenNamespace namespace = opened(name);
    if (namespace != null) {
      issue(caller, namespace, ids, count, continuation, receiver);
      return;
    }
    caller.require(name, count);
    CompletableFuture<long[]> later = new CompletableFuture<>();
    issueWhenOpen(table.entry(caller, name), opened -> draw(opened, count, later))
        .whenComplete((drawn, failure) -> complete(later, drawn, failure));
    continuation.whenIssued(later, receiver);
  }

  /** Issues IDs of a namespace that is open, as the method above. */
  public void issue(
      Caller caller,
      OpenNamespace namespace,
      long[] ids,
      int count,
      Continuation continuation,
      Consumer<long[]> receiver) {
    caller.require(namespace.name(), count);
    CompletableFuture<long[]> later = namespace.issue(ids, count);
    if (later == null) {
      receiver.accept(ids);
    } else {
      continuation.whenIssued(later, receiver);
    }
  }

  /**
   * Issues IDs to a caller in a scope of their own: readers of the watermark wait for their rows
   * until {@link #endScope}, or for {@code millis}.
   *
   * @param millis the time limit of the scope, counted from before the first ID is drawn
   * @param continuation how the request goes on
   * @param receiver is given the name of the scope, and the IDs
   * @throws io.firn.FirnException if the caller may not have the IDs, or they cannot be issued now
   */
  public void issueInScope(
      Caller caller,
      String name,
      int count,
      int millis,
      Continuation continuation,
      BiConsumer<String, long[]> receiver) {
    if (stopping) {
      throw RequestException.stopping();
    }
    caller.require(name, count);
    String scope = scopes.newName();
    CompletableFuture<long[]> later = new CompletableFuture<>();
    issueWhenOpen(
            table.entry(caller, name),
            opened -> {
              opened.checkCount(count);
              scopes.open(scope, caller, opened, Duration.ofMillis(millis));
              later.whenComplete(
                  (ids, failure) -> {
                    if (failure != null) {
                      scopes.drop(scope);
                    }
                  });
              return draw(opened, count, later).thenApply(ids -> scopes.covered(scope, ids));
            })
        .whenComplete((ids, failure) -> complete(later, ids, failure));
    continuation.whenIssued(later, ids -> receiver.accept(scope, ids));
  }

  /**
   * Ends a scope, after the commit or the rollback of its rows.
   *
   * @throws RequestException if the caller may not, the scope is not open, or it was given up
   */
  public void endScope(Caller caller, String scope) {
    scopes.end(caller, scope);
  }

  /** Issues IDs of a namespace that was opened, unless the client leaves, which ends the result. */
  private static CompletableFuture<long[]> draw(
      OpenNamespace opened, int count, CompletableFuture<long[]> result) {
    CompletableFuture<long[]> draw = result.isDone() ? result : opened.nextIds(count);
    result.whenComplete((ids, failure) -> draw.cancel(false));
    return draw;
  }

  private static void complete(
      CompletableFuture<long[]> receiver, long @Nullable [] ids, @Nullable Throwable refusal) {
    if (ids != null) {
      receiver.complete(ids);
    } else {
      receiver.completeExceptionally(Objects.requireNonNull(refusal));
    }
  }

  /**
   * Takes a segment of a namespace for a client that counts itself, instead of issuing from it.
   *
   * @return completed by a thread that must not be blocked
   */
  public CompletableFuture<Segment> segment(Caller caller, String name) {
    caller.require(name, 1);
    return whenOpen(
        caller,
        name,
        opened -> {
          if (opened instanceof OpenSegments source) {
            return segments.run(source::nextSegment);
          }
          throw notOfType("segment", name);
        });
  }

  private <T> CompletableFuture<T> whenOpen(
      Caller caller, String name, Function<OpenNamespace, CompletableFuture<T>> next) {
    OpenNamespace known = opened(name);
    return known == null
        ? whenOpen(table.entry(caller, name), BlockingRequests.MAX_WAIT.toNanos(), next)
        : next.apply(known);
  }

  private static RequestException notOfType(String type, String name) {
    return new RequestException(
        RequestException.Kind.BAD_REQUEST,
        "namespace: " + name + " (expected: one of type " + type + ")");
  }

  /**
   * Reserves IDs of a namespace for a caller, on a thread of its own.
   *
   * @param count how many
   * @param begin the time of the first ID of a block without a name; empty for now
   * @param page the name of the block; empty for one that is never given again
   * @return completed by a thread that must not be blocked
   * @throws RequestException if the caller may not have that number of IDs of the namespace
   */
  public CompletableFuture<IdBlock> block(
      Caller caller, String name, long count, Optional<Instant> begin, Optional<BlockName> page) {
    caller.require(name, count);
    return whenOpen(
        caller,
        name,
        opened -> {
          if (opened instanceof OpenSnowflakes snowflakes) {
            return requests.block(name, snowflakes.settings(), count, begin, page);
          }
          throw notOfType("snowflake", name);
        });
  }

  /** Returns how many blocks were answered; a named one counts each time. */
  public long blocks() {
    return requests.blocks();
  }

  /** Returns how many IDs those blocks had. */
  public long idsInBlocks() {
    return requests.idsInBlocks();
  }

  /**
   * Returns the watermark of a namespace, moved on as far as it can be now.
   *
   * @return completed by a thread that must not be blocked
   * @throws RequestException if the caller may not use the namespace
   */
  public CompletableFuture<Watermark.Reading> watermark(Caller caller, String name) {
    caller.requirePermitted(name);
    return requests.watermark(name);
  }

  /**
   * Returns the watermark of a namespace that was published last, and changes nothing.
   *
   * @return completed by a thread that must not be blocked
   * @throws RequestException if the caller may not use the namespace, or no one has requested its
   *     watermark yet
   */
  public CompletableFuture<Watermark.Reading> publishedWatermark(Caller caller, String name) {
    caller.requirePermitted(name);
    return requests.publishedWatermark(name);
  }

  /** Opens the namespaces without which the server is not ready, and tries until they are open. */
  CompletableFuture<Void> openRequired() {
    return CompletableFuture.allOf(
        table.config().permanent().stream()
            .map(this::persist)
            .toArray(CompletableFuture<?>[]::new));
  }

  /**
   * Checks the namespaces of a configuration, without asking the store.
   *
   * @throws IllegalArgumentException if one could never be opened
   */
  void check(ServerConfig newest) {
    table.check(newest);
  }

  /**
   * Takes other settings: opens namespaces that the configuration has now, and closes those that it
   * has no longer. A namespace that it requires now, and did not before, is required once it has
   * opened: the server stays ready until then.
   */
  void update(ServerConfig newest) {
    Set<String> before = table.config().permanent();
    List<NamespaceEntry> closed = table.update(newest);
    Set<String> stillRequired = new HashSet<>(requiredFromStart);
    stillRequired.retainAll(newest.required());
    requiredFromStart = stillRequired;
    scheduler.execute(() -> NamespaceTable.close(closed));
    newest.permanent().stream()
        .filter(name -> !before.contains(name)) // the others are open, or are tried again
        .forEach(this::persist);
  }

  private CompletableFuture<OpenNamespace> persist(String name) {
    if (!table.config().permanent().contains(name)) {
      return CompletableFuture.failedFuture(table.unknown(name));
    }
    NamespaceEntry entry = table.entry(name);
    CompletableFuture<OpenNamespace> opening = entry.open(opener(entry));
    opening.whenComplete(
        (opened, failure) -> {
          if (failure != null && !scheduler.isShutdown()) {
            entry.logFailure();
            long pause = Math.max(0, entry.retryInNanos());
            scheduler.schedule(() -> persist(name), pause, TimeUnit.NANOSECONDS);
          }
        });
    return opening;
  }

  /** Logs when a namespace opens that is not open now. */
  public void logOpenings() {
    table.entries().values().forEach(NamespaceEntry::logOpening);
  }

  /** Returns all namespaces that were requested, by name. */
  public List<NamespaceStatus> statuses() {
    return table.entries().values().stream()
        .map(NamespaceEntry::status)
        .sorted(Comparator.comparing(NamespaceStatus::name))
        .toList();
  }

  /** Returns the namespaces that were requested and that a caller may use, by name. */
  public List<NamespaceStatus> statuses(Caller caller) {
    return statuses().stream().filter(status -> caller.permits(status.name())).toList();
  }

  /** Returns whether a namespace was requested, and a caller may use it. */
  public boolean has(Caller caller, String name) {
    return table.find(name) != null && caller.permits(name);
  }

  /**
   * Returns the namespaces of snowflakes that a caller may use, with the worker IDs that are known
   * without asking the store.
   */
  List<KnownNamespace> known(Caller caller) {
    return statuses(caller).stream()
        .flatMap(status -> status.idLayout().stream().flatMap(layout -> known(status, layout)))
        .toList();
  }

  private Stream<KnownNamespace> known(NamespaceStatus status, IdLayout layout) {
    Optional<WorkerSnapshot> newest = snapshots.newest();
    List<WorkerEntry> entries =
        newest
            .map(snapshot -> snapshot.workers().getOrDefault(status.name(), List.of()))
            .orElse(List.of());
    Map<Long, Instant> workers = KnownNamespace.beginnings(entries);
    if (status instanceof SnowflakeStatus open) {
      workers.putIfAbsent(open.lease().worker(), open.lease().notBefore());
    }
    Optional<Plan> change = newest.flatMap(snapshot -> snapshot.change(status.name()));
    return KnownNamespace.of(status.name(), layout, change, workers).stream();
  }

  /** Returns the worker IDs, read at most a second ago. Fails if the store does not answer. */
  public CompletableFuture<WorkerSnapshot> workers() {
    try {
      return snapshots.latest().copy(); // a client that leaves cancels its own
    } catch (RejectedExecutionException e) {
      return CompletableFuture.failedFuture(RequestException.of(e));
    }
  }

  /** Returns the newest worker IDs that were read, if any; never waits. */
  public Optional<WorkerSnapshot> newestWorkers() {
    return snapshots.newest();
  }

  /** Returns why the worker IDs could not be read the last time; empty if they could. */
  public Optional<String> workersOutage() {
    return snapshots.outage();
  }

  /** Returns why the server is not ready; empty if it is. */
  public Optional<String> outage() {
    if (stopping) {
      return Optional.of(RequestException.stopping()).map(RequestException::getMessage);
    }
    return table.config().required().stream()
        .filter(name -> requiredFromStart.contains(name) || opened(name) != null)
        .flatMap(name -> outage(name).stream())
        .findFirst();
  }

  /**
   * Returns why a namespace issues nothing to a caller now; empty if it issues. One that would be
   * opened on demand is as ready as the server is, and is not opened.
   *
   * @throws RequestException if there is no such namespace for the caller, or too many others are
   *     open
   */
  public Optional<String> outage(Caller caller, String name) {
    if (!caller.permits(name)) {
      throw table.unknown(name, caller::permits);
    }
    NamespaceEntry known = table.find(name);
    if (known != null) {
      return known.status().outage();
    }
    table.checkOpenable(caller, name);
    return outage();
  }

  /** Returns why a namespace of the configuration issues nothing now; empty if it issues. */
  public Optional<String> outage(String name) {
    return table.entry(name).status().outage();
  }

  /** Goes on issuing, but opens no scopes, and reports that the server is not ready. */
  void drain() {
    stopping = true;
  }

  /** Waits until the clients have ended their scopes, for at most {@code nanos}. */
  void awaitScopes(long nanos) {
    scopes.awaitEnds(nanos);
  }

  /**
   * Ends issuing, and gives the leases back within that time; what is left then runs out. So does
   * the lease of a namespace with open scopes, because their rows may still be committed.
   */
  void close(StopSteps steps, long nanos) {
    steps.take(scheduler::shutdownNow);
    openers.values().forEach(threads -> steps.take(threads::shutdownNow));
    steps.take(requests::close);
    steps.take(segments::close);
    ExecutorService closers =
        Executors.newFixedThreadPool(OPENERS, DaemonThreads.named("firn-closer"));
    Map<String, NamespaceEntry> entries = table.entries();
    Map<String, NamespaceEntry> held = new HashMap<>(entries);
    held.keySet().retainAll(scopes.namespaces());
    List<NamespaceEntry> released =
        entries.values().stream().filter(entry -> !held.containsValue(entry)).toList();
    CountDownLatch unclosed = new CountDownLatch(released.size());
    for (NamespaceEntry entry : released) {
      closers.execute(
          () -> {
            steps.take(() -> close(entry));
            unclosed.countDown();
          });
    }
    held.forEach((name, entry) -> closeHeld(name, entry));
    try {
      if (!unclosed.await(Math.max(0, nanos), TimeUnit.NANOSECONDS)) {
        logUnclosed(unclosed.getCount(), released.size());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    closers.shutdownNow(); // each of the others would only find the store closed
    steps.take(store::close);
  }

  private static void logUnclosed(long count, int all) {
    LOG.log(
        Level.WARNING,
        "The grace ended before "
            + count
            + " of "
            + all
            + " namespaces were closed; their worker IDs stay taken until their windows end, and"
            + " the rest of their segments is a gap");
  }

  /** Closes a namespace that waits for its scopes. No one waits for that. */
  private static void closeHeld(String name, NamespaceEntry entry) {
    LOG.log(
        Level.WARNING,
        "worker ID of namespace "
            + name
            + " not released: scopes of clients are open, and their rows may still be committed");
    DaemonThreads.named("firn-closer").newThread(() -> close(entry)).start();
  }

  private static void close(NamespaceEntry entry) {
    entry.close(RequestException.stopping());
  }
}
