package io.firn.server.redis;

import io.firn.internal.IsoTime;
import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.SegmentStatus;
import io.firn.server.Service;
import io.firn.server.SnowflakeStatus;
import io.firn.server.Traffic;
import io.firn.server.config.ProtocolKind;
import io.firn.server.config.TokenScope;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;

/**
 * INFO: a primary without replicas, in the words that clients, health checks and exporters read.
 */
final class ServerInfo {

  /** The version of Redis whose commands and replies clients may expect. */
  private static final String LIKE_REDIS = "7.0.0";

  private static final Set<String> ALL = Set.of("default", "all", "everything");
  private static final int RUN_ID_BYTES = 20;

  private final Service service;
  private final String runId;

  ServerInfo(Service service) {
    this.service = service;
    byte[] random = new byte[RUN_ID_BYTES];
    service.time().randomBytes(random);
    runId = HexFormat.of().formatHex(random);
  }

  /** Answers with the sections that are named, or with all. */
  void answer(RespDecoder command, RedisSession session, RespWriter out) {
    Caller caller = Objects.requireNonNull(session.caller());
    caller.require(TokenScope.READ);
    Set<String> wanted = new TreeSet<>();
    for (int i = 1; i < command.count(); i++) {
      wanted.add(command.text(i).toLowerCase(Locale.ROOT));
    }
    session.whenDone(service.reports().report(() -> text(caller, wanted)), out::verbatim);
  }

  private String text(Caller caller, Set<String> wanted) {
    Sections text = new Sections(wanted);
    server(text);
    traffic(text);
    text.section("Memory")
        .line("used_memory", Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory())
        .line("maxmemory", Runtime.getRuntime().maxMemory());
    text.section("Persistence").line("loading", 0);
    text.section("Replication")
        .line("role", "master")
        .line("connected_slaves", 0)
        .line("master_replid", runId)
        .line("master_repl_offset", 0);
    text.section("Cluster").line("cluster_enabled", 0);
    if (text.has("Keyspace") || text.has("Namespaces")) {
      namespaces(text, service.namespaces().statuses(caller));
    }
    return text.toString();
  }

  private void server(Sections text) {
    text.section("Server")
        .line("redis_version", LIKE_REDIS)
        .line("redis_mode", "standalone")
        .line("firn_version", Service.version())
        .line("os", System.getProperty("os.name", "unknown"))
        .line("process_id", ProcessHandle.current().pid())
        .line("run_id", runId)
        .line("tcp_port", port())
        .line("uptime_in_seconds", service.uptime().toSeconds())
        .line("uptime_in_days", service.uptime().toDays())
        .line("ready", service.namespaces().outage().isEmpty() ? "yes" : "no");
  }

  private int port() {
    return Objects.requireNonNull(service.config().listen().get(ProtocolKind.REDIS.label()))
        .getPort();
  }

  private void traffic(Sections text) {
    Traffic traffic = Objects.requireNonNull(service.traffic().get(ProtocolKind.REDIS.label()));
    text.section("Clients")
        .line("connected_clients", traffic.connections())
        .line("maxclients", service.mostConnections())
        .line("blocked_clients", 0);
    text.section("Stats")
        .line("total_connections_received", traffic.accepted())
        .line("total_commands_processed", traffic.requests())
        .line("total_error_replies", traffic.refusals());
  }

  private static void namespaces(Sections text, List<NamespaceStatus> statuses) {
    text.section("Keyspace");
    if (!statuses.isEmpty()) {
      text.line("db0", "keys=" + statuses.size() + ",expires=0,avg_ttl=0");
    }
    text.section("Namespaces");
    for (NamespaceStatus status : statuses) {
      // The first colon of a line ends its name.
      text.line("namespace_" + status.name().replace(':', '/'), describe(status));
    }
  }

  private static String describe(NamespaceStatus status) {
    String state = "state=" + (status.outage().isEmpty() ? "open" : "stopped");
    if (status instanceof SnowflakeStatus open) {
      return state
          + ",issued="
          + open.stats().issued()
          + ",lead_ms="
          + open.stats().lead().toMillis()
          + ",worker="
          + open.lease().worker()
          + ",fence="
          + IsoTime.utc(open.lease().fence());
    }
    return status instanceof SegmentStatus open
        ? state + ",issued=" + open.stats().issued() + ",left=" + open.stats().left()
        : state;
  }

  /** The text of the sections that are wanted. */
  private static final class Sections {

    private final Set<String> wanted;
    private final StringBuilder text = new StringBuilder();
    private boolean shown;

    Sections(Set<String> wanted) {
      this.wanted = wanted;
    }

    boolean has(String title) {
      return wanted.isEmpty()
          || wanted.contains(title.toLowerCase(Locale.ROOT))
          || wanted.stream().anyMatch(ALL::contains);
    }

    Sections section(String title) {
      shown = has(title);
      if (shown) {
        text.append(text.isEmpty() ? "# " : "\r\n# ").append(title).append("\r\n");
      }
      return this;
    }

    Sections line(String name, Object value) {
      if (shown) {
        text.append(name).append(':').append(value).append("\r\n");
      }
      return this;
    }

    @Override
    public String toString() {
      return text.toString();
    }
  }
}
