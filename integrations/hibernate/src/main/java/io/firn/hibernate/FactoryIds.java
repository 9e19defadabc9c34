package io.firn.hibernate;

import io.firn.IdGenerator;
import io.firn.integration.GeneratorSettings;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.integration.OnDemandGenerator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.hibernate.cfg.JdbcSettings;
import org.hibernate.service.Service;
import org.hibernate.service.spi.Stoppable;
import org.jspecify.annotations.Nullable;

/** The generators of one session factory, as its settings name them. Thread-safe. */
final class FactoryIds implements Service, Stoppable {

  private static final long serialVersionUID = 1L;

  private static final String GENERATOR = "firn.generator";
  private static final String GENERATORS = "firn.generators.";

  /** A function from names to generators. */
  private static final String LOOKUP = "firn.generators";

  private static final String STORE = "firn.store";
  private static final String NAMESPACE = "firn.namespace";
  private static final String NAMESPACES = "firn.namespaces.";
  private static final String ALL = "firn.";

  private static final List<String> OF_FACTORY = List.of(GENERATOR, LOOKUP, STORE, NAMESPACE);

  private final transient Map<String, Object> settings;
  private final transient Map<String, OnDemandGenerator> leased = new ConcurrentHashMap<>();

  FactoryIds(Map<String, Object> settings) {
    this.settings = settings;
  }

  /**
   * Returns the generator of that name, or the default one if it is empty. Leases nothing yet.
   *
   * @throws IllegalArgumentException if the settings have none
   */
  IdGenerator generator(String name) {
    String key = name.isEmpty() ? GENERATOR : GENERATORS + name;
    Object given = settings.get(key);
    if (given == null && settings.get(LOOKUP) instanceof Function<?, ?> lookup) {
      given = applied(lookup, name);
    }
    if (given == null) {
      return leasing(key, name);
    }
    if (given instanceof IdGenerator generator) {
      return generator;
    }
    throw new IllegalArgumentException(key + ": " + given + " (expected: an IdGenerator)");
  }

  @SuppressWarnings("unchecked") // the setting is documented so
  private static @Nullable Object applied(Function<?, ?> lookup, String name) {
    return ((Function<String, ?>) lookup).apply(name);
  }

  private IdGenerator leasing(String key, String name) {
    String store = text(STORE);
    String namespace = name.isEmpty() ? text(NAMESPACE) : name;
    if (store == null || namespace == null) {
      String missing =
          key
              + ": not set (expected: an IdGenerator, or to lease a worker ID: "
              + (name.isEmpty() ? STORE + " and " + NAMESPACE : STORE)
              + ")";
      if (isWithoutDatabase()) {
        return () -> {
          throw new IllegalArgumentException(missing);
        };
      }
      throw new IllegalArgumentException(missing);
    }
    return leased.computeIfAbsent(
        namespace, absent -> OnDemandGenerator.leasing(store, namespace, settings(namespace)));
  }

  /**
   * Returns whether the factory is only built to read the mapping, as Spring Data does when it
   * processes an application ahead of time. The settings of the application are not there then.
   */
  private boolean isWithoutDatabase() {
    return "false".equals(text(JdbcSettings.ALLOW_METADATA_ON_BOOT));
  }

  /** Reads the settings of a generator: those of its namespace, or else of all. */
  private GeneratorSettings settings(String namespace) {
    settings.keySet().forEach(FactoryIds::checkKey);
    String own = NAMESPACES + namespace + ".";
    return GeneratorSettings.of(
        setting -> settings.get(own + setting.key()), setting -> settings.get(ALL + setting.key()));
  }

  /**
   * Refuses the key of a setting that no generator has. A name may contain dots, a setting has
   * none. Hibernate adds all system properties to its settings, and those may belong to others.
   */
  private static void checkKey(String key) {
    if (!key.startsWith(ALL)
        || key.startsWith(GENERATORS)
        || OF_FACTORY.contains(key)
        || System.getProperty(key) != null) {
      return;
    }
    String prefix =
        key.startsWith(NAMESPACES) && key.indexOf('.', NAMESPACES.length()) >= 0
            ? key.substring(0, key.lastIndexOf('.') + 1)
            : ALL;
    if (Setting.of(key.substring(prefix.length())).isEmpty()) {
      throw new IllegalArgumentException(
          key
              + ": unknown (expected: "
              + (prefix.equals(ALL) ? String.join(", ", OF_FACTORY) + ", or " + ALL + " and " : "")
              + "one of "
              + keys()
              + ")");
    }
  }

  private static String keys() {
    return Stream.of(Setting.values()).map(Setting::key).collect(Collectors.joining(", "));
  }

  private @Nullable String text(String name) {
    Object value = settings.get(name);
    return value == null ? null : value.toString();
  }

  /** Gives the worker IDs back. */
  @Override
  public void stop() {
    leased.values().forEach(OnDemandGenerator::close);
  }
}
