package io.firn.server.metrics;

import io.firn.json.LayoutChangeJson;
import io.firn.lease.WorkerEntry;
import io.firn.lease.WorkerEntry.State;
import io.firn.server.NamespaceStatus;
import io.firn.server.Namespaces;
import io.firn.server.PendingStatus;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.Traffic;
import io.firn.server.WorkerSnapshot;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.jvm.JvmGcMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmMemoryMetrics;
import io.micrometer.core.instrument.binder.jvm.JvmThreadMetrics;
import io.micrometer.core.instrument.binder.system.ProcessorMetrics;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * The meters of a server in a registry. Nothing is metered as it happens: each update reads what
 * generators, leases and connections count anyway. Thread-safe.
 */
final class ServerMeters {

  private static final double MILLIS_PER_SECOND = 1000;

  private final Service service;
  private final MeterRegistry registry;
  private final MultiGauge readiness;
  private final MultiGauge changes;
  private volatile @Nullable WorkerSnapshot workers;
  private final ReentrantLock lock = new ReentrantLock();
  private final Map<String, NamespaceMeters> metered = new HashMap<>();

  /** Sets the meters up, which takes longer than it may before a server's first answer. */
  ServerMeters(Service service, MeterRegistry registry) {
    this.service = service;
    this.registry = registry;
    List.of(
            new JvmMemoryMetrics(),
            new JvmGcMetrics(),
            new JvmThreadMetrics(),
            new ProcessorMetrics(),
            new OpenFileMeters(service.time()),
            new UptimeMetrics())
        .forEach(binder -> binder.bindTo(registry));
    Gauge.builder("firn.ready", this, ServerMeters::ready)
        .description("1 if this server can issue, 0 without a lease or past its fence")
        .register(registry);
    readiness =
        MultiGauge.builder("firn.namespace.ready")
            .description("1 if this server can issue IDs of the namespace")
            .register(registry);
    changes =
        MultiGauge.builder("firn.layout.change")
            .description("Time until the layout of the namespace changes, while that is ahead")
            .baseUnit("seconds")
            .register(registry);
    Gauge.builder("firn.build.info", () -> 1)
        .description("1, with the version of this server and of its Java as labels")
        .tag("version", Service.version())
        .tag("java", Runtime.version().toString())
        .register(registry);
    Gauge.builder("firn.certificate.remaining", this, ServerMeters::certificateSeconds)
        .description("Time until the server's certificate ends")
        .baseUnit("seconds")
        .register(registry);
    Gauge.builder("firn.connections.limit", service, Service::mostConnections)
        .description("Open connections that there may be")
        .register(registry);
    FunctionCounter.builder("firn.blocks", service.namespaces(), Namespaces::blocks)
        .description("Blocks of IDs that were answered, a named one each time")
        .register(registry);
    FunctionCounter.builder("firn.block.ids", service.namespaces(), Namespaces::idsInBlocks)
        .description("IDs of the blocks that were answered")
        .register(registry);
    service.traffic().forEach(this::meter);
  }

  private double ready() {
    return service.namespaces().outage().isEmpty() ? 1 : 0;
  }

  private double certificateSeconds() {
    return service
        .certificateEnd()
        .get()
        .map(end -> Duration.between(service.now(), end).toMillis() / MILLIS_PER_SECOND)
        .orElse(Double.NaN);
  }

  private void showReadiness() {
    readiness.register(
        service.config().permanent().stream()
            .map(
                name ->
                    MultiGauge.Row.of(
                        Tags.of("namespace", name),
                        service.namespaces().outage(name).isEmpty() ? 1 : 0))
            .toList(),
        true);
  }

  /** Shows the changes of layout as they were at the update before. */
  private void showChanges() {
    WorkerSnapshot newest = workers;
    if (newest == null) {
      return;
    }
    Instant now = service.now();
    changes.register(
        newest.changes().entrySet().stream()
            .map(change -> new LayoutChangeJson(change.getKey(), change.getValue(), now))
            .filter(LayoutChangeJson::isAhead)
            .map(ServerMeters::row)
            .toList(),
        true);
  }

