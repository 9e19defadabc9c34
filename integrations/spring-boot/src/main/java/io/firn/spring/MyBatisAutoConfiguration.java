package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.mybatis.IssuedIds;
import org.apache.ibatis.plugin.Interceptor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The interceptor of firn-mybatis, which MyBatis's own starter adds. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnClass({IssuedIds.class, Interceptor.class})
@ConditionalOnBean(IdGenerator.class)
class MyBatisAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean
  IssuedIds firnIssuedIds(Generators generators) {
    return new IssuedIds(generators::named);
  }
}
