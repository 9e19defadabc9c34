package io.firn.server.config;

import java.util.List;

/**
 * The place of a setting in the YAML file.
 *
 * <p>A group is what precedes the key of a setting; {@code *} in it stands for a name that the user
 * chooses. A namespace inherits the value of a setting of {@link #SNOWFLAKES} from the defaults.
 */
enum Scope {
  /** The server. */
  SERVER(""),
  /** All namespaces of snowflakes, or one of them. */
  SNOWFLAKES("namespaces.*."),
  /** One namespace of either type. */
  NAMESPACE("namespaces.*."),
  /** One namespace of snowflakes. */
  SNOWFLAKE("namespaces.*."),
  /** One namespace of segments. */
  SEGMENT("namespaces.*."),
  /** One token. */
  TOKEN("tokens.*.");

  static final String DEFAULTS = "defaults.";

  /** All groups, in the order in which {@code --print-config} shows them. */
  static final List<String> GROUPS = List.of("", DEFAULTS, "namespaces.*.", "tokens.*.");

  private final String group;

  Scope(String group) {
    this.group = group;
  }

  /** Returns whether settings of this scope are in a group. */
  boolean has(String other) {
    return other.equals(group) || (isInherited() && other.equals(DEFAULTS));
  }

  /** Returns whether a namespace inherits settings of this scope from the defaults. */
  boolean isInherited() {
    return this == SNOWFLAKES;
  }

  /** Returns whether a namespace of a type has settings of this scope. */
  boolean appliesTo(String type) {
    return switch (this) {
      case SNOWFLAKES, SNOWFLAKE -> type.equals("snowflake");
      case SEGMENT -> type.equals("segment");
      case NAMESPACE -> true;
      case SERVER, TOKEN -> false;
    };
  }
}
