package io.firn.server.redis;

import io.firn.FirnException;
import io.firn.server.Caller;
import io.firn.server.Namespaces;
import io.firn.server.OpenNamespace;
import io.firn.server.RequestException;
import io.firn.server.Service;
import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/** The commands. Errors read like those of Redis where Redis has the like. */
final class RedisCommands {

  private static final int INCR = 'i' << 24 | 'n' << 16 | 'c' << 8 | 'r';

  /** The number of IDs that one reservation draws. */
  private static final int MAX_RUN = 1024;

  private static final int MAX_SHOWN = 128;
  private static final int MAX_COMMAND_LENGTH = 32;

  private static final List<String> COUNTING =
      List.of("incrbyfloat", "decr", "decrby", "hincrby", "zincrby");

  private static final List<String> KEEPING =
      List.of(
          "get",
          "set",
          "setnx",
          "setex",
          "psetex",
          "getset",
          "getex",
          "getdel",
          "mget",
          "mset",
          "msetnx",
          "append",
          "del",
          "unlink",
          "expire",
          "pexpire",
          "persist",
          "rename",
          "eval",
          "evalsha",
          "flushdb",
          "flushall");

  private static final Logger LOG = System.getLogger("io.firn.server");

  private final AtomicBoolean notedCounters = new AtomicBoolean();
  private final Service service;
  private final Namespaces namespaces;
  private final Map<String, RedisCommand> commands = new LinkedHashMap<>();

  /** One for each event loop: it is used for a run at a time. */
  private final FastThreadLocal<long[]> run =
      new FastThreadLocal<>() {
        @Override
        protected long[] initialValue() {
          return new long[MAX_RUN];
        }
      };

  RedisCommands(Service service, Map<Long, RedisSession> sessions) {
    this.service = service;
    namespaces = service.namespaces();
    add(RedisCommand.of("incr", 2, "The next ID of a namespace.", this::incr).queued());
    add(RedisCommand.of("next", -2, "The next IDs of a namespace.", this::next).queued());
    add(RedisCommand.of("done", 2, "Ends the scope of a draw, after the commit.", this::done));
    add(
        RedisCommand.of("incrby", 3, "The next ID of a namespace, by 1 only.", this::incrBy)
            .queued());
    for (String other : COUNTING) {
      add(
          RedisCommand.of(other, -2, "Refused: IDs are no counter.", this::refuseCounting)
              .atOnce());
    }
    for (String other : KEEPING) {
      add(RedisCommand.of(other, -1, "Refused: IDs are not kept.", this::refuseKeeping).atOnce());
    }
    for (String other : List.of("cluster", "readonly", "readwrite", "asking")) {
      add(
          RedisCommand.of(other, -1, "Refused: no cluster.", RedisCommands::refuseCluster)
              .atOnce());
    }
    add(
        RedisCommand.of("sentinel", -1, "Refused: no Sentinel.", RedisCommands::refuseSentinel)
            .atOnce());
    new TransactionCommands(service).all().forEach(this::add);
    new ConnectionCommands(service).all().forEach(this::add);
    add(new ClientCommands(service, sessions).command());
    new KeyCommands(service).all().forEach(this::add);
    new ServerCommands(service, commands).all().forEach(this::add);
  }

  private void add(RedisCommand command) {
    commands.put(command.name(), command);
  }

  /**
   * Answers INCR for the namespace that this connection asked for last, and each INCR like it that
   * has come already, with the IDs of one reservation. Like a command, it may leave its answers to
   * come later.
   *
   * @param most the largest answer
   * @return how many were answered; 0 if it must be executed in the ordinary way
   */
  int increment(RespDecoder command, ByteBuf in, RedisSession session, RespWriter out, int most) {
    if (command.count() != 2 || command.length(0) != 4 || command.lowerInt(0) != INCR) {
      return 0;
    }
    OpenNamespace namespace = session.last(command, 1);
    Caller caller = session.caller();
    if (namespace == null || caller == null || session.transaction() != null) {
      return 0;
    }
    int together = Math.min(most, Math.min(MAX_RUN, namespace.maxRun()));
    int limit = caller.hasRate() ? 1 : together; // of its rate, each takes its own
    int count = 1 + command.skipRepeats(in, limit - 1);
    try {
      namespaces.issue(caller, namespace, run.get(), count, session, ids -> out.ids(ids, 0, count));
    } catch (FirnException | IllegalStateException e) {
      refuse(out, e, count);
    }
    return count;
  }

