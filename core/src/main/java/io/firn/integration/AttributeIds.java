package io.firn.integration;

import io.firn.IdGenerator;
import io.firn.text.IdFormat;
import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import io.firn.wide.WideIdGenerator;
import java.util.Map;
import java.util.UUID;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** IDs as values of the types that attributes of entities have, for mappers of entities. */
public final class AttributeIds {

  /** The default format of an attribute. */
  public static final String DECIMAL = "decimal";

  /** The formats of texts that hold a wide ID instead of a 64-bit one. */
  private static final Map<String, Supplier<WideIdGenerator<?>>> WIDE_TEXTS =
      Map.of("uuid7", Uuids::v7, "ulid", Ulid::generator, "objectid", ObjectId::generator);

  private static final Map<Class<?>, Supplier<WideIdGenerator<?>>> WIDE =
      Map.of(
          UUID.class, Uuids::v7, Ulid.class, Ulid::generator, ObjectId.class, ObjectId::generator);

  private AttributeIds() {}

  /**
   * Returns a source of IDs for attributes of a type: 64-bit ones for {@code long} and {@link
   * Long}, their texts for {@link String}, and of their own kind for {@link UUID} (version 7),
   * {@link Ulid} and {@link ObjectId}.
   *
   * @param attribute what is filled, as the name of a class and a field; for messages
   * @param format how a text is written: the name of an {@link IdFormat}, or {@code uuid7}, {@code
   *     ulid} or {@code objectid} for one of those; {@link #DECIMAL} for other types
   * @param generator issues 64-bit IDs; requested once, and only if they are needed
   * @throws IllegalArgumentException if there are no IDs of that type, or no such format
   */
  public static Supplier<?> of(
      String attribute, Class<?> type, String format, Supplier<IdGenerator> generator) {
    // No message begins with the class: Spring Data ignores a failure that does.
    if (type == String.class) {
      return texts(attribute, format, generator);
    }
    if (!format.equals(DECIMAL)) {
      throw new IllegalArgumentException(
          "attribute "
              + attribute
              + ": format: "
              + format
              + " (expected: none for a "
              + type.getSimpleName()
              + ")");
    }
    if (type == long.class || type == Long.class) {
      return generator.get()::nextId;
    }
    Supplier<WideIdGenerator<?>> wide = WIDE.get(type);
    if (wide == null) {
      throw new IllegalArgumentException(
          "attribute "
              + attribute
              + ": type: "
              + type.getName()
              + " (expected: long, Long, String, UUID, Ulid or ObjectId, to hold an ID)");
    }
    return wide.get()::nextId;
  }

  private static Supplier<?> texts(
      String attribute, String format, Supplier<IdGenerator> generator) {
    Supplier<WideIdGenerator<?>> wide = WIDE_TEXTS.get(format);
    if (wide != null) {
      WideIdGenerator<?> ids = wide.get();
      return () -> ids.nextId().toString();
    }
    IdFormat written = formatOf(attribute, format);
    IdGenerator ids = generator.get();
    return () -> written.format(ids.nextId());
  }

  private static IdFormat formatOf(String attribute, String format) {
    try {
      return IdFormat.of(format);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("attribute " + attribute + ": " + e.getMessage(), e);
    }
  }

  /** Returns whether an attribute was given a value: it is neither null nor 0 nor an empty text. */
  public static boolean isSet(@Nullable Object value) {
    return value != null && !value.equals(0L) && !value.equals("");
  }
}