  private static MultiGauge.Row<?> row(LayoutChangeJson change) {
    return MultiGauge.Row.of(
        Tags.of("namespace", change.namespace(), "state", change.state()),
        change.left().toMillis() / MILLIS_PER_SECOND);
  }

  private void meter(String protocol, Traffic traffic) {
    Gauge.builder("firn.connections", traffic, Traffic::connections)
        .description("Open connections")
        .tag("protocol", protocol)
        .register(registry);
    for (RequestException.Kind reason : RequestException.Kind.values()) {
      meterRefusals(protocol, reason.name(), traffic, each -> each.refusals(reason));
    }
    meterRefusals(protocol, "OTHER", traffic, ServerMeters::otherRefusals);
    for (Traffic.Closing reason : Traffic.Closing.values()) {
      FunctionCounter.builder("firn.connections.closed", traffic, each -> each.closings(reason))
          .description("Connections that the server closed before their clients did")
          .tag("protocol", protocol)
          .tag("reason", reason.name().toLowerCase(Locale.ROOT))
          .register(registry);
    }
  }

  private void meterRefusals(
      String protocol, String reason, Traffic traffic, ToDoubleFunction<Traffic> count) {
    FunctionCounter.builder("firn.refusals", traffic, count)
        .description("Requests and connections that were not granted")
        .tag("protocol", protocol)
        .tag("reason", reason.toLowerCase(Locale.ROOT))
        .register(registry);
  }

  private static double otherRefusals(Traffic traffic) {
    long known = Arrays.stream(RequestException.Kind.values()).mapToLong(traffic::refusals).sum();
    return Math.max(0, traffic.refusals() - known);
  }

  /** Updates the meters to the current state, and reads them before they are updated again. */
  <T> T updated(Supplier<T> read) {
    lock.lock();
    try {
      update();
      return read.get();
    } finally {
      lock.unlock();
    }
  }

  /** Updates the meters to the current state. */
  void update() {
    lock.lock();
    try {
      List<NamespaceStatus> open =
          service.namespaces().statuses().stream()
              .filter(status -> !(status instanceof PendingStatus))
              .toList();
      forgetClosed(open);
      showReadiness();
      showChanges();
      service.namespaces().workers().thenAccept(newest -> workers = newest);
      open.forEach(
          status -> metered.computeIfAbsent(status.name(), n -> meter(status)).show(status));
    } finally {
      lock.unlock();
    }
  }

  /** Forgets what is not open any more. A namespace that is opened again has new counters. */
  private void forgetClosed(List<NamespaceStatus> open) {
    Set<String> closed = new HashSet<>(metered.keySet());
    open.stream().filter(this::isMetered).map(NamespaceStatus::name).forEach(closed::remove);
    closed.forEach(metered::remove);
    registry.getMeters().stream()
        .map(Meter::getId)
        .filter(id -> closed.contains(String.valueOf(id.getTag("namespace"))))
        .forEach(registry::remove);
  }

  private boolean isMetered(NamespaceStatus status) {
    NamespaceMeters meters = metered.get(status.name());
    return meters != null && meters.areOf(status);
  }

  /** Counts the worker IDs that are held, or reserved, as they were at the update before. */
  private double workers(String namespace, boolean reserved) {
    WorkerSnapshot newest = workers;
    if (newest == null) {
      return Double.NaN;
    }
    List<WorkerEntry> entries = newest.workers().get(namespace);
    return entries == null
        ? Double.NaN
        : entries.stream()
            .filter(
                entry -> reserved ? entry.state(newest.taken()) == State.RESERVED : entry.held())
            .count();
  }

  private NamespaceMeters meter(NamespaceStatus status) {
    NamespaceMeters meters = new NamespaceMeters(status, this::workers);
    meters.registerWith(registry);
    return meters;
  }
}
