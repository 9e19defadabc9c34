package io.firn.server;

import io.firn.lease.Namespace;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SegmentConfig;
import io.firn.server.config.ServerConfig;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces that were asked for, by name: decides which may be opened, and forgets those on
 * demand that are not used. Thread-safe.
 */
final class NamespaceTable {

  private static final Logger LOG = System.getLogger("io.firn.server");

  /** Namespaces on demand that are opened in a second, after which more are refused. */
  private static final int MAX_OPENED_PER_SECOND = 20;

  /** A namespace on demand is closed when it issued nothing for this number of windows. */
  private static final int MAX_UNUSED_WINDOWS = 10;

  private volatile ServerConfig config;
  private final RegisterStore store;
  private final NamespaceOpener opener;
  private final AuditLog audit;
  private final TimeSource time;
  private final Map<String, NamespaceEntry> entries = new ConcurrentHashMap<>();

  /** The names that a reload has removed and that counted: their clients expect numbers. */
  private final Set<String> counted = ConcurrentHashMap.newKeySet();

  private final ReentrantLock adding = new ReentrantLock();
  private final Rate opening;

  NamespaceTable(
      ServerConfig config,
      RegisterStore store,
      NamespaceOpener opener,
      AuditLog audit,
      TimeSource time) {
    this.config = config;
    this.store = store;
    this.opener = opener;
    this.audit = audit;
    this.time = time;
    opening = new Rate(MAX_OPENED_PER_SECOND, time);
  }

  ServerConfig config() {
    return config;
  }

  /** Returns the entry of a name; null if it was not asked for. */
  @Nullable NamespaceEntry find(String name) {
    return entries.get(name);
  }

  /** Returns the entries by name, which follow later changes. */
  Map<String, NamespaceEntry> entries() {
    return Collections.unmodifiableMap(entries);
  }

  /** Returns the entry of a name, for the server itself. */
  NamespaceEntry entry(String name) {
    NamespaceEntry known = entries.get(name);
    return known != null ? known : newEntry(name, config.onDemand(), () -> {});
  }

  /** Returns the entry of a name, for a caller. */
  NamespaceEntry entry(Caller caller, String name) {
    NamespaceEntry known = entries.get(name);
    return known != null ? known : newEntry(caller, name);
  }

  private NamespaceEntry newEntry(Caller caller, String name) {
    return newEntry(name, caller.opensNamespaces(), () -> audit.namespaceOpened(name, caller));
  }

  private NamespaceEntry newEntry(String name, boolean onDemand, Runnable onOpened) {
    adding.lock();
    try {
      NamespaceEntry known = entries.get(name);
      if (known != null) {
        return known;
      }
      NamespaceConfig wanted = wanted(name, onDemand); // under the lock, as a reload changes it
      if (isOnDemand(name)) {
        checkNew(name);
      }
      if (entries.size() >= config.limits().namespaces()) {
        entries.entrySet().removeIf(this::isDispensable);
      }
      if (isOnDemand(name) && entries.size() >= config.limits().namespaces()) {
        LOG.log(Level.WARNING, "A namespace was not opened: " + limitReached());
        throw full(name);
      }
      NamespaceEntry added =
          new NamespaceEntry(name, wanted, () -> open(name, wanted, onOpened), time);
      entries.put(name, added);
      return added;
    } finally {
      adding.unlock();
    }
  }

  private OpenNamespace open(String name, NamespaceConfig wanted, Runnable onOpened) {
    OpenNamespace opened = opener.open(name, wanted);
    if (isOnDemand(name)) {
      onOpened.run();
    }
    return opened;
  }

  private NamespaceConfig wanted(String name, boolean onDemand) {
    NamespaceConfig wanted = config.namespace(name, onDemand).orElseThrow(() -> unknown(name));
    if (isOnDemand(name) && counted.contains(name)) {
      throw new RequestException(
          RequestException.Kind.NOT_FOUND,
          "namespace: "
              + name
              + ", which counted until a reload removed it (expected: one of the configuration, or"
              + " another name)");
    }
    if (!isKeyOfTable(wanted)) {
      RequestException.read(() -> Namespace.of(store, name));
    }
    return wanted;
  }

  /** Returns whether the table of another system says which names there are. */
  private static boolean isKeyOfTable(NamespaceConfig wanted) {
    return wanted instanceof SegmentConfig segments && segments.key().isPresent();
  }

  /**
   * Checks the namespaces of a configuration, except those that are as they were asked for, without
   * asking the store.
   *
   * @throws IllegalArgumentException if one could never be opened, or its name differs from that of
   *     one that is open by case only
   */
  void check(ServerConfig newest) {
    String any = ServerConfig.DEFAULT_NAMESPACE;
    checkUnlessAsBefore(any, newest);
    for (String name : newest.permanent()) {
      checkUnlessAsBefore(name, newest);
      similar(name, entries.keySet().stream())
          .ifPresent(
              open -> {
                throw new IllegalArgumentException(
                    "namespaces."
                        + name
                        + ": new (expected: another name, as "
                        + open
                        + " is open)");
              });
    }
  }

  private void checkUnlessAsBefore(String name, ServerConfig newest) {
    if (!isAsIn(newest, name)) {
      newest.namespace(name).ifPresent(wanted -> check(name, wanted));
    }
  }

