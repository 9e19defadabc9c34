package io.firn.server.redis;

import io.firn.server.RequestException;
import io.firn.server.Service;
import io.firn.server.config.Limits;
import java.util.List;

/**
 * MULTI, EXEC and what belongs to them. EXEC answers with the replies of all commands; IDs of other
 * clients may be issued between them.
 */
final class TransactionCommands {

  private final Service service;

  TransactionCommands(Service service) {
    this.service = service;
  }

  List<RedisCommand> all() {
    return List.of(
        RedisCommand.of("multi", 1, "Begins a transaction.", this::multi).atOnce(),
        RedisCommand.of("exec", 1, "Executes it.", TransactionCommands::exec).atOnce(),
        RedisCommand.of("discard", 1, "Forgets it.", TransactionCommands::discard).atOnce(),
        RedisCommand.of("watch", -2, "Refused: IDs are not kept.", TransactionCommands::watch)
            .atOnce(),
        RedisCommand.of("unwatch", 1, "Does nothing.", (c, s, out) -> out.simple("OK")).queued());
  }

  private void multi(RespDecoder command, RedisSession session, RespWriter out) {
    if (session.transaction() != null) {
      out.error("ERR MULTI calls can not be nested");
      return;
    }
    Limits limits = service.config().limits();
    session.begin(new Transaction(limits.requestBytes(), limits.count()));
    out.simple("OK");
  }

  private static void exec(RespDecoder command, RedisSession session, RespWriter out) {
    Transaction transaction = session.endTransaction();
    if (transaction == null) {
      out.error("ERR EXEC without MULTI");
    } else if (transaction.isSpoiled()) {
      out.error("EXECABORT Transaction discarded because of previous errors.");
    } else {
      out.array(transaction.commands());
      session.execute(transaction);
    }
  }

  private static void discard(RespDecoder command, RedisSession session, RespWriter out) {
    if (session.endTransaction() == null) {
      out.error("ERR DISCARD without MULTI");
    } else {
      out.simple("OK");
    }
  }

  private static void watch(RespDecoder command, RedisSession session, RespWriter out) {
    throw new RequestException(
        RequestException.Kind.BAD_REQUEST,
        "WATCH: not for IDs (expected: MULTI without it; every INCR issues a new ID, to"
            + " any client)");
  }
}
