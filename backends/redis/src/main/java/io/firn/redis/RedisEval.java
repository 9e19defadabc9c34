package io.firn.redis;

import java.util.List;

/**
 * The command {@code EVAL} of a Redis client: all that the store needs of it. With Jedis it is
 * {@code jedis::eval}. Thread-safe, as the store is.
 */
@FunctionalInterface
public interface RedisEval {

  /**
   * Runs a script on the primary. Text travels as UTF-8. A client should not send a script again
   * when it lost the connection: its second attempt would be a conflict with its first. (Leases
   * tolerate that, because a holder recognizes its own record.)
   *
   * @return the script's reply: a {@code List} of {@code String}
   * @throws io.firn.store.StoreException if the script certainly did not run and never will
   * @throws RuntimeException if anything else went wrong; a write is then taken to be possible.
   *     That includes what Redis refuses: it may refuse the second attempt, and have run the first
   */
  Object eval(String script, List<String> keys, List<String> args);
}
