package io.firn.spring;

import io.micrometer.core.instrument.MeterRegistry;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** Meters of the generators, for Micrometer. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean(NamespaceGenerator.class)
class FirnMeterAutoConfiguration {

  @Bean
  ContextMeters firnMeters(Generators generators) {
    return new ContextMeters(generators);
  }
}
