package io.firn.spring;

import io.firn.redis.RedisRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreUri;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnSingleCandidate;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.data.redis.connection.RedisConnectionFactory;

/** Leases over the application's connection to Redis. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnClass({RedisRegisterStore.class, RedisConnectionFactory.class})
@ConditionalOnSingleCandidate(RedisConnectionFactory.class)
class RedisStore {

  @Bean
  StoreSource firnRedis(RedisConnectionFactory connections) {
    return new StoreSource("redis", settings -> open(connections, settings));
  }

  static RegisterStore open(RedisConnectionFactory connections, StoreUri settings) {
    settings.allow("key", "timeout", "may-forget", "allow-counters", "replicas");
    long waitMillis = settings.timeout().toMillis() / 2;
    RedisRegisterStore.Builder store =
        RedisRegisterStore.builder(new SpringRedisEval(connections, 0, waitMillis))
            .timeout(settings.timeout())
            .mayForget(settings.flag("may-forget", true))
            .allowCounters(settings.flag("allow-counters", false))
            .replicated(
                new SpringRedisEval(
                    connections, settings.number("replicas", 0, 99, 0), waitMillis));
    settings.parameter("key").ifPresent(store::key);
    return store.build();
  }
}
