package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.redis.RedisEval;
import io.firn.store.StoreException;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;

/** Scripts through Spring Data Redis, with whichever client the application has. */
record SpringRedisEval(RedisConnectionFactory connections) implements RedisEval {

  @Override
  public Object eval(String script, List<String> keys, List<String> args) {
    byte[][] keysAndArgs =
        Stream.concat(keys.stream(), args.stream())
            .map(text -> text.getBytes(UTF_8))
            .toArray(byte[][]::new);
    try (RedisConnection connection = connect()) {
      List<byte[]> reply =
          connection
              .scriptingCommands()
              .eval(script.getBytes(UTF_8), ReturnType.MULTI, keys.size(), keysAndArgs);
      return texts(reply);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException e) {
      // Spring's own words stand before those by which Redis tells what it did not do
      Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
      throw new IllegalStateException(cause.getMessage(), e);
    }
  }

  private RedisConnection connect() {
    try {
      return connections.getConnection();
    } catch (RuntimeException e) {
      throw new StoreException("no connection to Redis", e);
    }
  }

  private static List<String> texts(@Nullable List<byte[]> reply) {
    if (reply == null) {
      throw new IllegalStateException("eval: no reply (expected: a list, outside transactions)");
    }
    return reply.stream().map(bytes -> new String(bytes, UTF_8)).toList();
  }
}
