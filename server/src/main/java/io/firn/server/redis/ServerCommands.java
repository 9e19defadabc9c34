package io.firn.server.redis;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.decode.Decoder;
import io.firn.decode.NumberReading;
import io.firn.json.IsoTime;
import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.RequestException;
import io.firn.server.SegmentStatus;
import io.firn.server.Service;
import io.firn.server.SnowflakeStatus;
import io.firn.server.config.TokenScope;
import io.firn.text.IdFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/** The commands about the server and about IDs that are there already. */
final class ServerCommands {

  /** The version of Redis whose commands and replies clients may expect. */
  private static final String LIKE_REDIS = "7.0.0";

  private final Service service;
  private final Map<String, RedisCommand> commands;
  private final long startNanos;

  /**
   * The commands of a server.
   *
   * @param commands all commands by their names, those of this class too once they are added
   */
  ServerCommands(Service service, Map<String, RedisCommand> commands) {
    this.service = service;
    this.commands = commands;
    startNanos = service.time().nanoTime();
  }

  List<RedisCommand> all() {
    return List.of(
        RedisCommand.of("decode", -2, "What an ID means.", this::decode),
        RedisCommand.of("info", -1, "The server and its namespaces.", this::info),
        RedisCommand.of("role", 1, "A primary without replicas.", ServerCommands::role),
        RedisCommand.of("time", 1, "The clock, in seconds and microseconds.", this::time),
        RedisCommand.of("dbsize", 1, "How many namespaces are open.", this::size),
        RedisCommand.of("command", -1, "The commands.", this::command));
  }

  static String version() {
    String version = ServerCommands.class.getPackage().getImplementationVersion();
    return version == null ? "development" : version;
  }

  private void decode(RespDecoder command, RedisSession session, RespWriter out) {
    boolean given = command.count() == 4 && command.text(2).equalsIgnoreCase("layout");
    if (!given && command.count() != 2) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST, "syntax error (expected: DECODE id [LAYOUT layout])");
    }
    Decoder decoder = service.decoder(Objects.requireNonNull(session.caller()), IdFormat.DECIMAL);
    String id = command.text(1);
    reply(
        (NumberReading)
            RequestException.read(
                () ->
                    given
                        ? decoder.decode(id, IdLayout.of(command.text(3)))
                        : decoder.plausible(id).get(0)),
        out);
  }

  private static void reply(NumberReading reading, RespWriter out) {
    IdLayout layout = reading.layout();
    IdParts parts = reading.parts();
    List<String> namespaces = reading.namespaces();
    out.map(namespaces.isEmpty() ? 7 : 8);
    text(out, "id", Long.toUnsignedString(parts.id()));
    text(out, "layout", layout.name().orElseGet(layout::toString));
    text(out, "time", IsoTime.utc(parts.instant()));
    out.bulk("timestamp_ms");
    out.integer(parts.instant().toEpochMilli());
    field(out, layout, IdLayout.Kind.DATACENTER, parts.datacenter());
    field(out, layout, IdLayout.Kind.WORKER, parts.worker());
    field(out, layout, IdLayout.Kind.SEQUENCE, parts.sequence());
    if (!namespaces.isEmpty()) {
      out.bulk("namespaces");
      out.array(namespaces.size());
      namespaces.forEach(out::bulk);
    }
  }

  private static void text(RespWriter out, String name, String value) {
    out.bulk(name);
    out.bulk(value);
  }

  private static void field(RespWriter out, IdLayout layout, IdLayout.Kind kind, long value) {
    out.bulk(kind.label());
    if (layout.field(kind).isPresent()) {
      out.integer(value);
    } else {
      out.none();
    }
  }

  private void info(RespDecoder command, RedisSession session, RespWriter out) {
    Caller caller = Objects.requireNonNull(session.caller());
    caller.require(TokenScope.READ);
    long uptime = TimeUnit.NANOSECONDS.toSeconds(service.time().nanoTime() - startNanos);
    StringBuilder text = new StringBuilder("# Server\r\n");
    line(text, "redis_version", LIKE_REDIS);
    line(text, "redis_mode", "standalone");
    line(text, "firn_version", version());
    line(text, "uptime_in_seconds", Long.toString(uptime));
    line(text, "ready", service.namespaces().outage().isEmpty() ? "yes" : "no");
    text.append("\r\n# Replication\r\n");
    line(text, "role", "master");
    line(text, "connected_slaves", "0");
    text.append("\r\n# Namespaces\r\n");
    for (NamespaceStatus status : service.namespaces().statuses(caller)) {
      line(text, "namespace_" + status.name(), describe(status));
    }
    out.verbatim(text.toString());
  }

  private static void role(RespDecoder command, RedisSession session, RespWriter out) {
    out.array(3);
    out.bulk("master");
    out.integer(0);
    out.array(0);
  }

  private void time(RespDecoder command, RedisSession session, RespWriter out) {
    long millis = service.time().currentTimeMillis();
    out.array(2);
    out.bulk(Long.toString(millis / 1000));
    out.bulk(Long.toString(millis % 1000 * 1000));
  }

  private void size(RespDecoder command, RedisSession session, RespWriter out) {
    Caller caller = Objects.requireNonNull(session.caller());
    caller.require(TokenScope.READ);
    out.integer(service.namespaces().statuses(caller).size());
  }

  private static void line(StringBuilder text, String name, String value) {
    text.append(name).append(':').append(value).append("\r\n");
  }

  private static String describe(NamespaceStatus status) {
    String state = "state=" + (status.outage().isEmpty() ? "open" : "troubled");
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

  private void command(RespDecoder command, RedisSession session, RespWriter out) {
    String subcommand = command.count() == 1 ? "" : command.text(1).toLowerCase(Locale.ROOT);
    switch (subcommand) {
      case "", "info" -> entries(out);
      case "count" -> out.integer(commands.size());
      case "list" -> {
        out.array(commands.size());
        commands.keySet().forEach(out::bulk);
      }
      case "docs" -> docs(out);
      default -> out.error("ERR unknown subcommand '" + command.text(1) + "'. Try COMMAND HELP.");
    }
  }

  private void entries(RespWriter out) {
    out.array(commands.size());
    for (RedisCommand each : commands.values()) {
      boolean keyed = List.of("incr", "next").contains(each.name());
      out.array(6);
      out.bulk(each.name());
      out.integer(each.arity());
      out.array(2);
      out.simple(keyed ? "write" : "readonly");
      out.simple("fast");
      out.integer(keyed ? 1 : 0);
      out.integer(keyed ? 1 : 0);
      out.integer(keyed ? 1 : 0);
    }
  }

  private void docs(RespWriter out) {
    out.map(commands.size());
    for (RedisCommand each : commands.values()) {
      out.bulk(each.name());
      out.map(2);
      text(out, "summary", each.summary());
      text(out, "group", "generic");
    }
  }
}
