package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.Connection;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.TokenScope;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** CLIENT: this connection, and those beside it. */
final class ClientCommands {

  /** The clients that read integers as JavaScript numbers, by the names that they report. */
  private static final Pattern ROUNDS_INTEGERS = Pattern.compile("(node-redis|ioredis)(\\(.*)?");

  private static final Logger LOG = System.getLogger("io.firn.server");

  /**
   * The answer of Redis about the memory of a connection; clients read it without asking for it.
   */
  private static final String UNMEASURED =
      " qbuf=0 qbuf-free=0 argv-mem=0 multi-mem=0 rbs=0 rbp=0 obl=0 oll=0 omem=0 tot-mem=0";

  private static final String SYNTAX = "ERR syntax error";

  /** The subcommands, and how many arguments they take: at least, at most. */
  private static final Map<String, int[]> SUBCOMMANDS =
      Map.ofEntries(
          Map.entry("id", new int[] {0, 0}),
          Map.entry("getname", new int[] {0, 0}),
          Map.entry("setname", new int[] {1, 1}),
          Map.entry("setinfo", new int[] {2, 2}),
          Map.entry("info", new int[] {0, 0}),
          Map.entry("list", new int[] {0, 100}),
          Map.entry("kill", new int[] {1, 100}),
          Map.entry("no-evict", new int[] {1, 1}),
          Map.entry("no-touch", new int[] {1, 1}),
          Map.entry("reply", new int[] {1, 1}),
          Map.entry("tracking", new int[] {1, 100}),
          Map.entry("help", new int[] {0, 0}));

  private static final List<String> HELP =
      List.of(
          "CLIENT <subcommand> [<arg> ...]. Subcommands are:",
          "GETNAME, ID, INFO, SETNAME name, SETINFO LIB-NAME|LIB-VER value",
          "    This connection.",
          "LIST [ID id ...] [TYPE normal]",
          "    The connections that the token may see.",
          "KILL ip:port | ID id | ADDR ip:port | LADDR ip:port | USER token | SKIPME yes|no",
          "    Closes connections. It needs a token with the scope admin.",
          "NO-EVICT, NO-TOUCH, REPLY ON, TRACKING OFF",
          "    Accepted, without an effect.");

  private final Service service;
  private final Map<Long, RedisSession> sessions;
  private final Set<String> noted = ConcurrentHashMap.newKeySet();

  ClientCommands(Service service, Map<Long, RedisSession> sessions) {
    this.service = service;
    this.sessions = sessions;
  }

  RedisCommand command() {
    return RedisCommand.of("client", -2, "This connection, and others.", this::client);
  }

  private void client(RespDecoder command, RedisSession session, RespWriter out) {
    String subcommand = command.text(1).toLowerCase(Locale.ROOT);
    int arguments = command.count() - 2;
    int[] takes = SUBCOMMANDS.get(subcommand);
    if (takes == null) {
      out.error("ERR unknown subcommand '" + command.text(1) + "'. Try CLIENT HELP.");
    } else if (arguments < takes[0] || arguments > takes[1]) {
      out.error("ERR wrong number of arguments for 'client|" + subcommand + "' command");
    } else {
      run(subcommand, command, session, out);
    }
  }

  private void run(String subcommand, RespDecoder command, RedisSession session, RespWriter out) {
    switch (subcommand) {
      case "id" -> out.integer(session.id());
      case "getname" -> getName(session, out);
      case "setname" -> setName(command.text(2), session, out);
      case "setinfo" -> setInfo(command, session, out);
      case "info" -> out.verbatim(line(session) + "\n");
      case "list" -> list(command, session, out);
      case "kill" -> kill(command, session, out);
      case "reply" -> accept(command, "on", "every command is answered", out);
      case "tracking" -> accept(command, "off", "an ID is issued once, and never cached", out);
      case "help" -> {
        out.array(HELP.size());
        HELP.forEach(out::simple);
      }
      default -> out.simple("OK");
    }
  }

  private static void accept(RespDecoder command, String only, String reason, RespWriter out) {
    if (command.text(2).equalsIgnoreCase(only)) {
      out.simple("OK");
    } else {
      out.error(
          "ERR CLIENT "
              + command.text(1).toUpperCase(Locale.ROOT)
              + ": "
              + command.text(2)
              + " (expected: "
              + only
              + "; "
              + reason
              + ")");
    }
  }

  private static void getName(RedisSession session, RespWriter out) {
    if (session.name().isEmpty()) {
      out.none();
    } else {
      out.bulk(session.name());
    }
  }

  private static void setName(String name, RedisSession session, RespWriter out) {
    if (ConnectionCommands.NAME.matcher(name).matches()) {
      session.name(name);
      out.simple("OK");
    } else {
      out.error("ERR Client names cannot contain spaces, newlines or special characters.");
    }
  }

  private void setInfo(RespDecoder command, RedisSession session, RespWriter out) {
    String attribute = command.text(2).toLowerCase(Locale.ROOT);
    String value = command.text(3);
    if (!attribute.equals("lib-name") && !attribute.equals("lib-ver")) {
      out.error("ERR Unrecognized option '" + command.text(2) + "'");
    } else if (!ConnectionCommands.NAME.matcher(value).matches()) {
      out.error("ERR " + attribute + " cannot contain spaces, newlines or special characters.");
    } else {
      if (attribute.equals("lib-name")) {
        session.library(value);
        adaptIdsTo(value, session, out);
      } else {
        session.libraryVersion(value);
      }
      out.simple("OK");
    }
  }

