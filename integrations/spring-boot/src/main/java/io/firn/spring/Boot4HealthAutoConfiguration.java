package io.firn.spring;

import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health indicator {@code firn}, as Boot 4 wants it. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
@ConditionalOnEnabledHealthIndicator("firn")
@ConditionalOnBean(NamespaceGenerator.class)
class Boot4HealthAutoConfiguration {

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
