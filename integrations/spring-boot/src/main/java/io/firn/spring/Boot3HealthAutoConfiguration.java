package io.firn.spring;

import java.util.List;
import org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.actuate.health.Health;
import org.springframework.boot.actuate.health.HealthIndicator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code firn}, as Boot 3 wants it. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
@ConditionalOnEnabledHealthIndicator("firn")
@ConditionalOnBean(NamespaceGenerator.class)
class Boot3HealthAutoConfiguration {

  @Bean
  @ConditionalOnMissingBean(name = "firnHealthIndicator")
  HealthIndicator firnHealthIndicator(List<NamespaceGenerator> generators) {
    return () -> {
      GeneratorReport report = GeneratorReport.ofAll(generators);
      Health.Builder health = report.inService() ? Health.up() : Health.outOfService();
      return health.withDetails(report.details()).build();
    };
  }
}
