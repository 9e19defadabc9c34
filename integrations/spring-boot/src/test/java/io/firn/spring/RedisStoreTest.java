package io.firn.spring;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.redis.RedisRegisterStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testkit.CuttingProxy;
import io.firn.testkit.LogLines;
import io.firn.testservers.RedisServer;
import io.lettuce.core.ReadFrom;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

final class RedisStoreTest {

  private static final String BLOCKED_CLIENTS =
      "EVAL \"return tonumber(string.match("
          + "redis.call('INFO','clients'),'blocked_clients:(%d+)'))\" 0";

  @Test
  void leasesOverTheApplicationsConnection() {
    try (RedisServer redis = RedisServer.start()) {
      application(redis)
          .run(
              context -> {
                assertThat(context.getBean(IdGenerator.class).nextId()).isPositive();
                RegisterStore store = context.getBean(RegisterStore.class);
                assertThat(store).isInstanceOf(RedisRegisterStore.class);
                assertThat(Namespace.of(store, "default").workers()).hasSize(1);
              });
    }
  }

  @Test
  void countsOverTheApplicationsConnection() {
    try (RedisServer redis = RedisServer.start()) {
      ApplicationContextRunner application =
          application(redis)
              .withPropertyValues(
                  "firn.store=redis:?may-forget=false",
                  "firn.namespaces.invoices.type=segment",
                  "firn.namespaces.invoices.max-wait=20s");
      application.run(
          context -> assertThat(context.getBean(IdGenerator.class).nextId()).isEqualTo(1));
      application.run(
          context -> assertThat(context.getBean(IdGenerator.class).nextId()).isEqualTo(2));
    }
  }

  @Test
  void textSurvivesAndConflictsAreReported() {
    try (RedisServer redis = RedisServer.start()) {
      application(redis)
          .run(
              context -> {
                RegisterStore store = context.getBean(RegisterStore.class);
                long version = store.compareAndSet("ä/1", 0, "日本 \ud83d\ude00").version();
                assertThat(store.compareAndSet("ä/1", 0, "x")).isEqualTo(WriteResult.CONFLICT);
                assertThat(store.scan("ä"))
                    .containsExactly(new Register("ä/1", version, "日本 \ud83d\ude00"));
                assertThat(store.currentTimeMillis()).isPresent();
                assertThat(store.mayForget()).isTrue();
              });
    }
  }

  /** Lettuce may have sent it before, to a server that applied it. */
  @Test
  void writeThatRedisRejectsIsUnknown() {
    try (RedisServer redis = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(redis)) {
      application(replica)
          .withPropertyValues(
              "firn.store=redis:?allow-counters=true", "firn.namespaces.invoices.type=segment")
          .run(
              context -> {
                RegisterStore store = context.getBean(RegisterStore.class);
                try (LogLines log = new LogLines(RedisRegisterStore.class.getName())) {
                  assertThat(store.compareAndSet("a", 0, "b")).isEqualTo(WriteResult.UNKNOWN);
                  assertThat(log.messages())
                      .anyMatch(
                          message ->
                              message.contains(
                                  " ms: READONLY You can't write against a read only replica"));
                }
              });
    }
  }

