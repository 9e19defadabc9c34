package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.NamespaceStatus;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.Limits;
import io.firn.server.config.TokenScope;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * The commands that browsing tools, proxies and exporters ask: which namespaces there are, and
 * settings.
 */
final class KeyCommands {

  private final Service service;

  KeyCommands(Service service) {
    this.service = service;
  }

  List<RedisCommand> all() {
    return List.of(
        RedisCommand.of("dbsize", 1, "How many namespaces there are.", this::size),
        RedisCommand.of("scan", -2, "The namespaces.", this::scan),
        RedisCommand.of("keys", 2, "The namespaces.", this::keys),
        RedisCommand.of("exists", -2, "How many of the names are namespaces.", this::exists),
        RedisCommand.of("type", 2, "Whether a name is a namespace.", this::type),
        RedisCommand.of("ttl", 2, "Namespaces do not expire.", this::ttl),
        RedisCommand.of("pttl", 2, "Namespaces do not expire.", this::ttl),
        RedisCommand.of("config", -2, "A few settings, in the words of Redis.", this::config),
        RedisCommand.of("module", -2, "There are none.", KeyCommands::emptyList),
        RedisCommand.of("slowlog", -2, "It is empty.", KeyCommands::slowlog),
        RedisCommand.of("latency", -2, "It is empty.", KeyCommands::emptyList),
        RedisCommand.of("acl", 2, "The name of the token.", KeyCommands::acl));
  }

  private static Caller reader(RedisSession session) {
    Caller caller = Objects.requireNonNull(session.caller());
    caller.require(TokenScope.READ);
    return caller;
  }

  /** Has the names that match a pattern found, and answers with them. */
  private void find(String pattern, RedisSession session, Consumer<List<String>> answer) {
    Caller caller = reader(session);
    Glob glob = Glob.of(pattern);
    session.whenDone(
        service
            .reports()
            .report(
                () ->
                    service.namespaces().statuses(caller).stream()
                        .map(NamespaceStatus::name)
                        .filter(glob::matches)
                        .toList()),
        answer);
  }

  private boolean has(String name, RedisSession session) {
    return service.namespaces().has(reader(session), name);
  }

  private void size(RespDecoder command, RedisSession session, RespWriter out) {
    find("*", session, names -> out.integer(names.size()));
  }

  /** Answers with all names at once: there are no more than {@code limits.namespaces}. */
  private void scan(RespDecoder command, RedisSession session, RespWriter out) {
    if (!command.text(1).matches("[0-9]{1,20}")) {
      out.error("ERR invalid cursor");
      return;
    }
    String pattern = "*";
    boolean strings = true;
    for (int i = 2; i < command.count(); i += 2) {
      String option = command.text(i).toLowerCase(Locale.ROOT);
      if (i + 1 == command.count() || !List.of("match", "count", "type").contains(option)) {
        out.error("ERR syntax error");
        return;
      }
      String value = command.text(i + 1);
      pattern = option.equals("match") ? value : pattern;
      strings &= !option.equals("type") || value.equalsIgnoreCase("string");
    }
    boolean all = strings && command.text(1).equals("0");
    find(
        pattern,
        session,
        found -> {
          out.array(2);
          out.bulk("0");
          list(all ? found : List.of(), out);
        });
  }

  private static void list(List<String> texts, RespWriter out) {
    out.array(texts.size());
    texts.forEach(out::bulk);
  }

  private void keys(RespDecoder command, RedisSession session, RespWriter out) {
    find(command.text(1), session, found -> list(found, out));
  }

  private void exists(RespDecoder command, RedisSession session, RespWriter out) {
    int found = 0;
    for (int i = 1; i < command.count(); i++) {
      found += has(command.text(i), session) ? 1 : 0;
    }
    out.integer(found);
  }

  private void type(RespDecoder command, RedisSession session, RespWriter out) {
    out.simple(has(command.text(1), session) ? "string" : "none");
  }

  private void ttl(RespDecoder command, RedisSession session, RespWriter out) {
    out.integer(has(command.text(1), session) ? -1 : -2);
  }

  private void config(RespDecoder command, RedisSession session, RespWriter out) {
    if (!command.text(1).equalsIgnoreCase("get") || command.count() < 3) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "CONFIG "
              + command.text(1)
              + ": not for IDs (expected: CONFIG GET pattern; settings stand in the server's"
              + " configuration)");
    }
    Map<String, String> found = new LinkedHashMap<>();
    Limits limits = service.config().limits();
    Map<String, String> settings = new LinkedHashMap<>();
    settings.put("databases", "1");
    settings.put("maxclients", Integer.toString(service.mostConnections()));
    settings.put("timeout", Long.toString(limits.idle().toSeconds()));
    settings.put("maxmemory", "0");
    settings.put("maxmemory-policy", "noeviction");
    settings.put("save", "");
    settings.put("appendonly", "no");
    for (int i = 2; i < command.count(); i++) {
      Glob pattern = Glob.of(command.text(i).toLowerCase(Locale.ROOT));
      settings.forEach(
          (name, value) -> {
            if (pattern.matches(name)) {
              found.put(name, value);
            }
          });
    }
    out.map(found.size());
    found.forEach(
        (name, value) -> {
          out.bulk(name);
          out.bulk(value);
        });
  }

  private static void emptyList(RespDecoder command, RedisSession session, RespWriter out) {
    out.array(0);
  }

  private static void slowlog(RespDecoder command, RedisSession session, RespWriter out) {
    if (command.text(1).equalsIgnoreCase("len")) {
      out.integer(0);
    } else {
      out.array(0);
    }
  }

  private static void acl(RespDecoder command, RedisSession session, RespWriter out) {
    if (command.text(1).equalsIgnoreCase("whoami")) {
      out.bulk(ClientCommands.user(session.caller()));
    } else {
      out.error("ERR unknown subcommand '" + command.text(1) + "'. Try ACL WHOAMI.");
    }
  }
}
