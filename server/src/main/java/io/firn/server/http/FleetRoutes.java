package io.firn.server.http;

import io.firn.SnowflakeStats;
import io.firn.json.Json;
import io.firn.lease.LeaseStatus;
import io.firn.lease.WorkerEntry;
import io.firn.server.Census;
import io.firn.server.Client;
import io.firn.server.LeaseCounts;
import io.firn.server.NamespaceStatus;
import io.firn.server.Service;
import io.firn.server.config.SegmentConfig;
import io.firn.server.config.SnowflakeConfig;
import java.io.IOException;
import java.time.Duration;
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
    List<NamespaceStatus> statuses = service.namespaces().statuses(exchange.client());
    Instant now = service.now();
    exchange.reply(
        Json.object(
            object ->
                object.array(
                    "namespaces", statuses, (json, status) -> members(json, status, now))));
  }

  private static void members(Json json, NamespaceStatus status, Instant now) throws IOException {
    json.text("name", status.name());
    if (status.config() instanceof SegmentConfig) {
      json.text("type", "segment").none("layout");
    } else if (status.config() instanceof SnowflakeConfig snowflake) {
      json.text("type", "snowflake")
          .object("layout", layout -> LayoutRoutes.members(layout, snowflake.layout(), now));
    }
    json.object("lease", status.lease(), FleetRoutes::members)
        .object("leases", status.leases(), FleetRoutes::members)
        .object("stats", status.stats(), FleetRoutes::members)
        .text("trouble", status.trouble());
  }

  private static void members(Json json, LeaseStatus lease) throws IOException {
    json.number("worker", lease.worker())
        .time("not_before", lease.notBefore())
        .time("fence", lease.fence())
        .number("left_ms", leftMillis(lease.fence(), lease.taken()))
        .number("since_renewal_ms", lease.sinceRenewal().toMillis())
        .text("store", lease.store())
        .text("trouble", lease.trouble());
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
    Client client = exchange.client();
    exchange.whenDone(
        service.namespaces().census(),
        census -> exchange.reply(json(census, service.namespaces().statuses(client))));
  }

  /**
   * A worker ID.
   *
   * @param status the namespace, as it is on this server
   * @param entry who has it
   * @param taken when that was read
   */
  private record Worker(NamespaceStatus status, WorkerEntry entry, Instant taken) {

    /** The lease of this server, if it has the worker ID. */
    Optional<LeaseStatus> lease() {
      return status.lease().filter(own -> entry.held() && own.worker() == entry.worker());
    }
  }

  private static String json(Census census, List<NamespaceStatus> statuses) {
    List<Worker> workers = new ArrayList<>();
    for (NamespaceStatus status : statuses) {
      census
          .workers()
          .getOrDefault(status.name(), List.of())
          .forEach(entry -> workers.add(new Worker(status, entry, census.taken())));
    }
    return Json.object(
        object ->
            object.time("taken", census.taken()).array("workers", workers, FleetRoutes::members));
  }

  private static void members(Json json, Worker worker) throws IOException {
    WorkerEntry entry = worker.entry();
    boolean open = entry.fence().isAfter(worker.taken());
    json.text("namespace", worker.status().name())
        .number("worker", entry.worker())
        .text("state", !entry.held() ? "released" : open ? "held" : "expired")
        .text("holder", entry.holder())
        .number("pid", entry.pid())
        .time("fence", entry.fence())
        .number("left_ms", leftMillis(entry.fence(), worker.taken()))
        .flag("own", worker.lease().isPresent())
        .time("since", entry.since())
        .millis(
            "lead_ms",
            worker.lease().flatMap(own -> worker.status().stats()).map(SnowflakeStats::lead))
        .millis("since_renewal_ms", worker.lease().map(LeaseStatus::sinceRenewal));
  }

  private static long leftMillis(Instant fence, Instant now) {
    return Math.max(0, Duration.between(now, fence).toMillis());
  }
}
