package io.firn.server.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.InstanceOfAssertFactories.type;

import io.firn.server.RunningServer;
import io.firn.server.SnowflakeStatus;
import io.firn.testservers.InstalledProgram;
import io.lettuce.core.ReadFrom;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.TransactionResult;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.masterreplica.MasterReplica;
import io.lettuce.core.masterreplica.StatefulRedisMasterReplicaConnection;
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
import redis.clients.jedis.AbstractTransaction;
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
          .hasMessage(
              "ERR unknown command 'STRLEN', with args beginning with: 'orders' (expected: INCR key,"
                  + " NEXT key COUNT n, or another of COMMAND LIST)");
    } finally {
      client.shutdown();
    }
  }

  /** As Spring's {@code multi()} and Lettuce's own users do. */
  @ParameterizedTest
  @EnumSource(ProtocolVersion.class)
  void servesTransactionsOfLettuce(ProtocolVersion version) {
    RedisClient client = RedisClient.create(lettuceUri());
    client.setOptions(io.lettuce.core.ClientOptions.builder().protocolVersion(version).build());
    try (StatefulRedisConnection<String, String> connection = client.connect()) {
      connection.sync().multi();
      for (int i = 0; i < 100; i++) {
        connection.async().incr("user:id");
      }
      TransactionResult result = connection.sync().exec();
      assertThat(grow(result.stream().map(Long.class::cast).toList())).isTrue();
      assertThat(result.size()).isEqualTo(100);
      connection.sync().multi();
      connection.async().get("orders");
      assertThatThrownBy(() -> connection.sync().exec()).hasMessageStartingWith("EXECABORT ");
    } finally {
      client.shutdown();
    }
  }

  /** Asks ROLE and INFO for what is a primary and what a replica. */
  @Test
  void servesLettuceThatLooksForAPrimaryAndReplicas() {
    RedisClient client = RedisClient.create();
    try (StatefulRedisMasterReplicaConnection<String, String> connection =
        MasterReplica.connect(client, StringCodec.UTF8, lettuceUri())) {
      connection.setReadFrom(ReadFrom.REPLICA_PREFERRED);
      assertThat(connection.sync().incr("orders")).isPositive();
      assertThat(connection.sync().info()).contains("redis_version:");
    } finally {
      client.shutdown();
    }
  }

  @Test
  void refusesLettuceOfAClusterAtOnce() {
    RedisClusterClient client = RedisClusterClient.create(lettuceUri());
    try {
      assertThatThrownBy(client::connect)
          .hasStackTraceContaining("This instance has cluster support disabled");
    } finally {
      client.shutdown();
    }
  }

  private static RedisURI lettuceUri() {
    return RedisURI.builder()
        .withHost("127.0.0.1")
        .withPort(server.address().getPort())
        .withPassword(TOKEN.toCharArray())
        .build();
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

  @Test
  void servesTransactionsOfJedis() {
    URI uri = URI.create("redis://:" + TOKEN + "@127.0.0.1:" + server.address().getPort() + "/0");
    try (Jedis jedis = new Jedis(uri);
        AbstractTransaction transaction = jedis.multi()) {
      List<Response<Long>> ids =
          Stream.generate(() -> transaction.incr("user:id")).limit(100).toList();
      transaction.exec();
      assertThat(grow(ids.stream().map(Response::get).toList())).isTrue();
    }
  }

  static boolean redisPyIsInstalled() throws Exception {
    InstalledProgram python =
        new InstalledProgram("python3", "python3-redis", "FIRN_REQUIRE_CLIENTS");
    return python.isInstalled()
        && new ProcessBuilder("python3", "-c", "import redis").start().waitFor() == 0;
  }

  /** Its pipelines are transactions unless told otherwise. */
  @Test
  @EnabledIf("redisPyIsInstalled")
  void servesRedisPy() throws Exception {
    String script =
        """
        import redis, sys
        firn = redis.Redis(port=int(sys.argv[1]), password=sys.argv[2])
        assert firn.ping()
        ids = [firn.incr("user:id")]
        with firn.pipeline() as pipeline:
            for _ in range(2000):
                pipeline.incr("user:id")
            ids += pipeline.execute()
        assert len(set(ids)) == 2001 and ids == sorted(ids)
        scope, first, second = firn.execute_command("NEXT", "user:id", "COUNT", 2, "SCOPE", 5000)
        assert first < second and firn.execute_command("DONE", scope) == b"OK"
        assert firn.info()["redis_version"] == "7.0.0"
        assert firn.info("replication")["role"] == "master"
        assert firn.info("keyspace")["db0"]["keys"] >= 1
        assert list(firn.scan_iter("user:*")) == [b"user:id"]
        assert firn.dbsize() >= 1 and firn.exists("user:id") == 1
        assert firn.type("user:id") == b"string" and firn.ttl("user:id") == -1
        assert firn.time()[0] > 1_700_000_000
        assert firn.config_get("data*") == {"databases": "1"}
        assert firn.role()[0] == b"master"
        assert "incr" in firn.command()
        assert firn.module_list() == [] and firn.slowlog_len() == 0
        named = redis.Redis(port=int(sys.argv[1]), password=sys.argv[2], client_name="named")
        named.ping()
        clients = {each["name"]: each for each in firn.client_list()}
        assert clients["named"]["db"] == "0"
        assert firn.client_kill_filter(_id=clients["named"]["id"]) == 1
        for call in (lambda: firn.set("user:id", 5, nx=True), lambda: firn.get("user:id"),
                     lambda: firn.eval("return 1", 0), lambda: firn.incr("user:id", 5)):
            try:
                call()
                sys.exit("let through")
            except redis.ResponseError as e:
                assert "not for IDs (expected: INCR key" in str(e), e
        print("ok")
        """;
    assertThat(output(List.of("python3", "-c", script, "" + server.address().getPort(), TOKEN)))
        .isEqualTo("ok\n");
  }

  private static String output(List<String> command) throws Exception {
    Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(out).isZero();
    return out;
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
    output(command);
    assertThat(server.server().service().namespaces().statuses())
        .filteredOn(status -> status.name().equals("benchmark"))
        .singleElement()
        .asInstanceOf(type(SnowflakeStatus.class))
        .satisfies(status -> assertThat(status.stats().issued()).isEqualTo(20_000));
  }

  /** Its own test of INCR, whose key has a colon. */
  @Test
  @EnabledIf("redisBenchmarkIsInstalled")
  void servesTheIncrTestOfRedisBenchmark() throws Exception {
    List<String> command = new ArrayList<>(List.of("redis-benchmark", "-a", TOKEN, "--csv"));
    command.addAll(List.of("-p", "" + server.address().getPort()));
    command.addAll(List.of("-c", "5", "-n", "2000", "-t", "incr"));
    assertThat(output(command)).contains("\"INCR\"").doesNotContain("ERR", "WARNING: Could");
  }

  @Test
  @EnabledIf("redisBenchmarkIsInstalled")
  void servesRedisCli() throws Exception {
    String port = "" + server.address().getPort();
    String address = "redis://default:" + TOKEN + "@127.0.0.1:" + port;
    assertThat(output(List.of("redis-cli", "--no-auth-warning", "-u", address, "INCR", "user:id")))
        .matches("[0-9]+\n");
    assertThat(output(List.of("redis-cli", "--no-auth-warning", "-u", address, "--scan")))
        .contains("user:id\n");
  }
}
