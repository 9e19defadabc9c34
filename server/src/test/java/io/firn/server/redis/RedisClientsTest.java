package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.firn.server.RunningServer;
import io.firn.server.SnowflakeStatus;
import io.firn.testservers.InstalledProgram;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerListOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.ProtocolVersion;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import redis.clients.jedis.DefaultJedisClientConfig;
import redis.clients.jedis.HostAndPort;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.RedisProtocol;
import redis.clients.jedis.Response;
import redis.clients.jedis.exceptions.JedisDataException;

/** Clients that were made for Redis and know nothing of Firn. */
final class RedisClientsTest {

  private static final String TOKEN = "a-token-for-clients";

  private static RunningServer server;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    Path file = Files.writeString(directory.resolve("token"), TOKEN);
    server =
        RunningServer.start(
            "redis", io.firn.server.redis.RedisProtocol::new, "token-file: " + file);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void servesLettuce(ProtocolVersion version) throws Exception {
    RedisURI uri =
        RedisURI.builder()
            .withHost("127.0.0.1")
            .withPort(server.address().getPort())
            .withPassword(TOKEN.toCharArray())
            .withClientName("lettuce")
            .withDatabase(0)
            .build();
    RedisClient client = RedisClient.create(uri);
    client.setOptions(io.lettuce.core.ClientOptions.builder().protocolVersion(version).build());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      assertThat(connection.sync().ping()).isEqualTo("PONG");
      assertThat(connection.sync().clientGetname()).isEqualTo("lettuce");
      assertThat(grow(lettucePipeline(connection))).isTrue();
      assertThat(lettuceNext(connection)).hasSize(500).isSorted().doesNotHaveDuplicates();
      assertThatThrownBy(() -> connection.sync().incrby("orders", 5))
          .hasMessageStartingWith("ERR INCRBY: not for IDs");
      assertThatThrownBy(() -> connection.sync().get("orders"))
          .hasMessageStartingWith("ERR GET: not for IDs (expected: INCR key;");
      assertThatThrownBy(() -> connection.sync().strlen("orders"))
          .hasMessage("ERR unknown command 'STRLEN', with args beginning with: 'orders' ");
    } finally {
      client.shutdown();
    }
  }

  private static List<Long> lettucePipeline(StatefulRedisConnection<String, String> connection)
      throws Exception {
    List<RedisFuture<Long>> futures =
        Stream.generate(() -> connection.async().incr("orders")).limit(2000).toList();
    List<Long> ids = new ArrayList<>();
    for (RedisFuture<Long> future : futures) {
      ids.add(future.get());
    }
    return ids;
  }

  private static List<Long> lettuceNext(StatefulRedisConnection<String, String> connection) {
    return connection
        .sync()
        .dispatch(
            () -> "NEXT".getBytes(StandardCharsets.US_ASCII),
            new IntegerListOutput<>(StringCodec.UTF8),
            new CommandArgs<>(StringCodec.UTF8).addKey("orders").add("COUNT").add(500));
  }

  private static boolean grow(List<Long> ids) {
    for (int i = 1; i < ids.size(); i++) {
      if (ids.get(i - 1) >= ids.get(i)) {
        return false;
      }
    }
    return !ids.isEmpty();
  }

  @ParameterizedTest
  @EnumSource(RedisProtocol.class)
  void servesJedis(RedisProtocol protocol) {
    try (Jedis jedis =
        new Jedis(
            new HostAndPort("127.0.0.1", server.address().getPort()),
            DefaultJedisClientConfig.builder()
                .password(TOKEN)
                .clientName("jedis")
                .protocol(protocol)
                .build())) {
      assertThat(jedis.ping("there")).isEqualTo("there");
      assertThat(jedis.clientGetname()).isEqualTo("jedis");
      assertThat(grow(List.of(jedis.incr("orders"), jedis.incr("orders")))).isTrue();
      Pipeline pipeline = jedis.pipelined();
      List<Response<Long>> responses =
          Stream.generate(() -> pipeline.incr("orders")).limit(2000).toList();
      pipeline.sync();
      assertThat(grow(responses.stream().map(Response::get).toList())).isTrue();
      assertThat(jedis.info()).contains("namespace_orders:state=open");
      assertThatThrownBy(() -> jedis.incrBy("orders", 5))
          .isInstanceOf(JedisDataException.class)
          .hasMessageStartingWith("ERR INCRBY: not for IDs");
    }
  }

  @Test
  void servesJedisFromAnAddress() {
    URI uri = URI.create("redis://:" + TOKEN + "@127.0.0.1:" + server.address().getPort() + "/0");
    try (Jedis jedis = new Jedis(uri)) {
      assertThat(jedis.incr("orders")).isPositive();
    }
  }

  static boolean redisBenchmarkIsInstalled() {
    return new InstalledProgram("redis-benchmark", "redis-tools", "FIRN_REQUIRE_REDIS_TOOLS")
        .isInstalled();
  }

  @Test
  @EnabledIf("redisBenchmarkIsInstalled")
  void servesRedisBenchmark() throws Exception {
    List<String> command = new ArrayList<>(List.of("redis-benchmark", "-a", TOKEN, "-q"));
    command.addAll(List.of("-p", "" + server.address().getPort()));
    command.addAll(List.of("-c", "20", "-n", "20000", "-P", "16", "INCR", "benchmark"));
    Process benchmark = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(benchmark.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(benchmark.waitFor()).as(out).isZero();
    assertThat(server.server().service().namespaces().statuses())
        .filteredOn(status -> status.name().equals("benchmark"))
        .singleElement()
        .asInstanceOf(type(SnowflakeStatus.class))
        .satisfies(status -> assertThat(status.stats().issued()).isEqualTo(20_000));
  }
}
