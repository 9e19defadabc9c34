package io.firn.shardingsphere;

import io.firn.key.KeyGenerator;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * The generators of this process, one for each type and properties. ShardingSphere makes several
 * algorithms of one configuration, and never says when it has done with one: they share what is
 * here, and that lasts as long as the process.
 */
final class SharedKeys {

  private static final Map<Kind, KeyGenerator> GENERATORS = new ConcurrentHashMap<>();

  private SharedKeys() {}

  private record Kind(String type, Map<String, String> properties) {}

  /**
   * The generator of that type and properties. What it leases, it leases when the first key is
   * asked for; one that has no store to ask starts at once.
   *
   * @throws IllegalArgumentException if it is started, and does not take these properties
   */
  static KeyGenerator of(String type, Map<String, String> properties) {
    return GENERATORS.computeIfAbsent(
        new Kind(type, Map.copyOf(properties)),
        kind ->
            properties.containsKey("store")
                ? KeyGenerator.onDemand(type, properties)
                : KeyGenerator.open(type, properties));
  }

  /** What was configured, as text; ShardingSphere hands numbers on as numbers. */
  static Map<String, String> texts(Properties properties) {
    return properties.entrySet().stream()
        .collect(
            Collectors.toMap(
                property -> property.getKey().toString(),
                property -> property.getValue().toString()));
  }
}
