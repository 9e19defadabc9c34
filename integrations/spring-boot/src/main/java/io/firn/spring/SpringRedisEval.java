package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.redis.RedisEval;
import io.firn.store.StoreException;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;

/**
 * Scripts through Spring Data Redis, with whichever client the application has.
 *
 * @param replicas how many replicas acknowledge what a script wrote before it counts; 0 for none
 * @param waitMillis how long to wait for them
 */
record SpringRedisEval(RedisConnectionFactory connections, int replicas, long waitMillis)
    implements RedisEval {

  @Override
  public Object eval(String script, List<String> keys, List<String> args) {
    byte[][] keysAndArgs =
        Stream.concat(keys.stream(), args.stream())
            .map(text -> text.getBytes(UTF_8))
            .toArray(byte[][]::new);
    try (RedisConnection connection = connect()) {
      if (replicas > 0 && connection instanceof RedisClusterConnection) {
        throw new StoreException(
            "The application's client of a cluster cannot wait for "
                + replicas
                + " replicas; set an address in firn.store");
      }
      List<byte[]> reply =
          connection
              .scriptingCommands()
              .eval(script.getBytes(UTF_8), ReturnType.MULTI, keys.size(), keysAndArgs);
      requireReplicas(connection);
      return texts(reply);
    } catch (StoreException e) {
      throw e;
    } catch (RuntimeException e) {
      // Spring's own text precedes the text of Redis's error
      Throwable cause = NestedExceptionUtils.getMostSpecificCause(e);
      throw new IllegalStateException(cause.getMessage(), e);
    }
  }

  /** Follows the script on the same connection; the script has run even if this fails. */
  private void requireReplicas(RedisConnection connection) {
    if (replicas == 0) {
      return;
    }
    byte[][] arguments = {("" + replicas).getBytes(UTF_8), ("" + waitMillis).getBytes(UTF_8)};
    Object count;
    try {
      count =
          connection.getClass().getSimpleName().equals("LettuceConnection")
              ? LettuceWait.send(connection, arguments)
              : connection.execute("WAIT", arguments);
    } catch (RuntimeException e) { // no cause: a refusal of WAIT is none of the script
      throw new IllegalStateException("WAIT " + replicas + ": " + e.getMessage());
    }
    if (!(count instanceof Long acknowledged) || acknowledged < replicas) {
      throw new IllegalStateException(
          "The write was acknowledged in time by "
              + count
              + " of "
              + replicas
              + " replicas; bring them back, or lower replicas");
    }
  }

  /** Spring treats the reply of an unknown command as text by default. */
  private static final class LettuceWait {
    static @Nullable Object send(RedisConnection connection, byte[]... arguments) {
      return ((LettuceConnection) connection)
          .execute("WAIT", new IntegerOutput<>(ByteArrayCodec.INSTANCE), arguments);
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
      throw new IllegalStateException(
          "The script got no reply, as inside of MULTI; call Firn outside of it");
    }
    return reply.stream().map(bytes -> new String(bytes, UTF_8)).toList();
  }
}