  @Test
  void aRedisThatIsDownIsNamedAtTheStart() {
    RedisServer redis = RedisServer.start();
    redis.close();
    application(redis)
        .withPropertyValues("firn.acquire-timeout=1s")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("Store redis:firn:registers failed after "));
  }

  @Test
  void settingsStandBehindTheNameAsInAnAddress() {
    try (RedisServer redis = RedisServer.start()) {
      application(redis)
          .withPropertyValues("firn.store=redis:?key=app:ids&may-forget=false&timeout=5s")
          .run(
              context -> {
                RegisterStore store = context.getBean(RegisterStore.class);
                assertThat(store).hasToString("redis:app:ids");
                assertThat(store.mayForget()).isFalse();
                assertThat(store.callTimeout()).contains(Duration.ofSeconds(5));
                assertThat(context.getBean(IdGenerator.class).nextId()).isPositive();
                assertThat(Namespace.of(store, "default").workers()).hasSize(1);
              });
      application(redis)
          .withPropertyValues("firn.store=redis:?tiemout=5s")
          .run(
              context ->
                  assertThat(context.getStartupFailure())
                      .hasStackTraceContaining(
                          "tiemout: in redis:?tiemout=*** (expected: one of key, timeout,"
                              + " may-forget, allow-counters, replicas)"));
    }
  }

  @Test
  void writeCountsWhenReplicasAcknowledgedIt() {
    try (RedisServer redis = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(redis)) {
      application(redis)
          .withPropertyValues(
              "firn.store=redis:?replicas=1&timeout=10s&allow-counters=true",
              "firn.namespaces.n.type=segment")
          .run(
              context -> {
                RegisterStore store = context.getBean(RegisterStore.class);
                WriteResult first = store.compareAndSet("a", 0, "1");
                assertThat(first.outcome()).isEqualTo(WriteResult.Outcome.APPLIED);

                replica.pause();
                assertThat(store.compareAndSet("a", first.version(), "2"))
                    .isEqualTo(WriteResult.UNKNOWN);
                assertThat(store.read("a").map(Register::value)).contains("2");
                replica.resume();
              });
    }
  }

  @Test
  void nothingIsWrittenByAUserWhoMayNotWaitForReplicas() {
    try (RedisServer redis = RedisServer.start()) {
      application(redis)
          .withPropertyValues(
              "firn.store=redis:?replicas=1&timeout=10s&allow-counters=true",
              "firn.namespaces.n.type=segment")
          .run(
              context -> {
                try (RedisConnection connection =
                    context.getBean(RedisConnectionFactory.class).getConnection()) {
                  connection.execute("ACL", bytes("SETUSER"), bytes("default"), bytes("-wait"));
                }
                RegisterStore store = context.getBean(RegisterStore.class);
                assertThatThrownBy(() -> store.compareAndSet("a", 0, "1"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(" ms: NOPERM ");
                assertThat(store.read("a")).isEmpty();
              });
    }
  }

  /** Lettuce connects again and sends WAIT again. */
  @Test
  void writeIsUnknownWhereTheClientWaitedForReplicasOfAnotherPrimary() throws IOException {
    try (RedisServer redis = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(redis);
        RedisServer other = RedisServer.start();
        RedisServer otherReplica = RedisServer.startReplicaOf(other);
        CuttingProxy proxy = CuttingProxy.to(redis.address())) {
      connectUntil(redis, clients(other));
      long last = clients(redis);
      application(proxy.address().getPort())
          .withPropertyValues(
              "firn.store=redis:?replicas=1&timeout=20s&allow-counters=true",
              "firn.namespaces.n.type=segment")
          .run(
              context -> {
                RegisterStore store = context.getBean(RegisterStore.class);
                assertThat(store.compareAndSet("a", 0, "1").outcome())
                    .isEqualTo(WriteResult.Outcome.APPLIED);
                connectUntil(other, last); // its next client has the ID that this one has
                replica.pause();
                CompletableFuture<WriteResult> write =
                    CompletableFuture.supplyAsync(() -> store.compareAndSet("b", 0, "1"));
                while (!ask(redis, BLOCKED_CLIENTS).equals(":1")) {
                  Thread.onSpinWait();
                }
                proxy.moveTo(other.address());
                assertThat(write.join()).isEqualTo(WriteResult.UNKNOWN);
                assertThat(ask(otherReplica, "HEXISTS firn:registers b")).isEqualTo(":0");
              });
      replica.resume();
    }
  }

  /** Connects to a server until its newest client has this ID. */
  private static void connectUntil(RedisServer server, long id) throws IOException {
    long newest = clients(server);
    while (newest < id) {
      newest = clients(server);
    }
  }

  /** Returns how many clients a server has had, and with them the ID of the newest. */
  private static long clients(RedisServer server) throws IOException {
    return Long.parseLong(ask(server, "CLIENT ID").substring(1));
  }

  /** Returns the reply to a command, which is one line, on a connection of its own. */
  private static String ask(RedisServer server, String command) throws IOException {
    try (Socket socket = new Socket()) {
      socket.connect(server.address());
      socket.getOutputStream().write(bytes(command + "\r\n"));
      return new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8)).readLine();
    }
  }

  @Test
  void clientThatReadsFromReplicasCannotWaitForThem() {
    try (RedisServer redis = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(redis)) {
      Applications.bare()
          .withPropertyValues(
              "firn.store=redis:?replicas=1&timeout=10s&allow-counters=true",
              "firn.namespaces.n.type=segment")
          .withBean(
              LettuceConnectionFactory.class,
              () ->
                  new LettuceConnectionFactory(
                      new RedisStandaloneConfiguration("127.0.0.1", redis.port()),
                      LettuceClientConfiguration.builder()
                          .readFrom(ReadFrom.REPLICA_PREFERRED)
                          .build()))
          .run(
              context -> {
                assertThatThrownBy(
                        () -> context.getBean(RegisterStore.class).compareAndSet("a", 0, "b"))
                    .isInstanceOf(StoreException.class)
                    .hasMessageContaining(
                        "The application's client reads from replicas and cannot wait for 1 of"
                            + " them; set an address in firn.store");
                assertThat(ask(replica, "HEXISTS firn:registers a")).isEqualTo(":0");
              });
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  /** Lettuce connects again and sends again, so an applied write is answered by a conflict. */
  @Test
  void leaseIsTakenAtOnceWhereTheClientSendsAWriteTwice() {
    try (RedisServer redis = RedisServer.start();
        CuttingProxy proxy = CuttingProxy.to(redis.address())) {
      application(proxy.address().getPort())
          .withPropertyValues(
              "firn.store=redis:?timeout=10s&may-forget=false", "firn.namespaces.n.type=segment")
          .run(
              context -> {
                RegisterStore store = context.getBean(RegisterStore.class);
                assertThat(store.read("a")).isEmpty();
                for (int replies = 0; replies < 12; replies++) {
                  proxy.cutReplyAfter(replies);
                  LeaseConfig lease =
                      LeaseConfig.builder(store, "n" + replies)
                          .worker(5)
                          .acquireTimeout(Duration.ofSeconds(15))
                          .build();
                  try (Snowflake ids =
                      Snowflake.builder().layout(IdLayout.TWITTER).lease(lease).build()) {
                    assertThat(ids.nextId()).as("cut after " + replies).isPositive();
                  }
                }
                assertThat(proxy.cuts()).isPositive();
              });
    }
  }

  private static ApplicationContextRunner application(RedisServer redis) {
    return application(redis.port());
  }

  @Test
  void settingsOfTheDataSourceStandBehindItsNameToo() {
    Applications.bare()
        .withBean(DataSource.class, () -> dataSource())
        .withPropertyValues("firn.store=datasource:?table=ids&timeout=5s&may-forget=true")
        .run(
            context -> {
              assertThat(context.getBean(IdGenerator.class).nextId()).isPositive();
              RegisterStore store = context.getBean(RegisterStore.class);
              assertThat(store.mayForget()).isTrue();
              assertThat(store.callTimeout()).contains(Duration.ofSeconds(10));
              try (Connection connection = context.getBean(DataSource.class).getConnection();
                  Statement statement = connection.createStatement()) {
                assertThat(statement.executeQuery("SELECT * FROM ids").next()).isTrue();
              }
            });
  }

  @Test
  void aTableThatMigrationsCreateIsNotCreated() {
    Applications.bare()
        .withBean(DataSource.class, () -> dataSource())
        .withPropertyValues("firn.store=datasource:?table=migrated&ddl=false")
        .run(
            context ->
                assertThat(context.getStartupFailure())
                    .hasStackTraceContaining("CREATE TABLE migrated"));
  }

  private static DataSource dataSource() {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:own-settings;DB_CLOSE_DELAY=-1");
    return source;
  }

  /** Its client waits for a minute, as Spring's does unless told. */
  private static ApplicationContextRunner application(int port) {
    return Applications.bare()
        .withPropertyValues("firn.store=redis:?timeout=10s")
        .withBean(
            LettuceConnectionFactory.class,
            () ->
                new LettuceConnectionFactory(new RedisStandaloneConfiguration("127.0.0.1", port)));
  }
}
