package io.firn.spring;

import io.firn.IdGenerator;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;

/** What firn-hibernate looks for among the settings of Hibernate. */
final class HibernateSettings {

  private static final String GENERATOR = "firn.generator";
  private static final String GENERATORS = "firn.generators.";

  private HibernateSettings() {}

  /** Adds the generators, but not in the place of one that is set already. */
  static void add(
      Map<String, Object> settings,
      ObjectProvider<IdGenerator> unnamed,
      ObjectProvider<NamespaceGenerator> named) {
    unnamed.ifUnique(ids -> settings.putIfAbsent(GENERATOR, ids));
    named.forEach(ids -> settings.putIfAbsent(GENERATORS + ids.name(), ids));
  }
}
