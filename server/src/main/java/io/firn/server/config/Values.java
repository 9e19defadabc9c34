package io.firn.server.config;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The values of a group by their keys, such as of {@code namespaces.orders.}. */
final class Values {

  private final Map<String, Value> values;
  private final String group;

  /** Creates the values of the server, with whole paths as keys. */
  Values(Map<String, Value> values) {
    this(values, "");
  }

  private Values(Map<String, Value> values, String group) {
    this.values = values;
    this.group = group;
  }

  /** Returns the values of a group whose name ends in a dot. */
  Values group(String name) {
    return new Values(values, name);
  }

  /** Returns the values of the namespace or the token of a name. */
  Values named(String top, String name) {
    return group(top + "." + name + ".");
  }

  String path(String key) {
    return group + key;
  }

  Optional<Value> find(String key) {
    return Optional.ofNullable(values.get(group + key));
  }

  /** Returns the refusal of the whole group. */
  IllegalArgumentException refused(String shown, String expected) {
    String origin = find("").map(Value::origin).orElse("");
    return Value.refused(group.substring(0, group.length() - 1), shown, expected, origin);
  }

  /**
   * Returns the names below a group, as of the namespaces, in order; one empty name if it has none.
   */
  List<String> names(String top) {
    return List.copyOf(
        values.keySet().stream()
            .filter(path -> path.startsWith(top + "."))
            .map(path -> path.substring(top.length(), path.lastIndexOf('.')))
            .map(name -> name.substring(Math.min(1, name.length())))
            .collect(Collectors.toCollection(TreeSet::new)));
  }
}
