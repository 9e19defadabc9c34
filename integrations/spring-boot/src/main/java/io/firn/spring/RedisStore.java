package io.firn.spring;

import io.firn.redis.RedisRegisterStore;
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
    return new StoreSource(
        "redis",
        () -> RedisRegisterStore.of(new SpringRedisEval(connections), RedisRegisterStore.KEY));
  }
}