  /** Executes a command: answers, or registers a pending answer with the session. */
  void execute(RespDecoder command, RedisSession session, RespWriter out) {
    Transaction transaction = session.transaction();
    int errors = out.errors();
    check(command, session, out);
    if (transaction != null && out.errors() > errors && !name(command).equals("multi")) {
      transaction.spoil();
    }
  }

  private void check(RespDecoder command, RedisSession session, RespWriter out) {
    String name = name(command);
    RedisCommand known = commands.get(name);
    if (session.caller() == null && (known == null || !known.open())) {
      service.callers().noToken(session.client());
      out.error(RequestException.Kind.UNAUTHENTICATED, "NOAUTH Authentication required.");
    } else if (known == null) {
      refuseUnknown(command, session, out);
    } else if (!known.takes(command.count())) {
      out.error("ERR wrong number of arguments for '" + name + "' command");
    } else if (session.transaction() == null
        || known.inTransaction() == RedisCommand.InTransaction.AT_ONCE) {
      run(known.body(), command, session, out);
    } else if (known.inTransaction() == RedisCommand.InTransaction.QUEUED) {
      run(this::queue, command, session, out);
    } else {
      out.error("ERR Command not allowed inside a transaction");
    }
  }

  private void queue(RespDecoder command, RedisSession session, RespWriter out) {
    boolean several = name(command).equals("next") && isCounted(command);
    int ids = several ? service.count("count", command.text(3)) : 1;
    Objects.requireNonNull(session.transaction()).add(command, ids);
    out.simple("QUEUED");
  }

  private static void run(
      RedisCommand.Body body, RespDecoder command, RedisSession session, RespWriter out) {
    try {
      body.run(command, session, out);
    } catch (FirnException | IllegalStateException e) {
      refuse(out, e, 1);
    }
  }

  private static String name(RespDecoder command) {
    return command.length(0) > MAX_COMMAND_LENGTH ? "" : command.text(0).toLowerCase(Locale.ROOT);
  }

  /** A web page can make a browser send lines to any port; its headers are taken for commands. */
  private static void refuseUnknown(RespDecoder command, RedisSession session, RespWriter out) {
    String name = command.text(0);
    if (name.equalsIgnoreCase("post") || name.equalsIgnoreCase("host:")) {
      session.end();
      return;
    }
    StringBuilder arguments = new StringBuilder();
    for (int i = 1; i < command.count() && arguments.length() < MAX_SHOWN; i++) {
      String text = command.text(i);
      int room = Math.min(text.length(), MAX_SHOWN - arguments.length());
      arguments.append('\'').append(text, 0, room).append("' ");
    }
    out.error(
        "ERR unknown command '"
            + name.substring(0, Math.min(MAX_SHOWN, name.length()))
            + "', with args beginning with: "
            + arguments
            + "(expected: INCR key, NEXT key COUNT n, or another of COMMAND LIST)");
  }

  private void incr(RespDecoder command, RedisSession session, RespWriter out) {
    issue(command, session, out, 1, false);
  }

  /** Handles the command that some clients, redis-py among them, send for INCR. */
  private void incrBy(RespDecoder command, RedisSession session, RespWriter out) {
    if (command.text(2).equals("1")) {
      incr(command, session, out);
    } else {
      refuseCounting(command, session, out);
    }
  }

  private void next(RespDecoder command, RedisSession session, RespWriter out) {
    boolean counted = isCounted(command);
    int options = counted ? 4 : 2;
    boolean scoped =
        command.count() == options + 2 && command.text(options).equalsIgnoreCase("scope");
    if (command.count() != options && !scoped) {
      throw new RequestException(
          RequestException.Kind.BAD_REQUEST,
          "syntax error (expected: NEXT key [COUNT n] [SCOPE milliseconds])");
    }
    int count = counted ? service.count("count", command.text(3)) : 1;
    if (scoped) {
      int millis = Service.scopeMillis("scope", command.text(options + 1));
      issueInScope(command.text(1), session, out, count, millis);
    } else {
      issue(command, session, out, count, counted);
    }
  }

