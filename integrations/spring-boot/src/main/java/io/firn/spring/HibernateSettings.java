package io.firn.spring;

import io.firn.IdGenerator;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;

/** The generators that firn-hibernate reads from the settings of Hibernate. */
record HibernateSettings(
    ObjectProvider<IdGenerator> unnamed, ObjectProvider<NamespaceGenerator> named) {

  private static final String GENERATOR = "firn.generator";
  private static final String GENERATORS = "firn.generators.";

  /** Adds the generators, and keeps those that the application has set. */
  void addTo(Map<String, Object> settings) {
    unnamed.ifUnique(ids -> settings.putIfAbsent(GENERATOR, ids));
    named.forEach(ids -> settings.putIfAbsent(GENERATORS + ids.name(), ids));
  }
}
