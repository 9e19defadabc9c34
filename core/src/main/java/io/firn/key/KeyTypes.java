package io.firn.key;

import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import io.firn.wide.WideIdGenerator;
import java.util.List;
import java.util.Map;
import java.util.ServiceLoader;
import java.util.function.Function;
import java.util.stream.Stream;

/** The types that can be opened by their names: core's own, and those that were found. */
final class KeyTypes {

  private static final List<KeyGeneratorProvider> OWN =
      List.of(
          new Own("snowflake", NumberTypes::snowflake),
          new Own("segment", NumberTypes::segment),
          new Own("uuid", properties -> texts(properties, Uuids.v4())),
          new Own("uuid7", properties -> texts(properties, Uuids.v7())),
          new Own("ulid", properties -> texts(properties, Ulid.generator())),
          new Own("objectid", properties -> texts(properties, ObjectId.generator())));

  private KeyTypes() {}

  private record Own(String type, Function<KeyProperties, KeyGenerator> opener)
      implements KeyGeneratorProvider {

    @Override
    public KeyGenerator open(KeyProperties properties) {
      return opener.apply(properties);
    }
  }

  private static KeyGenerator texts(KeyProperties properties, WideIdGenerator<?> ids) {
    properties.allow();
    return () -> ids.nextId().toString();
  }

  static KeyGenerator open(String type, Map<String, String> properties) {
    return provider(type).open(KeyProperties.of(properties));
  }

  static KeyGenerator onDemand(String type, Map<String, String> properties) {
    KeyGeneratorProvider provider = provider(type);
    KeyProperties kept = KeyProperties.of(properties);
    return new KeysOnDemand(() -> provider.open(kept));
  }

  private static KeyGeneratorProvider provider(String type) {
    return all()
        .filter(provider -> provider.type().equals(type))
        .findFirst()
        .orElseThrow(() -> unknown(type));
  }

  private static IllegalArgumentException unknown(String type) {
    return new IllegalArgumentException(
        "type: " + type + " (expected: one of " + String.join(", ", names()) + ")");
  }

  static List<String> names() {
    return all().map(KeyGeneratorProvider::type).distinct().toList();
  }

  private static Stream<KeyGeneratorProvider> all() {
    return Stream.concat(
        OWN.stream(),
        ServiceLoader.load(KeyGeneratorProvider.class).stream().map(ServiceLoader.Provider::get));
  }
}
