package io.firn.cli;

import io.firn.wide.ObjectId;
import io.firn.wide.Ulid;
import io.firn.wide.Uuids;
import io.firn.wide.WideIdGenerator;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The types of IDs that {@code firn next} issues. */
enum IdType {
  SNOWFLAKE,
  SEGMENT,
  UUID,
  UUID7,
  ULID,
  OBJECTID;

  private static final Set<String> OF_EVERY_TYPE = Set.of("--type", "--count", "--trace");
  private static final Set<String> OF_SEGMENTS =
      Set.of("--segment", "--step", "--store", "--format");
  private static final Set<String> ONLY_OF_SEGMENTS = Set.of("--segment", "--step");

  static IdType of(String label) {
    return Arrays.stream(values())
        .filter(type -> type.label().equals(label))
        .findFirst()
        .orElseThrow(
            () ->
                new IllegalArgumentException(
                    "type: " + label + " (expected: one of " + String.join(", ", labels()) + ")"));
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(IdType::label).toList();
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the generator of a type that has neither 64 bits nor settings; null for others. */
  @Nullable WideIdGenerator<?> wideIds() {
    return switch (this) {
      case SNOWFLAKE, SEGMENT -> null;
      case UUID -> Uuids.v4();
      case UUID7 -> Uuids.v7();
      case ULID -> Ulid.generator();
      case OBJECTID -> ObjectId.generator();
    };
  }

  /** Returns whether an option means anything to IDs of this type. */
  boolean has(String option) {
    return OF_EVERY_TYPE.contains(option)
        || switch (this) {
          case SNOWFLAKE -> !ONLY_OF_SEGMENTS.contains(option);
          case SEGMENT -> OF_SEGMENTS.contains(option);
          case UUID, UUID7, ULID, OBJECTID -> false;
        };
  }
}
