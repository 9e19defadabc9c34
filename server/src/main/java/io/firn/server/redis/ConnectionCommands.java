package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The commands about the connection itself. */
final class ConnectionCommands {

  private static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{0,100}");

  /** The clients that take integers for the numbers of JavaScript, by what they tell of them. */
  private static final Pattern ROUNDS_INTEGERS = Pattern.compile("(node-redis|ioredis)(\\(.*)?");

  private static final Logger LOG = System.getLogger("io.firn.server");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,9}");

  private final Service service;
  private final Set<String> noted = ConcurrentHashMap.newKeySet();

  ConnectionCommands(Service service) {
    this.service = service;
  }

  List<RedisCommand> all() {
    return List.of(
        RedisCommand.of("ping", -1, "Answers.", this::ping),
        RedisCommand.of("echo", 2, "Says the same.", (c, s, out) -> out.bulk(c.bytes(1))),
        RedisCommand.of("select", 2, "There is one database, 0.", this::select),
        RedisCommand.of("client", -2, "Names this connection.", this::client),
        RedisCommand.open("hello", -1, "Agrees on a version of the protocol.", this::hello),
        RedisCommand.open("auth", -2, "Says who asks.", this::auth),
        RedisCommand.open("quit", -1, "Ends the connection.", this::quit));
  }

  private void ping(RespDecoder command, RedisSession session, RespWriter out) {
    if (command.count() == 1) {
      out.simple("PONG");
    } else if (command.count() == 2) {
      out.bulk(command.bytes(1));
    } else {
      out.error("ERR wrong number of arguments for 'ping' command");
    }
  }

  private void select(RespDecoder command, RedisSession session, RespWriter out) {
    String database = command.text(1);
    if (!NUMBER.matcher(database).matches()) {
      out.error("ERR value is not an integer or out of range");
    } else if (Integer.parseInt(database) != 0) {
      out.error("ERR DB index is out of range");
    } else {
      out.simple("OK");
    }
  }

  private void client(RespDecoder command, RedisSession session, RespWriter out) {
    String subcommand = command.text(1).toLowerCase(Locale.ROOT);
    int arguments = command.count() - 2;
    switch (subcommand + "/" + arguments) {
      case "id/0" -> out.integer(session.id());
      case "getname/0" -> getName(session, out);
      case "setname/1" -> setName(command.text(2), session, out);
      case "setinfo/2" -> setInfo(command, session, out);
      default -> refuseClient(command, subcommand, out);
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
    if (NAME.matcher(name).matches()) {
      session.name(name);
      out.simple("OK");
    } else {
      out.error("ERR Client names cannot contain spaces, newlines or special characters.");
    }
  }

  private void setInfo(RespDecoder command, RedisSession session, RespWriter out) {
    String attribute = command.text(2).toLowerCase(Locale.ROOT);
    if (!attribute.equals("lib-name") && !attribute.equals("lib-ver")) {
      out.error("ERR Unrecognized option '" + command.text(2) + "'");
    } else if (!NAME.matcher(command.text(3)).matches()) {
      out.error("ERR " + attribute + " cannot contain spaces, newlines or special characters.");
    } else {
      if (attribute.equals("lib-name")) {
        meet(command.text(3), session, out);
      }
      out.simple("OK");
    }
  }

  /** Has IDs written as strings to a client that would round them. */
  private void meet(String library, RedisSession session, RespWriter out) {
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

  private static void refuseClient(RespDecoder command, String subcommand, RespWriter out) {
    out.error(
        List.of("id", "getname", "setname", "setinfo").contains(subcommand)
            ? "ERR wrong number of arguments for 'client|" + subcommand + "' command"
            : "ERR unknown subcommand '" + command.text(1) + "'. Try CLIENT HELP.");
  }

  private void auth(RespDecoder command, RedisSession session, RespWriter out) {
    if (command.count() > 3) {
      out.error("ERR syntax error");
    } else if (command.count() == 2 && service.callers().anonymous().isPresent()) {
      out.error(
          "ERR AUTH <password> called without any password configured for the default user. Are"
              + " you sure your configuration is correct?");
    } else if (authenticate(command, command.count() == 2 ? 0 : 1, session, out)) {
      out.simple("OK");
    }
  }

  /** With the user at that argument and the token behind it; 0 for no user. */
  private boolean authenticate(
      RespDecoder command, int user, RedisSession session, RespWriter out) {
    String name = user == 0 ? "default" : command.text(user);
    String token = command.text(user == 0 ? 1 : user + 1);
    Optional<Caller> caller =
        service
            .callers()
            .find(token, session.client())
            .or(() -> service.callers().anonymous())
            .filter(found -> name.equals("default") || name.equals(found.name()));
    caller.ifPresentOrElse(
        session::caller,
        () -> {
          session.wrongToken();
          out.error(
              RequestException.Kind.UNAUTHENTICATED,
              "WRONGPASS invalid username-password pair or user is disabled.");
        });
    return caller.isPresent();
  }

  private void hello(RespDecoder command, RedisSession session, RespWriter out) {
    int version = out.version();
    if (command.count() > 1) {
      String text = command.text(1);
      if (!NUMBER.matcher(text).matches()) {
        out.error("ERR Protocol version is not an integer or out of range");
        return;
      }
      version = Integer.parseInt(text);
      if (version != 2 && version != 3) {
        out.error("NOPROTO unsupported protocol version");
        return;
      }
    }
    if (helloOptions(command, session, out)) {
      out.version(version);
      greet(session, out);
    }
  }

  private boolean helloOptions(RespDecoder command, RedisSession session, RespWriter out) {
    String name = session.name();
    for (int i = 2; i < command.count(); ) {
      String option = command.text(i).toLowerCase(Locale.ROOT);
      int left = command.count() - i - 1;
      if (option.equals("auth") && left >= 2) {
        if (!authenticate(command, i + 1, session, out)) {
          return false;
        }
        i += 3;
      } else if (option.equals("setname") && left >= 1) {
        name = command.text(i + 1);
        i += 2;
      } else {
        out.error("ERR Syntax error in HELLO option '" + command.text(i) + "'");
        return false;
      }
    }
    if (session.caller() == null) {
      out.error(
          RequestException.Kind.UNAUTHENTICATED,
          "NOAUTH HELLO must be called with the client already authenticated, otherwise the HELLO"
              + " <proto> AUTH <user> <pass> option can be used to authenticate the client and"
              + " select the RESP protocol version at the same time");
      return false;
    }
    if (!NAME.matcher(name).matches()) {
      out.error("ERR Client names cannot contain spaces, newlines or special characters.");
      return false;
    }
    session.name(name);
    return true;
  }

  private static void greet(RedisSession session, RespWriter out) {
    out.map(7);
    out.bulk("server");
    out.bulk("firn");
    out.bulk("version");
    out.bulk(ServerCommands.version());
    out.bulk("proto");
    out.integer(out.version());
    out.bulk("id");
    out.integer(session.id());
    out.bulk("mode");
    out.bulk("standalone");
    out.bulk("role");
    out.bulk("master");
    out.bulk("modules");
    out.array(0);
  }

  private void quit(RespDecoder command, RedisSession session, RespWriter out) {
    out.simple("OK");
    session.end();
  }
}
