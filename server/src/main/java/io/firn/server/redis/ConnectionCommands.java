package io.firn.server.redis;

import io.firn.server.Caller;
import io.firn.server.RequestException;
import io.firn.server.Service;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Pattern;

/** The commands about the connection itself. */
final class ConnectionCommands {

  static final Pattern NAME = Pattern.compile("[\\x21-\\x7e]{0,100}");

  private static final Logger LOG = System.getLogger("io.firn.server");
  private static final Pattern NUMBER = Pattern.compile("-?[0-9]{1,9}");

  private final Service service;
  private final AtomicBoolean notedDatabase = new AtomicBoolean();

  ConnectionCommands(Service service) {
    this.service = service;
  }

  List<RedisCommand> all() {
    return List.of(
        RedisCommand.of("ping", -1, "Answers PONG.", this::ping).queued(),
        RedisCommand.of("echo", 2, "Returns its argument.", (c, s, out) -> out.bulk(c.bytes(1)))
            .queued(),
        RedisCommand.of("select", 2, "There is one database, 0.", this::select).queued(),
        RedisCommand.open("reset", 1, "Resets the connection.", this::reset).atOnce(),
        RedisCommand.open("hello", -1, "Agrees on a version of the protocol.", this::hello),
        RedisCommand.open("auth", -2, "Authenticates the connection.", this::auth),
        RedisCommand.open("quit", -1, "Ends the connection.", this::quit).atOnce());
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
      if (!notedDatabase.getAndSet(true)) {
        LOG.log(
            Level.WARNING,
            () ->
                "redis: "
                    + session.client().getHostAddress()
                    + " asked for database "
                    + database
                    + " (expected: 0, the only one; some clients, node-redis among them, connect"
                    + " again until it is)");
      }
      out.error("ERR DB index is out of range (expected: 0, the only database)");
    } else {
      out.simple("OK");
    }
  }

  private void reset(RespDecoder command, RedisSession session, RespWriter out) {
    session.reset(service.callers().anonymous().orElse(null));
    String ids = service.config().redisIds();
    out.reset(
        ids.equals("strings")
            || (ids.equals("auto") && ClientCommands.roundsIntegers(session.library())));
    out.simple("RESET");
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

  /**
   * Authenticates a client with a token, or answers with an error.
   *
   * @param user the argument that is the user's name, before the token; 0 without one
   * @return whether the client may use the token
   */
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
      session.version(version);
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
      service.callers().noToken(session.client());
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
    out.bulk(Service.version());
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