  /** Returns whether the clients of a library read integers as JavaScript numbers. */
  static boolean roundsIntegers(String library) {
    return ROUNDS_INTEGERS.matcher(library).matches();
  }

  /** Switches to IDs as strings for a client that would round integers. */
  private void adaptIdsTo(String library, RedisSession session, RespWriter out) {
    Matcher rounds = ROUNDS_INTEGERS.matcher(library);
    if (!service.config().redisIds().equals("auto") || !rounds.matches()) {
      return;
    }
    out.idsAsStrings();
    if (noted.add(rounds.group(1))) {
      LOG.log(
          Level.INFO,
          () ->
              "redis: "
                  + rounds.group(1)
                  + " at "
                  + session.client().getHostAddress()
                  + " gets IDs as strings, because JavaScript rounds integers above 2^53"
                  + " (redis-ids: auto)");
    }
  }

  private void list(RespDecoder command, RedisSession session, RespWriter out) {
    ClientFilter shown = new ClientFilter(Objects.requireNonNull(session.caller()));
    if (command.count() > 2) {
      String filter = command.text(2).toLowerCase(Locale.ROOT);
      if (filter.equals("id") && command.count() > 3) {
        shown.ids(ids(command));
      } else if (filter.equals("type") && command.count() == 4) {
        shown.type(command.text(3));
      } else {
        out.error(SYNTAX);
        return;
      }
    }
    session.whenDone(service.reports().report(() -> lines(shown)), out::verbatim);
  }

  private byte[] lines(ClientFilter shown) {
    return shown.select(sessions).stream()
        .map(each -> line(each) + "\n")
        .collect(Collectors.joining())
        .getBytes(StandardCharsets.UTF_8);
  }

  private static Set<Long> ids(RespDecoder command) {
    return IntStream.range(3, command.count())
        .mapToObj(i -> id(command.text(i), "Invalid client ID"))
        .collect(Collectors.toSet());
  }

  private static long id(String text, String refusal) {
    if (!text.matches("[0-9]{1,18}")) {
      throw new RequestException(RequestException.Kind.BAD_REQUEST, refusal);
    }
    return Long.parseLong(text);
  }

  private static String line(RedisSession session) {
    Connection connection = session.connection();
    List<String> ends = connection.ends();
    Caller caller = session.caller();
    return "id="
        + session.id()
        + " addr="
        + ends.get(0)
        + " laddr="
        + ends.get(1)
        + " fd=-1 name="
        + session.name()
        + " age="
        + connection.age().toSeconds()
        + " idle="
        + connection.idle().toSeconds()
        + " flags=N db=0 sub=0 psub=0 ssub=0 multi=-1"
        + UNMEASURED
        + " events=r cmd=NULL user="
        + user(caller)
        + " redir=-1 resp="
        + session.version()
        + " lib-name="
        + session.library()
        + " lib-ver="
        + session.libraryVersion();
  }

  /** Returns the name of a caller in the words of Redis. */
  static String user(@Nullable Caller caller) {
    return caller == null || caller.name().equals("anonymous") ? "default" : caller.name();
  }

  private void kill(RespDecoder command, RedisSession session, RespWriter out) {
    Objects.requireNonNull(session.caller()).require(TokenScope.ADMIN);
    boolean byAddress = command.count() == 3;
    if (!byAddress && command.count() % 2 != 0) {
      out.error(SYNTAX);
      return;
    }
    ClientFilter filter = new ClientFilter(Objects.requireNonNull(session.caller()));
    boolean skipsSelf = !byAddress;
    if (byAddress) {
      filter.text("addr", command.text(2));
    }
    for (int i = 2; !byAddress && i < command.count(); i += 2) {
      String kind = command.text(i).toLowerCase(Locale.ROOT);
      String value = command.text(i + 1);
      switch (kind) {
        case "id" -> filter.ids(Set.of(id(value, "client-id should be greater than 0")));
        case "addr", "laddr", "user" -> filter.text(kind, value);
        case "type" -> filter.type(value);
        case "skipme" -> skipsSelf = !value.equalsIgnoreCase("no");
        default -> {
          out.error(SYNTAX);
          return;
        }
      }
    }
    boolean keepsSelf = skipsSelf;
    session.whenDone(
        service.reports().report(() -> kill(filter, session, keepsSelf)),
        killed -> {
          if (killed.self()) {
            session.end();
          }
          if (!byAddress) {
            out.integer(killed.count());
          } else if (killed.count() > 0) {
            out.simple("OK");
          } else {
            out.error("ERR No such client");
          }
        });
  }

  /**
   * The connections that a command closes.
   *
   * @param count how many
   * @param self whether its own is one of them, which ends with the answer
   */
  private record Killed(int count, boolean self) {}

  private Killed kill(ClientFilter filter, RedisSession self, boolean keepsSelf) {
    List<RedisSession> killed = filter.select(sessions);
    boolean hasSelf = killed.remove(self);
    killed.forEach(each -> each.connection().close());
    return new Killed(killed.size() + (hasSelf && !keepsSelf ? 1 : 0), hasSelf && !keepsSelf);
  }
}
