package io.firn.spring;

import io.firn.IdGenerator;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The generators for {@code @FirnId} of firn-hibernate, in the type that each Boot asks for. */
@AutoConfiguration(
    after = FirnAutoConfiguration.class,
    beforeName = {
      "org.springframework.boot.autoconfigure.orm.jpa.HibernateJpaAutoConfiguration",
      "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration"
    })
@ConditionalOnClass(name = "io.firn.hibernate.FirnId")
@ConditionalOnBean(IdGenerator.class)
class HibernateAutoConfiguration {

  @Bean
  HibernateSettings firnHibernateSettings(Generators generators) {
    return new HibernateSettings(generators::named);
  }

  /** Loaded only where its types are present. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = "org.springframework.boot.autoconfigure.orm.jpa.HibernatePropertiesCustomizer")
  static class Boot3 {

    @Bean
    org.springframework.boot.autoconfigure.orm.jpa.HibernatePropertiesCustomizer
        firnHibernateProperties(HibernateSettings settings) {
      return settings::addTo;
    }
  }

  /** Loaded only where its types are present. */
  @Configuration(proxyBeanMethods = false)
  @ConditionalOnClass(
      name = "org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer")
  static class Boot4 {

    @Bean
    org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer
        firnHibernateProperties(HibernateSettings settings) {
      return settings::addTo;
    }
  }
}
