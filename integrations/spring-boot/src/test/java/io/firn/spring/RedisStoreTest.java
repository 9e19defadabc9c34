package io.firn.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdGenerator;
import io.firn.lease.Namespace;
import io.firn.redis.RedisRegisterStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult;
import io.firn.testservers.RedisServer;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

final class RedisStoreTest {

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
                  "firn.namespaces.invoices.type=segment", "firn.namespaces.invoices.max-wait=20s");
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

  @Test
  void whatRedisRefusesIsKnownNotToBeWritten() {
    try (RedisServer redis = RedisServer.start();
        RedisServer replica = RedisServer.startReplicaOf(redis)) {
      application(replica)
          .withPropertyValues("firn.namespaces.invoices.type=segment")
          .run(
              context ->
                  assertThatThrownBy(
                          () -> context.getBean(RegisterStore.class).compareAndSet("a", 0, "b"))
                      .isInstanceOf(StoreException.class)
                      .hasMessageContaining("READONLY"));
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
                    .hasStackTraceContaining("store: redis:firn:registers (expected: to answer"));
  }

  private static ApplicationContextRunner application(RedisServer redis) {
    return Applications.bare()
        .withBean(
            LettuceConnectionFactory.class,
            () ->
                new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("127.0.0.1", redis.port()),
                    LettuceClientConfiguration.builder()
                        .commandTimeout(Duration.ofSeconds(10))
                        .build()));
  }
}
