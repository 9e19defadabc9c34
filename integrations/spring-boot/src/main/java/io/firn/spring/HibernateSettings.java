package io.firn.spring;

import io.firn.IdGenerator;
import java.util.Map;
import java.util.function.Function;

/**
 * The function that firn-hibernate reads from the settings of Hibernate: a function from names to
 * generators.
 */
record HibernateSettings(Function<String, IdGenerator> generators) {

  /** Adds the function; generators that the application has set are above it. */
  void addTo(Map<String, Object> settings) {
    settings.putIfAbsent("firn.generators", generators);
  }
}
