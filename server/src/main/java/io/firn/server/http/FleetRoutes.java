package io.firn.server.http;

import io.firn.IdLayout;
import io.firn.SnowflakeStats;
import io.firn.integration.WorkerFields;
import io.firn.json.Json;
import io.firn.json.LayoutChangeJson;
import io.firn.lease.LeaseStatus;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.WorkerEntry;
import io.firn.micrometer.LeaseCounts;
import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.SnowflakeStatus;
import io.firn.server.WorkerSnapshot;
import io.firn.server.config.SnowflakeConfig;
import io.firn.server.config.TokenScope;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The state of this server and of those beside it: {@code /v1/namespaces} and {@code /v1/workers}.
 * A client sees the namespaces that it may use.
 */
final class FleetRoutes {

  /** Worker IDs in one answer, unless the client says how many. */
  private static final int PAGE = 1_000;

  private final Service service;

  FleetRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/v1/namespaces", this::namespaces, MediaType.JSON);
    router.add("/v1/workers", this::workers, MediaType.JSON);
  }

  private void namespaces(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters();
    exchange.report(() -> json(service.namespaces().statuses(caller), service.now()));
  }

  private static String json(List<NamespaceStatus> statuses, Instant now) {
    return Json.object(
        object ->
            object.array("namespaces", statuses, (json, status) -> members(json, status, now)));
  }

  private static void members(Json json, NamespaceStatus status, Instant now) throws IOException {
    json.text("name", status.name());
    Optional<IdLayout> layout = status.idLayout();
    if (layout.isPresent()) {
      json.text("type", "snowflake")
          .object("layout", members -> LayoutRoutes.members(members, layout.get(), now));
    } else {
      json.text("type", "segment").none("layout");
    }
    json.text("next_layout", next(status).map(IdLayout::toString));
    if (status instanceof SnowflakeStatus open) {
      json.object("lease", lease -> members(lease, open.lease()))
          .object("leases", leases -> members(leases, open.leases()))
          .object("stats", stats -> members(stats, open.stats()));
    } else {
      json.none("lease").none("leases").none("stats");
    }
    json.text("outage", status.outage());
  }

  /** Returns the layout that this server switches to when the namespace does. */
  static Optional<IdLayout> next(NamespaceStatus status) {
    return status.config() instanceof SnowflakeConfig snowflake
        ? Optional.ofNullable(snowflake.settings().nextLayout())
            .filter(next -> !status.idLayout().equals(Optional.of(next)))
        : Optional.empty();
  }

  private static void members(Json json, LeaseStatus lease) throws IOException {
    json.number("worker", lease.worker())
        .time("not_before", lease.notBefore())
        .time("fence", lease.fence())
        .number("left_ms", WorkerFields.leftMillis(lease.fence(), lease.taken()))
        .number("since_renewal_ms", lease.sinceRenewal().toMillis())
        .text("store", lease.store())
        .text("last_error", lease.lastError())
        .text("clock_doubt", lease.clockDoubt());
  }

  private static void members(Json json, LeaseCounts leases) throws IOException {
    json.number("acquired", leases.acquired())
        .number("renewed", leases.renewed())
        .number("lost", leases.lost())
        .number("expired", leases.expired());
  }

  private static void members(Json json, SnowflakeStats stats) throws IOException {
    json.number("issued", stats.issued())
        .number("waits", stats.waits())
        .number("clock_steps", stats.clockSteps())
        .number("lead_ms", stats.lead().toMillis());
  }

  private void workers(HttpExchange exchange) {
    exchange.requireParameters("limit", "after");
    Caller caller = exchange.caller(TokenScope.READ);
    int limit = exchange.parameter("limit").isEmpty() ? PAGE : exchange.count("limit");
    Place after = exchange.parameter("after").map(Place::parse).orElse(Place.START);
    exchange.whenDone(
        service
            .reports()
            .report(
                service.namespaces().workers(),
                snapshot -> json(snapshot, service.namespaces().statuses(caller), after, limit)),
        exchange::reply);
  }

  /** The end of a page: a worker ID of a namespace. */
  private record Place(String namespace, long worker) {

    static final Place START = new Place("", -1);

    private static final Pattern TEXT = Pattern.compile("([^/]+)/([0-9]{1,18})");

    static Place parse(String text) {
      Matcher parts = TEXT.matcher(text);
      if (!parts.matches()) {
        throw new RequestException(
            RequestException.Kind.BAD_REQUEST,
            "after: " + text + " (expected: NAMESPACE/WORKER, as next has it)");
      }
      return new Place(parts.group(1), Long.parseLong(parts.group(2)));
    }

    boolean isBefore(String otherNamespace, long otherWorker) {
      int order = namespace.compareTo(otherNamespace);
      return order < 0 || (order == 0 && worker < otherWorker);
    }
  }

  private static String json(
      WorkerSnapshot snapshot, List<NamespaceStatus> statuses, Place after, int limit) {
    List<WorkerFields> workers = new ArrayList<>();
    for (NamespaceStatus status : statuses) {
      for (WorkerEntry entry : snapshot.workers().getOrDefault(status.name(), List.of())) {
        if (workers.size() <= limit && after.isBefore(status.name(), entry.worker())) {
          workers.add(
              new WorkerFields(
                  status.name(),
                  entry,
                  snapshot.mark(status.name()),
                  snapshot.taken(),
                  own(status, entry)));
        }
      }
    }
    List<WorkerFields> page = workers.subList(0, Math.min(limit, workers.size()));
    Optional<String> next =
        page.size() == workers.size()
            ? Optional.empty()
            : Optional.of(page.get(limit - 1)).map(FleetRoutes::place);
    return Json.object(
        object ->
            object
                .time("taken", snapshot.taken())
                .array("workers", page, (json, worker) -> json.members(worker.values()))
                .array("marks", marks(snapshot, statuses), FleetRoutes::mark)
                .array("changes", changes(snapshot, statuses), (json, each) -> each.writeTo(json))
                .text("next", next));
  }

  static List<Map.Entry<String, Mark>> marks(
      WorkerSnapshot snapshot, List<NamespaceStatus> statuses) {
    Set<String> names = statuses.stream().map(NamespaceStatus::name).collect(Collectors.toSet());
    return snapshot.marks().entrySet().stream()
        .filter(mark -> names.contains(mark.getKey()))
        .toList();
  }

  /** Returns the changes of layout, those that took place too. */
  static List<LayoutChangeJson> changes(WorkerSnapshot snapshot, List<NamespaceStatus> statuses) {
    return statuses.stream().flatMap(status -> change(snapshot, status).stream()).toList();
  }

  static Optional<LayoutChangeJson> change(WorkerSnapshot snapshot, NamespaceStatus status) {
    return snapshot
        .change(status.name())
        .map(plan -> new LayoutChangeJson(status.name(), plan, snapshot.taken()));
  }

  /** Returns whether this server issues IDs of the new layout, or will from that time on. */
  static boolean follows(NamespaceStatus status, LayoutChangeJson change) {
    Optional<IdLayout> to = Optional.of(change.plan().to());
    return status.idLayout().equals(to) || next(status).equals(to);
  }

  static void mark(Json json, Map.Entry<String, Mark> mark) throws IOException {
    json.text("namespace", mark.getKey())
        .time("since", mark.getValue().since())
        .time("settled_at", mark.getValue().settledAt())
        .text("after_loss", mark.getValue().afterLoss().label());
  }

  private static String place(WorkerFields worker) {
    return worker.namespace() + "/" + worker.entry().worker();
  }

  /** Returns this server's own data of a worker ID; empty if another process holds it. */
  static Optional<WorkerFields.Own> own(NamespaceStatus status, WorkerEntry entry) {
    return status instanceof SnowflakeStatus open
            && entry.held()
            && entry.worker() == open.lease().worker()
            && entry.holder().equals(open.lease().holder())
            && entry.pid() == ProcessHandle.current().pid()
        ? Optional.of(new WorkerFields.Own(open.stats().lead(), open.lease().sinceRenewal()))
        : Optional.empty();
  }
}
