package io.firn.spring;

import io.firn.IdLayout;
import io.firn.IdParts;
import io.firn.Snowflake;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;

/**
 * {@code /actuator/firn}: every namespace, its layout and lease; {@code /actuator/firn/ID}: the
 * fields of an ID, by each namespace whose layout has such IDs.
 */
@Endpoint(id = "firn")
final class FirnEndpoint {

  private final Generators generators;

  FirnEndpoint(Generators generators) {
    this.generators = generators;
  }

  @ReadOperation
  Map<String, Object> namespaces() {
    return GeneratorReport.ofAll(generators.all()).details();
  }

  /**
   * Returns what an ID means by namespace; null, which becomes a 404, if no namespace has such IDs.
   */
  @ReadOperation
  @Nullable Map<String, Object> decode(@Selector long id) {
    Map<String, Object> readings = new LinkedHashMap<>();
    for (NamespaceGenerator generator : generators.all()) {
      generator
          .current()
          .filter(Snowflake.class::isInstance)
          .map(ids -> ((Snowflake) ids).layout())
          .filter(layout -> layout.fits(id))
          .ifPresent(layout -> readings.put(generator.name(), fields(layout, layout.parse(id))));
    }
    return readings.isEmpty() ? null : readings;
  }

  private static Map<String, Object> fields(IdLayout layout, IdParts parts) {
    Map<String, Object> fields = new LinkedHashMap<>();
    fields.put("id", Long.toString(parts.id()));
    fields.put("instant", parts.instant().toString());
    fields.put("tick", parts.tick());
    layout.fields().stream()
        .map(IdLayout.Field::kind)
        .forEach(
            kind -> {
              switch (kind) {
                case DATACENTER -> fields.put("datacenter", parts.datacenter());
                case WORKER -> fields.put("worker", parts.worker());
                case SEQUENCE -> fields.put("sequence", parts.sequence());
                case TIME -> {}
              }
            });
    fields.put("layout", layout.toString());
    return fields;
  }
}
