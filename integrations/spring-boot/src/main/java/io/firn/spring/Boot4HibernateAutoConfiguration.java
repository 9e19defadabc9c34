package io.firn.spring;

import io.firn.IdGenerator;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.annotation.Bean;

/** The generators for {@code @FirnId} of firn-hibernate, as Boot 4 hands them over. */
@AutoConfiguration(
    after = FirnAutoConfiguration.class,
    beforeName = "org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration")
@ConditionalOnClass(
    name = {
      "io.firn.hibernate.FirnId",
      "org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer"
    })
@ConditionalOnBean(IdGenerator.class)
class Boot4HibernateAutoConfiguration {

  @Bean
  HibernatePropertiesCustomizer firnHibernateProperties(
      ObjectProvider<IdGenerator> unnamed, ObjectProvider<NamespaceGenerator> named) {
    return settings -> HibernateSettings.add(settings, unnamed, named);
  }
}
