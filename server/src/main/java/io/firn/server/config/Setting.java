package io.firn.server.config;

import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A setting, which is one line of {@link Settings}.
 *
 * @param key its name within its group: {@code limits.count} of the server, {@code window} of a
 *     namespace
 * @param scope the groups that contain it
 * @param type its values
 * @param byDefault its value where none is given, as text; null if there is none
 * @param help its purpose, in one sentence
 * @param prominent whether {@code firn serve --help} shows it
 */
record Setting<T>(
    String key,
    Scope scope,
    ValueType<T> type,
    @Nullable String byDefault,
    String help,
    boolean prominent) {

  /**
   * Returns the value in a group.
   *
   * @throws IllegalArgumentException if there is none, or it is not of the type
   */
  T read(Values group) {
    return find(group)
        .orElseThrow(() -> new IllegalArgumentException(group.path(key) + ": not set"));
  }

  /**
   * Returns the value in a group; empty if there is none.
   *
   * @throws IllegalArgumentException if it is not of the type
   */
  Optional<T> find(Values group) {
    return group.find(key).map(value -> type.parser().parse(group.path(key), value));
  }

  /** Returns whether a value is given in a group. */
  boolean isSet(Values group) {
    return group.find(key).isPresent();
  }

  /** Returns whether both are the same line; equals of a record takes long at its first call. */
  boolean is(Setting<?> other) {
    return key.equals(other.key) && scope == other.scope;
  }

  /** Returns the refusal of the value in a group, which contradicts another. */
  IllegalArgumentException refused(Values group, String expected) {
    Value value = group.find(key).orElseThrow();
    String shown = type.shown().apply(value.text());
    return Value.refused(group.path(key), shown, expected, value.origin());
  }
}
