package io.firn.server.http;

import io.firn.IdLayout;
import io.firn.integration.WorkerFields;
import io.firn.json.Json;
import io.firn.json.LayoutChangeJson;
import io.firn.lease.LeaseStatus;
import io.firn.lease.WorkerEntry;
import io.firn.server.Caller;
import io.firn.server.NamespaceEvents;
import io.firn.server.NamespaceStatus;
import io.firn.server.RequestException;
import io.firn.server.SegmentStatus;
import io.firn.server.Service;
import io.firn.server.SnowflakeStatus;
import io.firn.server.Traffic;
import io.firn.server.WorkerSnapshot;
import io.firn.server.config.TokenScope;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;

/**
 * The data that the console shows: pages of a few kilobytes, however many namespaces there are. For
 * the console of the same release alone. The requests are not among those whose times are measured.
 */
final class OverviewRoutes {

  private static final int PAGE = 25;
  private static final int MOST_CLIENTS = 10;
  private static final int MOST_LINES = 5;
  private static final int MOST_USERS = 5;

  private static final Map<String, Comparator<NamespaceStatus>> ORDERS =
      new TreeMap<>(
          Map.of(
              "name", Comparator.comparing(NamespaceStatus::name),
              "issued", Comparator.comparing(OverviewRoutes::issued).reversed(),
              "state", Comparator.comparing(status -> status.outage().isEmpty()),
              "left", Comparator.comparing(OverviewRoutes::leftMillis)));

  private final Service service;

  OverviewRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.addUnmeasured("/v1/console/overview", this::overview, MediaType.JSON);
    router.addUnmeasured("/v1/console/workers", this::workers, MediaType.JSON);
    router.addUnmeasured("/v1/console/segments", this::segments, MediaType.JSON);
    router.addUnmeasured("/v1/console/layouts", this::layouts, MediaType.JSON);
    router.addUnmeasured("/v1/console/namespaces/{namespace}", this::namespace, MediaType.JSON);
  }

  private static long issued(NamespaceStatus status) {
    if (status instanceof SnowflakeStatus open) {
      return open.stats().issued();
    }
    return status instanceof SegmentStatus open ? open.stats().issued() : -1;
  }

  private static long leftMillis(NamespaceStatus status) {
    return status instanceof SnowflakeStatus open
        ? WorkerFields.leftMillis(open.lease().fence(), open.lease().taken())
        : Long.MAX_VALUE;
  }

  /** A part of a list. */
  private record Page<T>(List<T> rows, int matching, int page, int pages) {

    static <T> Page<T> of(List<T> matching, int wanted) {
      int pages = Math.max(1, (matching.size() + PAGE - 1) / PAGE);
      int page = Math.min(wanted, pages - 1);
      int from = page * PAGE;
      return new Page<>(
          matching.subList(from, Math.min(matching.size(), from + PAGE)),
          matching.size(),
          page,
          pages);
    }

    void members(Json json) throws IOException {
      json.number("matching", matching).number("page", page).number("pages", pages);
    }
  }

  private static int page(HttpExchange exchange) {
    String text = exchange.parameter("page").orElse("0");
    if (!text.matches("[0-9]{1,6}")) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST, "page: " + text + " (expected: 0 or more)");
    }
    return Integer.parseInt(text);
  }

  private static Predicate<String> filter(HttpExchange exchange) {
    String wanted = exchange.parameter("filter").orElse("").toLowerCase(Locale.ROOT);
    return text -> text.toLowerCase(Locale.ROOT).contains(wanted);
  }

  private void overview(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters("filter", "sort", "page");
    Predicate<String> filter = filter(exchange);
    String sort = exchange.parameter("sort").orElse("name");
    Comparator<NamespaceStatus> order = ORDERS.get(sort);
    if (order == null) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "sort: " + sort + " (expected: " + String.join(", ", ORDERS.keySet()) + ")");
    }
    int page = page(exchange);
    exchange.report(
        () -> {
          List<NamespaceStatus> all = service.namespaces().statuses(caller);
          List<NamespaceStatus> matching =
              all.stream().filter(each -> filter.test(each.name())).sorted(order).toList();
          return Json.object(json -> overview(json, all, Page.of(matching, page)));
        });
  }

  private void overview(Json json, List<NamespaceStatus> all, Page<NamespaceStatus> page)
      throws IOException {
    Instant now = service.now();
    json.time("taken", now)
        .text("version", Service.version())
        .number("uptime_s", service.uptime().toSeconds())
        .text("holder", holder(all))
        .text("outage", service.namespaces().outage())
        .number("namespaces", all.size())
        .number("segments", all.stream().filter(SegmentStatus.class::isInstance).count())
        .number("issued", all.stream().mapToLong(each -> Math.max(0, issued(each))).sum())
        .array(
            "top",
            all.stream()
                .filter(each -> all.size() <= MOST_LINES || issued(each) > 0)
                .sorted(Comparator.comparing(OverviewRoutes::issued).reversed())
                .limit(MOST_LINES)
                .toList(),
            (top, each) -> top.text("name", each.name()).number("issued", issued(each)))
        .array(
            "warnings", new Warnings(service.namespaces().outage(), all, changes(all), now).all());
    page.members(json);
    json.array("rows", page.rows(), OverviewRoutes::row);
    traffic(json);
  }

  /** Returns the changes of layout that were read last. */
  private List<LayoutChangeJson> changes(List<NamespaceStatus> all) {
    return service
        .namespaces()
        .newestWorkers()
        .map(snapshot -> FleetRoutes.changes(snapshot, all))
        .orElse(List.of());
  }

  private static Optional<String> holder(List<NamespaceStatus> all) {
    return all.stream()
        .filter(SnowflakeStatus.class::isInstance)
        .map(each -> ((SnowflakeStatus) each).lease().holder())
        .findFirst();
  }

  private static void row(Json json, NamespaceStatus status) throws IOException {
    json.text("name", status.name())
        .flag("stopped", status.outage().isPresent())
        .text("layout", layoutName(status));
    if (issued(status) >= 0) {
      json.number("issued", issued(status));
    } else {
      json.none("issued");
    }
    if (status instanceof SnowflakeStatus open) {
      LeaseStatus lease = open.lease();
      long left = WorkerFields.leftMillis(lease.fence(), lease.taken());
      json.number("worker", lease.worker())
          .number("lead_ms", open.stats().lead().toMillis())
          .number("waits", open.stats().waits())
          .number("left_ms", left)
          .number("window_ms", left + lease.sinceRenewal().toMillis());
    } else {
      json.none("worker");
    }
  }

  private static Optional<String> layoutName(NamespaceStatus status) {
    return status.idLayout().map(LayoutChangeJson::nameOf);
  }

  private void traffic(Json json) throws IOException {
    Map<String, Traffic> sorted = new TreeMap<>(service.traffic());
    List<Client> clients = new ArrayList<>();
    sorted.forEach(
        (protocol, traffic) ->
            traffic
                .clients()
                .forEach((name, count) -> clients.add(new Client(protocol, name, count))));
    clients.sort(Comparator.comparing(Client::connections).reversed());
    json.array(
            "protocols",
            sorted.entrySet(),
            (each, entry) ->
                each.text("protocol", entry.getKey())
                    .number("connections", entry.getValue().connections())
                    .number("requests", entry.getValue().requests())
                    .number("refusals", entry.getValue().refusals()))
        .array(
            "clients",
            clients.subList(0, Math.min(MOST_CLIENTS, clients.size())),
            (each, client) ->
                each.text("protocol", client.protocol())
                    .text("name", client.name())
                    .number("connections", client.connections()))
        .array("times", times(sorted.values().stream().map(Traffic::times).toList()));
  }

  private record Client(String protocol, String name, long connections) {}

  /** The requests of all protocols by time: the upper bound in microseconds, and how many. */
  private static Json.Content times(List<Traffic.Times> all) {
    return buckets -> {
      List<Long> bounds = all.isEmpty() ? List.of() : all.get(0).boundMicros();
      for (int i = 0; i <= bounds.size() && !all.isEmpty(); i++) {
        int bucket = i;
        long count = all.stream().mapToLong(each -> each.counts().get(bucket)).sum();
        buckets.element((i < bounds.size() ? bounds.get(i) : "") + ":" + count);
      }
    };
  }

  private void workers(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters("filter", "page");
    Predicate<String> filter = filter(exchange);
    int page = page(exchange);
    withWorkers(
        exchange,
        snapshot -> {
          List<WorkerFields> found = new ArrayList<>();
          List<NamespaceStatus> statuses = service.namespaces().statuses(caller);
          for (NamespaceStatus status : statuses) {
            for (WorkerEntry entry : snapshot.workers().getOrDefault(status.name(), List.of())) {
              if (filter.test(status.name() + " " + entry.worker() + " " + entry.holder())) {
                found.add(worker(status, entry, snapshot));
              }
            }
          }
          found.sort(
              Comparator.comparing((WorkerFields each) -> each.own().isEmpty())
                  .thenComparing(each -> each.entry().state(each.taken())));
          Page<WorkerFields> shown = Page.of(found, page);
          return Json.object(
              json -> {
                workersTaken(json, snapshot);
                shown.members(json);
                json.array("workers", shown.rows(), (each, worker) -> each.members(worker.values()))
                    .array("marks", FleetRoutes.marks(snapshot, statuses), FleetRoutes::mark);
              });
        });
  }

  /** Its state is that of now, also where the store is away and the entry is old. */
  private WorkerFields worker(NamespaceStatus status, WorkerEntry entry, WorkerSnapshot snapshot) {
    return new WorkerFields(
        status.name(),
        entry,
        snapshot.mark(status.name()),
        service.now(),
        FleetRoutes.own(status, entry));
  }

  private void workersTaken(Json json, WorkerSnapshot snapshot) throws IOException {
    json.time("taken", snapshot.taken())
        .time("now", service.now())
        .text("store_outage", service.namespaces().workersOutage());
  }

  private interface Report {
    String of(WorkerSnapshot snapshot);
  }

  /** Answers out of the newest snapshot, and has a newer one taken; waits for the first only. */
  private void withWorkers(HttpExchange exchange, Report report) {
    var newer = service.namespaces().workers();
    Optional<WorkerSnapshot> newest = service.namespaces().newestWorkers();
    if (newest.isPresent()) {
      exchange.report(() -> report.of(newest.get()));
    } else {
      exchange.whenDone(service.reports().report(newer, report::of), exchange::reply);
    }
  }

  private void segments(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters("filter", "page");
    Predicate<String> filter = filter(exchange);
    int page = page(exchange);
    exchange.report(
        () -> {
          Page<SegmentStatus> shown =
              Page.of(
                  service.namespaces().statuses(caller).stream()
                      .filter(SegmentStatus.class::isInstance)
                      .map(SegmentStatus.class::cast)
                      .filter(each -> filter.test(each.name()))
                      .toList(),
                  page);
          return Json.object(
              json -> {
                shown.members(json);
                json.array("segments", shown.rows(), SegmentRoutes::members);
              });
        });
  }

  /** The layouts in use, each with the first of its namespaces. */
  private void layouts(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters();
    exchange.report(
        () -> {
          Map<String, IdLayout> layouts = new LinkedHashMap<>();
          Map<String, List<String>> users = new LinkedHashMap<>();
          for (NamespaceStatus status : service.namespaces().statuses(caller)) {
            status
                .idLayout()
                .ifPresent(
                    layout -> {
                      String spec = layout.toString();
                      layouts.put(spec, layout);
                      users.computeIfAbsent(spec, key -> new ArrayList<>()).add(status.name());
                    });
          }
          return Json.object(
              json ->
                  json.array(
                      "layouts",
                      layouts.entrySet(),
                      (each, layout) -> {
                        List<String> names = users.getOrDefault(layout.getKey(), List.of());
                        LayoutRoutes.members(each, layout.getValue(), service.now());
                        each.number("users", names.size())
                            .array(
                                "first_users",
                                first -> {
                                  for (String name :
                                      names.subList(0, Math.min(MOST_USERS, names.size()))) {
                                    first.element(name);
                                  }
                                });
                      }));
        });
  }

  private void namespace(HttpExchange exchange) {
    Caller caller = exchange.caller(TokenScope.READ);
    exchange.requireParameters();
    String name = exchange.path("namespace");
    NamespaceStatus status =
        service.namespaces().statuses(caller).stream()
            .filter(each -> each.name().equals(name))
            .findFirst()
            .orElseThrow(
                () ->
                    new RequestException(
                        RequestException.Kind.NOT_FOUND,
                        "namespace: "
                            + name
                            + " (expected: one that is open in this server; a request for an ID"
                            + " opens it, unless on-demand is off)"));
    withWorkers(exchange, snapshot -> Json.object(json -> namespace(json, status, snapshot)));
  }

  private void namespace(Json json, NamespaceStatus status, WorkerSnapshot snapshot)
      throws IOException {
    row(json, status);
    json.text("outage", status.outage());
    change(json, FleetRoutes.change(snapshot, status), status);
    workersTaken(json, snapshot);
    if (status instanceof SnowflakeStatus open) {
      json.text("lease_error", open.lease().problem())
          .text("store", open.lease().store())
          .number("clock_steps", open.stats().clockSteps())
          .array("events", open.events().newest(), OverviewRoutes::event);
    } else {
      json.none("lease_error").array("events", nothing -> {});
    }
    List<WorkerEntry> entries = snapshot.workers().getOrDefault(status.name(), List.of());
    List<WorkerFields> workers =
        entries.stream()
            .map(entry -> worker(status, entry, snapshot))
            .sorted(
                Comparator.comparing((WorkerFields each) -> each.own().isEmpty())
                    .thenComparing(each -> each.entry().fence(), Comparator.reverseOrder()))
            .toList();
    Page<WorkerFields> shown = Page.of(workers, 0);
    shown.members(json);
    json.array("workers", shown.rows(), (each, worker) -> each.members(worker.values()));
  }

  private static void change(Json json, Optional<LayoutChangeJson> change, NamespaceStatus status)
      throws IOException {
    if (change.isEmpty()) {
      json.none("change");
      return;
    }
    LayoutChangeJson seen = change.get();
    json.object(
        "change",
        members -> {
          seen.writeTo(members);
          members
              .text("from_name", LayoutChangeJson.nameOf(seen.plan().from()))
              .text("to_name", LayoutChangeJson.nameOf(seen.plan().to()))
              .flag("follows", FleetRoutes.follows(status, seen));
        });
  }

  private static void event(Json json, NamespaceEvents.Event event) throws IOException {
    json.text("kind", event.kind().name().toLowerCase(Locale.ROOT))
        .time("first", event.first())
        .time("last", event.last())
        .number("times", event.times())
        .time("fence", event.fence());
    if (event.worker().isPresent()) {
      json.number("worker", event.worker().get());
    } else {
      json.none("worker");
    }
  }
}
