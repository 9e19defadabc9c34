package io.firn.server.redis;

/**
 * A command.
 *
 * @param name its name, in lower case
 * @param arity how many arguments it takes with its name; negative for at least so many
 * @param summary what it does
 * @param open whether it may be used by those who did not say who they are
 * @param body what it does
 */
record RedisCommand(String name, int arity, String summary, boolean open, Body body) {

  /** What a command does. */
  @FunctionalInterface
  interface Body {

    /**
     * Answers, or tells the session what will.
     *
     * @throws io.firn.FirnException to have it answered
     */
    void run(RespDecoder command, RedisSession session, RespWriter out);
  }

  static RedisCommand of(String name, int arity, String summary, Body body) {
    return new RedisCommand(name, arity, summary, false, body);
  }

  static RedisCommand open(String name, int arity, String summary, Body body) {
    return new RedisCommand(name, arity, summary, true, body);
  }

  boolean takes(int count) {
    return arity >= 0 ? count == arity : count >= -arity;
  }
}
