package io.firn.spring;

import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The health indicator {@code firn}, in the type that each Boot asks for. */
@AutoConfiguration(after = FirnAutoConfiguration.class)
@ConditionalOnBean(NamespaceGenerator.class)
@ConditionalOnMissingBean(name = "firnHealthIndicator")
class HealthAutoConfiguration {

  /** Loaded only where its types are present. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.actuate.health.HealthIndicator")
  @org.springframework.boot.actuate.autoconfigure.health.ConditionalOnEnabledHealthIndicator("firn")
  static class Boot3 {

    @Bean
    org.springframework.boot.actuate.health.HealthIndicator firnHealthIndicator(
        Generators generators) {
      return () -> {
        GeneratorReport report = GeneratorReport.ofAll(generators.all());
        return org.springframework.boot.actuate.health.Health.status(report.status())
            .withDetails(report.details())
            .build();
      };
    }
  }

  /** Loaded only where its types are present. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(name = "org.springframework.boot.health.contributor.HealthIndicator")
  @org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator(
      "firn")
  static class Boot4 {

    @Bean
    org.springframework.boot.health.contributor.HealthIndicator firnHealthIndicator(
        Generators generators) {
      return () -> {
        GeneratorReport report = GeneratorReport.ofAll(generators.all());
        return org.springframework.boot.health.contributor.Health.status(report.status())
            .withDetails(report.details())
            .build();
      };
    }
  }
}