  private static boolean isCounted(RespDecoder command) {
    return command.count() >= 4 && command.text(2).equalsIgnoreCase("count");
  }

  private void issueInScope(
      String key, RedisSession session, RespWriter out, int count, int millis) {
    namespaces.issueInScope(
        Objects.requireNonNull(session.caller()),
        key,
        count,
        millis,
        session,
        (scope, ids) -> {
          out.array(1 + count);
          out.bulk(scope);
          out.ids(ids, 0, count);
        });
  }

  private void done(RespDecoder command, RedisSession session, RespWriter out) {
    namespaces.endScope(Objects.requireNonNull(session.caller()), command.text(1));
    out.simple("OK");
  }

  private void issue(
      RespDecoder command, RedisSession session, RespWriter out, int count, boolean array) {
    OpenNamespace last = session.last(command, 1);
    String key = last == null ? command.text(1) : last.name();
    long[] ids = count <= MAX_RUN ? run.get() : new long[count];
    namespaces.issue(
        Objects.requireNonNull(session.caller()),
        key,
        ids,
        count,
        session,
        issued -> reply(out, issued, count, array));
    if (last == null) {
      session.last(command.bytes(1), namespaces.opened(key));
    }
  }

  private static void reply(RespWriter out, long[] ids, int count, boolean array) {
    if (array) {
      out.array(count);
    }
    out.ids(ids, 0, count);
  }

  private void refuseCounting(RespDecoder command, RedisSession session, RespWriter out) {
    String name = command.text(0).toUpperCase(Locale.ROOT);
    out.error(
        "ERR "
            + name
            + ": not for IDs (expected: INCR key, or NEXT key COUNT n; a namespace is not a counter"
            + " that clients can set)");
  }

  private static void refuseCluster(RespDecoder command, RedisSession session, RespWriter out) {
    out.error("ERR This instance has cluster support disabled");
  }

  private static void refuseSentinel(RespDecoder command, RedisSession session, RespWriter out) {
    throw new RequestException(
        RequestException.Kind.BAD_REQUEST,
        "SENTINEL: this server is not a Sentinel (expected: a client of one server, with this"
            + " address, or"
            + " with one that a load balancer gives several servers)");
  }

  /**
   * Refuses what clients send that keep a counter of their own: they would compute an ID from the
   * one that was issued, and someone else may have it.
   */
  private void refuseKeeping(RespDecoder command, RedisSession session, RespWriter out) {
    if (name(command).startsWith("set") && !notedCounters.getAndSet(true)) {
      LOG.log(
          Level.WARNING,
          () ->
              "redis: "
                  + session.client().getHostAddress()
                  + " sent "
                  + command.text(0).toUpperCase(Locale.ROOT)
                  + ", as RedisAtomicLong of Spring and RAtomicLong of Redisson do; their"
                  + " getAndIncrement() returns an ID that was never issued to them: use"
                  + " incrementAndGet(), or INCR");
    }
    out.error(
        "ERR "
            + command.text(0).toUpperCase(Locale.ROOT)
            + ": not for IDs (expected: INCR key; an ID is issued once and not stored; the number"
            + " below it"
            + " may belong to another client)");
  }

  /** Writes the same error for each of several commands. */
  static void refuse(RespWriter out, Throwable failure, int count) {
    RequestException refusal = RequestException.of(failure);
    for (int i = 0; i < count; i++) {
      out.error(refusal.kind(), text(refusal));
    }
  }

  /** Returns the text of an error, which begins with its code. */
  static String text(RequestException refusal) {
    String code =
        switch (refusal.kind()) {
          case BAD_REQUEST, NOT_FOUND, CONFLICT -> "ERR ";
          case UNAUTHENTICATED -> "NOAUTH ";
          case FORBIDDEN -> "NOPERM ";
          case TOO_MANY, UNAVAILABLE -> "TRYAGAIN ";
        };
    return code + refusal.getMessage();
  }
}
