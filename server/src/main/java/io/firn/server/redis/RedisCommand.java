package io.firn.server.redis;

/**
 * A command.
 *
 * @param name its name, in lower case
 * @param arity the number of arguments with its name; negative for at least that number
 * @param summary its description
 * @param open whether it may be used without authentication
 * @param inTransaction what becomes of it between MULTI and EXEC
 * @param body its action
 */
record RedisCommand(
    String name, int arity, String summary, boolean open, InTransaction inTransaction, Body body) {

  /** The ways to treat a command between MULTI and EXEC. */
  enum InTransaction {
    /** It is kept, and executed by EXEC. */
    QUEUED,
    /** It is executed at once. */
    AT_ONCE,
    /** It is refused. Its answer may be long. */
    REFUSED
  }

  /** The work of a command. */
  @FunctionalInterface
  interface Body {

    /**
     * Answers, or registers a pending answer with the session.
     *
     * @throws io.firn.FirnException to have it answered
     */
    void run(RespDecoder command, RedisSession session, RespWriter out);
  }

  static RedisCommand of(String name, int arity, String summary, Body body) {
    return new RedisCommand(name, arity, summary, false, InTransaction.REFUSED, body);
  }

  static RedisCommand open(String name, int arity, String summary, Body body) {
    return new RedisCommand(name, arity, summary, true, InTransaction.REFUSED, body);
  }

  /** Returns this command, kept between MULTI and EXEC. */
  RedisCommand queued() {
    return new RedisCommand(name, arity, summary, open, InTransaction.QUEUED, body);
  }

  /** Returns this command, executed at once between MULTI and EXEC. */
  RedisCommand atOnce() {
    return new RedisCommand(name, arity, summary, open, InTransaction.AT_ONCE, body);
  }

  boolean takes(int count) {
    return arity >= 0 ? count == arity : count >= -arity;
  }
}
