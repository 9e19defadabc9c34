package io.firn.server.http;

import io.firn.SnowflakeStats;
import io.firn.json.Json;
import io.firn.json.WorkerJson;
import io.firn.lease.LeaseStatus;
import io.firn.lease.WorkerEntry;
import io.firn.micrometer.LeaseCounts;
import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.Service;
import io.firn.server.SnowflakeStatus;
import io.firn.server.WorkerSnapshot;
import io.firn.server.config.SnowflakeConfig;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What this server and those beside it are at: {@code /v1/namespaces} and {@code /v1/workers}. A
 * client sees the namespaces that it may use.
 */
final class FleetRoutes {

  private final Service service;

  FleetRoutes(Service service) {
    this.service = service;
  }

  void addTo(Router router) {
    router.add("/v1/namespaces", this::namespaces, MediaType.JSON);
    router.add("/v1/workers", this::workers, MediaType.JSON);
  }

  private void namespaces(HttpExchange exchange) {
    List<NamespaceStatus> statuses = service.namespaces().statuses(exchange.caller());
    Instant now = service.now();
    exchange.reply(
        Json.object(
            object ->
                object.array(
                    "namespaces", statuses, (json, status) -> members(json, status, now))));
  }

  private static void members(Json json, NamespaceStatus status, Instant now) throws IOException {
    json.text("name", status.name());
    if (status.config() instanceof SnowflakeConfig snowflake) {
      json.text("type", "snowflake")
          .object("layout", layout -> LayoutRoutes.members(layout, snowflake.layout(), now));
    } else {
      json.text("type", "segment").none("layout");
    }
    if (status instanceof SnowflakeStatus open) {
      json.object("lease", lease -> members(lease, open.lease()))
          .object("leases", leases -> members(leases, open.leases()))
          .object("stats", stats -> members(stats, open.stats()));
    } else {
      json.none("lease").none("leases").none("stats");
    }
    json.text("trouble", status.outage());
  }

  private static void members(Json json, LeaseStatus lease) throws IOException {
    json.number("worker", lease.worker())
        .time("not_before", lease.notBefore())
        .time("fence", lease.fence())
        .number("left_ms", WorkerJson.leftMillis(lease.fence(), lease.taken()))
        .number("since_renewal_ms", lease.sinceRenewal().toMillis())
        .text("store", lease.store())
        .text("trouble", lease.lastError());
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
    Caller caller = exchange.caller();
    exchange.whenDone(
        service.namespaces().workers(),
        snapshot -> exchange.reply(json(snapshot, service.namespaces().statuses(caller))));
  }

  private static String json(WorkerSnapshot snapshot, List<NamespaceStatus> statuses) {
    List<WorkerJson> workers = new ArrayList<>();
    for (NamespaceStatus status : statuses) {
      for (WorkerEntry entry : snapshot.workers().getOrDefault(status.name(), List.of())) {
        workers.add(new WorkerJson(status.name(), entry, snapshot.taken(), own(status, entry)));
      }
    }
    return Json.object(
        object ->
            object
                .time("taken", snapshot.taken())
                .array("workers", workers, (json, worker) -> worker.writeTo(json)));
  }

  private static Optional<WorkerJson.Own> own(NamespaceStatus status, WorkerEntry entry) {
    return status instanceof SnowflakeStatus open
            && entry.held()
            && open.lease().worker() == entry.worker()
        ? Optional.of(new WorkerJson.Own(open.stats().lead(), open.lease().sinceRenewal()))
        : Optional.empty();
  }
}