  /** Checks a namespace; a refused address is that of its own source, if it has one. */
  private void check(String name, NamespaceConfig wanted) {
    try {
      opener.check(name, wanted);
    } catch (IllegalArgumentException e) {
      String message = String.valueOf(e.getMessage());
      if (wanted instanceof SegmentConfig segments && segments.source().isPresent()) {
        throw new IllegalArgumentException(
            message.replaceFirst("^store(?=: )", "namespaces." + name + ".source"), e);
      }
      throw e;
    }
  }

  /** Refuses a name that is taken for another one. */
  private void checkCase(String name) {
    Optional<String> similar =
        similar(name, Stream.concat(config.permanent().stream(), entries.keySet().stream()));
    if (similar.isPresent()) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "namespace: "
              + name
              + " (expected: "
              + similar.get()
              + ", or one that differs by more"
              + " than case)");
    }
  }

  /** Returns a name that differs from this one by case only. */
  private static Optional<String> similar(String name, Stream<String> others) {
    return others.filter(other -> other.equalsIgnoreCase(name) && !other.equals(name)).findFirst();
  }

  /** Refuses a name that is taken for another one, and too many names at once. */
  private void checkNew(String name) {
    checkCase(name);
    if (!opening.take(1)) {
      throw new RequestException(
          RequestException.Kind.TOO_MANY,
          "Namespace "
              + name
              + " cannot be opened: "
              + MAX_OPENED_PER_SECOND
              + " others were opened within a second");
    }
  }

  /** Returns whether nothing is lost if the entry is forgotten. */
  private boolean isDispensable(Map.Entry<String, NamespaceEntry> entry) {
    return entry.getValue().retryInNanos() == 0 && isOnDemand(entry.getKey());
  }

  RequestException unknown(String name) {
    return unknown(name, any -> true);
  }

  /** Returns the refusal of a name, with the names that are visible. */
  RequestException unknown(String name, Predicate<String> isVisible) {
    String names = config.permanent().stream().filter(isVisible).collect(Collectors.joining(", "));
    return new RequestException(
        RequestException.Kind.NOT_FOUND,
        "namespace: " + name + " (expected: one of " + names + ")");
  }

  /** Returns the refusal of a name that is one too many. */
  private RequestException full(String name) {
    return new RequestException(
        RequestException.Kind.TOO_MANY,
        "Namespace " + name + " cannot be opened: " + limitReached());
  }

  private String limitReached() {
    return config.limits().namespaces() + " are open, the limit (limits.namespaces)";
  }

  /**
   * Refuses a name that a request of a caller would not open, as that request is refused.
   *
   * @throws RequestException if there is no such namespace for the caller, or no room for it
   */
  void checkOpenable(Caller caller, String name) {
    wanted(name, caller.opensNamespaces());
    if (!isOnDemand(name)) {
      return;
    }
    checkCase(name);
    long kept = entries.entrySet().stream().filter(entry -> !isDispensable(entry)).count();
    if (kept >= config.limits().namespaces()) {
      throw full(name);
    }
  }

  /**
   * Takes other settings. A namespace that was opened on demand stays open if they have it as it
   * is.
   *
   * @return the entries that were removed, to be closed
   */
  List<NamespaceEntry> update(ServerConfig newest) {
    List<NamespaceEntry> closed = new ArrayList<>();
    Set<String> before = config.permanent();
    Set<String> after = newest.permanent();
    before.stream()
        .filter(name -> !after.contains(name))
        .filter(name -> config.namespace(name).filter(SegmentConfig.class::isInstance).isPresent())
        .forEach(counted::add);
    adding.lock();
    try {
      config = newest;
      Stream.concat(
              before.stream().filter(name -> !after.contains(name)),
              after.stream().filter(name -> !before.contains(name) && !isAsIn(newest, name)))
          .map(entries::remove)
          .filter(Objects::nonNull)
          .forEach(closed::add);
    } finally {
      adding.unlock();
    }
    return closed;
  }

  /** Returns whether a namespace that was asked for has the settings that a configuration has. */
  private boolean isAsIn(ServerConfig newest, String name) {
    NamespaceEntry known = entries.get(name);
    return known != null && newest.namespace(name).filter(known.config()::equals).isPresent();
  }

  /**
   * Removes and closes the namespaces on demand that were not used.
   *
   * @param scoped those with open scopes, which are in use
   */
  void closeUnused(Set<String> scoped) {
    List<NamespaceEntry> unused = new ArrayList<>();
    entries.forEach(
        (name, entry) -> {
          if (isOnDemand(name)
              && !scoped.contains(name)
              && entry.unusedChecks() >= MAX_UNUSED_WINDOWS) {
            unused.add(entry);
          }
        });
    entries.values().removeAll(unused);
    close(unused);
  }

  /** Closes namespaces that were removed while the server runs, each as a part of the work. */
  static void close(List<NamespaceEntry> removed) {
    removed.forEach(
        entry -> PeriodicWork.run(() -> entry.close(RequestException.closed(entry.name()))));
  }

  private boolean isOnDemand(String name) {
    return !config.permanent().contains(name);
  }
}
