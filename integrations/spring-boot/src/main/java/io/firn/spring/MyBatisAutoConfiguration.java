package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.mybatis.IssuedIds;
import java.util.HashMap;
import java.util.Map;
import org.apache.ibatis.plugin.Interceptor;
import org.springframework.beans.factory.ObjectProvider;
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
  IssuedIds firnIssuedIds(
      ObjectProvider<IdGenerator> unnamed, ObjectProvider<NamespaceGenerator> named) {
    Map<String, IdGenerator> generators = new HashMap<>();
    unnamed.ifUnique(ids -> generators.put("", ids));
    named.forEach(ids -> generators.put(ids.name(), ids));
    return new IssuedIds(generators);
  }
}
