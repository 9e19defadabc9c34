package io.firn.spring;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.data.relational.core.mapping.RelationalMappingContext;
import org.springframework.data.relational.core.mapping.event.BeforeConvertCallback;

/** {@link FirnId}, for Spring Data JDBC. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnClass(BeforeConvertCallback.class)
class AggregateIdAutoConfiguration {

  @Bean
  AggregateIds firnAggregateIds(
      ObjectProvider<RelationalMappingContext> mapping, Generators generators) {
    return new AggregateIds(mapping, generators);
  }
}
