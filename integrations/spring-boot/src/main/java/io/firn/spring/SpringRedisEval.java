package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.redis.RedisEval;
import io.firn.store.StoreException;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.IntegerOutput;
import java.util.List;
import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.data.redis.connection.RedisClusterConnection;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.ReturnType;
import org.springframework.data.redis.connection.lettuce.LettuceConnection;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

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
      String link = replicas == 0 ? "" : linkBefore(connection);
      List<byte[]> reply =
          connection
              .scriptingCommands()
              .eval(script.getBytes(UTF_8), ReturnType.MULTI, keys.size(), keysAndArgs);
      if (replicas > 0) {
        requireReplicas(connection, link);
      }
      return texts(reply);
    }
  }

  /** A failure here means that the script has not run. */
  private String linkBefore(RedisConnection connection) {
    if (isLettuce(connection) && Lettuce.readsFromReplicas(connections)) {
      throw new StoreException(
          "The application's client reads from replicas and cannot wait for "
              + replicas
              + " of them; set an address in firn.store");
    }
    try {
      number(connection, "WAIT", "0", "1"); // without this right a write would be applied in vain
      return link(connection);
    } catch (RuntimeException e) {
      throw new StoreException("no connection to Redis", e);
    }
  }

  /**
   * Returns the number of the connection and the run of the server that gave it. A client that
   * connected again between two equal answers would have another number.
   */
  private static String link(RedisConnection connection) {
    Properties server = connection.serverCommands().info("server");
    return number(connection, "CLIENT", "ID") + "/" + server.getProperty("run_id");
  }

  /** Follows the script; it has run even if this fails. */
  private void requireReplicas(RedisConnection connection, String link) {
    Object count = number(connection, "WAIT", "" + replicas, "" + waitMillis);
    if (!link(connection).equals(link)) {
      throw new IllegalStateException(
          "The client connected again between the write and WAIT " + replicas);
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

  private static @Nullable Object number(
      RedisConnection connection, String command, String... arguments) {
    byte[][] bytes =
        Stream.of(arguments).map(argument -> argument.getBytes(UTF_8)).toArray(byte[][]::new);
    return isLettuce(connection)
        ? Lettuce.number(connection, command, bytes)
        : connection.execute(command, bytes);
  }

  private static boolean isLettuce(RedisConnection connection) {
    return connection.getClass().getSimpleName().equals("LettuceConnection");
  }

  private static final class Lettuce {

    /** Spring treats the reply of an unknown command as text by default. */
    static @Nullable Object number(
        RedisConnection connection, String command, byte[]... arguments) {
      return ((LettuceConnection) connection)
          .execute(command, new IntegerOutput<>(ByteArrayCodec.INSTANCE), arguments);
    }

    /** Returns whether commands that write and those that do not may go to different servers. */
    static boolean readsFromReplicas(RedisConnectionFactory connections) {
      return connections instanceof LettuceConnectionFactory factory
          && factory
              .getClientConfiguration()
              .getReadFrom()
              .filter(from -> from != ReadFrom.UPSTREAM)
              .isPresent();
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
