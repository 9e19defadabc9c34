package io.firn.spring;

import io.firn.IdGenerator;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.AutowireCandidateQualifier;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.IgnoreErrorsBindHandler;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * A bean for each namespace that the properties name. Where they name none, there is one for the
 * namespace {@value #DEFAULT}, unless the application has generators of its own.
 */
final class GeneratorRegistrar implements ImportBeanDefinitionRegistrar {

  /** The namespace whose generator is the primary one. */
  private static final String DEFAULT = "default";

  private static final String NAMESPACES = "firn.namespaces";

  private final BeanFactory beans;
  private final Environment environment;

  GeneratorRegistrar(BeanFactory beans, Environment environment) {
    this.beans = beans;
    this.environment = environment;
  }

  @Override
  public void registerBeanDefinitions(
      AnnotationMetadata importing, BeanDefinitionRegistry registry) {
    Set<String> named = named(Binder.get(environment));
    if (!named.isEmpty()) {
      named.forEach(name -> registry.registerBeanDefinition(bean(name), definition(name)));
    } else if (!hasGenerators()) {
      registry.registerBeanDefinition(bean(DEFAULT), definition(DEFAULT));
    }
  }

  /**
   * Returns the names of the namespaces: those of a text such as {@code orders, items}, and the
   * keys of a map.
   */
  private static Set<String> named(Binder binder) {
    Set<String> named =
        binder
            .bind(NAMESPACES, Bindable.of(String.class))
            .map(NamespaceNames::of)
            .orElseGet(LinkedHashSet::new);
    // A text alone is no map; what else is wrong with the settings, FirnProperties refuses.
    binder
        .bind(NAMESPACES, Bindable.mapOf(String.class, Object.class), new IgnoreErrorsBindHandler())
        .map(Map::keySet)
        .ifBound(named::addAll);
    return named;
  }

  /**
   * Adds a generator for a namespace that the properties do not name. It is found by its name only.
   *
   * @return the name of the bean
   */
  static String add(String name, BeanDefinitionRegistry registry) {
    AbstractBeanDefinition definition = definition(name);
    definition.setAutowireCandidate(false);
    registry.registerBeanDefinition(bean(name), definition);
    return bean(name);
  }

  /** Returns the name of the bean of a namespace. */
  static String bean(String name) {
    return name + "Ids";
  }

  private boolean hasGenerators() {
    return beans instanceof ListableBeanFactory all
        && all.getBeanNamesForType(IdGenerator.class, true, false).length > 0;
  }

  private static AbstractBeanDefinition definition(String name) {
    AbstractBeanDefinition definition =
        BeanDefinitionBuilder.rootBeanDefinition(NamespaceGenerator.class)
            .setFactoryMethodOnBean("generator", "firnGenerators")
            .addConstructorArgValue(name)
            .setDestroyMethodName("stop")
            .setPrimary(name.equals(DEFAULT))
            .getBeanDefinition();
    definition.addQualifier(new AutowireCandidateQualifier(Qualifier.class, name));
    return definition;
  }
}
