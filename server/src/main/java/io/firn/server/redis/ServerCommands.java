package io.firn.server.redis;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.decode.Decoder;
import io.firn.decode.IdField;
import io.firn.decode.NumberReading;
import io.firn.decode.Reading;
import io.firn.decode.WideReading;
import io.firn.internal.IsoTime;
import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The commands about the server and about IDs that are there already. */
final class ServerCommands {

  /** The commands whose first argument is a key. */
  private static final List<String> KEYED = List.of("incr", "incrby", "next");

  private static final List<String> HELP =
      List.of(
          "COMMAND [<subcommand> [<arg> ...]]. Subcommands are:",
          "(none), INFO [name ...]",
          "    The arity, flags and keys of the commands.",
          "COUNT, LIST",
          "    The number and the names of the commands.",
          "DOCS [name ...]",
          "    A summary of each command.",
          "GETKEYS command [<arg> ...]",
          "    The key of a command.",
          "HELP",
          "    This text.");

  private final Service service;
  private final Map<String, RedisCommand> commands;
  private final ServerInfo info;

  /**
   * Creates the commands of a server.
   *
   * @param commands all commands by their names, those of this class too once they are added
   */
  ServerCommands(Service service, Map<String, RedisCommand> commands) {
    this.service = service;
    this.commands = commands;
    info = new ServerInfo(service);
  }

  List<RedisCommand> all() {
    return List.of(
        RedisCommand.of("decode", -2, "What an ID means.", this::decode),
        RedisCommand.of("info", -1, "The server and its namespaces.", info::answer),
        RedisCommand.of("role", 1, "A primary without replicas.", ServerCommands::role),
        RedisCommand.of("time", 1, "The clock, in seconds and microseconds.", this::time).queued(),
        RedisCommand.of("command", -1, "The commands.", this::command));
  }

  private void decode(RespDecoder command, RedisSession session, RespWriter out) {
    boolean given = command.count() == 4 && command.text(2).equalsIgnoreCase("layout");
    if (!given && command.count() != 2) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST, "syntax error (expected: DECODE id [LAYOUT layout])");
    }
    Caller caller = Objects.requireNonNull(session.caller());
    String id = command.text(1);
    Optional<String> layout = given ? Optional.of(command.text(3)) : Optional.empty();
    session.whenDone(
        service.reports().report(() -> RequestException.read(() -> decode(caller, id, layout))),
        reading -> reply(reading, out));
  }

  private Reading decode(Caller caller, String id, Optional<String> layout) {
    Decoder decoder = service.decoder(caller, null);
    return layout.isPresent()
        ? decoder.decode(id, IdLayout.of(layout.get()))
        : decoder.plausible(id).get(0);
  }

  private static void reply(Reading reading, RespWriter out) {
    if (reading instanceof NumberReading number) {
      reply(number, out);
    } else {
      reply((WideReading) reading, out);
    }
  }

  /** Writes what {@code /v1/decode} says of an ID that is no number. */
  private static void reply(WideReading reading, RespWriter out) {
    List<IdField> parts = reading.fields().stream().filter(field -> !field.isTime()).toList();
    out.map(4 + parts.size());
    text(out, "id", reading.id());
    text(out, "type", reading.type());
    out.bulk("time");
    reading.instant().map(IsoTime::utc).ifPresentOrElse(out::bulk, out::none);
    out.bulk("timestamp_ms");
    reading.instant().map(Instant::toEpochMilli).ifPresentOrElse(out::integer, out::none);
    parts.forEach(field -> text(out, field.name(), field.value()));
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

  private void command(RespDecoder command, RedisSession session, RespWriter out) {
    String subcommand = command.count() == 1 ? "" : command.text(1).toLowerCase(Locale.ROOT);
    switch (subcommand) {
      case "", "info" -> entries(command, out);
      case "count" -> out.integer(commands.size());
      case "list" -> {
        out.array(commands.size());
        commands.keySet().forEach(out::bulk);
      }
      case "docs" -> docs(command, out);
      case "getkeys" -> keys(command, out);
      case "help" -> {
        out.array(HELP.size());
        HELP.forEach(out::simple);
      }
      default -> out.error("ERR unknown subcommand '" + command.text(1) + "'. Try COMMAND HELP.");
    }
  }

  /** Returns the commands that are named, null for an unknown one; all where none is named. */
  private Map<String, @Nullable RedisCommand> named(RespDecoder command) {
    if (command.count() <= 2) {
      return new LinkedHashMap<>(commands);
    }
    Map<String, @Nullable RedisCommand> named = new LinkedHashMap<>();
    for (int i = 2; i < command.count(); i++) {
      String name = command.text(i).toLowerCase(Locale.ROOT);
      named.put(name, commands.get(name));
    }
    return named;
  }

  private void entries(RespDecoder command, RespWriter out) {
    Map<String, @Nullable RedisCommand> named = named(command);
    out.array(named.size());
    for (RedisCommand each : named.values()) {
      if (each == null) {
        out.noArray();
        continue;
      }
      boolean keyed = KEYED.contains(each.name());
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

  private void docs(RespDecoder command, RespWriter out) {
    List<RedisCommand> named = named(command).values().stream().filter(Objects::nonNull).toList();
    out.map(named.size());
    for (RedisCommand each : named) {
      out.bulk(each.name());
      out.map(2);
      text(out, "summary", each.summary());
      text(out, "group", "generic");
    }
  }

  private void keys(RespDecoder command, RespWriter out) {
    if (command.count() < 4) {
      out.error("ERR wrong number of arguments for 'command|getkeys' command");
      return;
    }
    String name = command.text(2).toLowerCase(Locale.ROOT);
    RedisCommand known = commands.get(name);
    if (known == null || !known.takes(command.count() - 2)) {
      out.error("ERR Invalid command specified");
    } else if (!KEYED.contains(name)) {
      out.error("ERR The command has no key arguments");
    } else {
      out.array(1);
      out.bulk(command.bytes(3));
    }
  }
}
