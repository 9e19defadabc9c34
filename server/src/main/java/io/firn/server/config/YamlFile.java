package io.firn.server.config;

import io.firn.store.ReadFailure;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * The values of a YAML file by their paths, each with its line. That a named group exists at all,
 * as {@code namespaces.orders}, is a value of its own: its path ends in a dot.
 */
final class YamlFile {

  private static final String ANY_NAME = "*";

  private final String name;
  private final Map<String, Value> values = new LinkedHashMap<>();

  private YamlFile(String name) {
    this.name = name;
  }

  static Map<String, Value> read(Path path) {
    YamlFile file = new YamlFile(String.valueOf(path.getFileName()));
    try {
      file.parse(RegularFile.read(path, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new IllegalArgumentException(
          "config: " + path + " (expected: a file to read; " + ReadFailure.reason(e) + ")", e);
    }
    return file.values;
  }

  private void parse(String text) {
    try {
      Node root = new Yaml(new LoaderOptions()).compose(new StringReader(text));
      if (root != null) {
        add(Place.ROOT, root);
      }
    } catch (MarkedYAMLException e) {
      String where = e.getProblemMark() == null ? name : line(e.getProblemMark().getLine());
      throw Value.refused("config", String.valueOf(e.getProblem()), "YAML", where);
    } catch (YAMLException e) {
      throw Value.refused("config", String.valueOf(e.getMessage()), "YAML", name);
    }
  }

  /**
   * A place in the file.
   *
   * @param pattern its path, with {@code *} where the user gives a name
   * @param path its path; both end in a dot unless they are empty
   */
  private record Place(String pattern, String path) {

    static final Place ROOT = new Place("", "");

    /** The steps that may follow a pattern, for each that was asked for. */
    private static final Map<String, List<String>> BELOW = new ConcurrentHashMap<>();

    List<String> below() {
      return BELOW.computeIfAbsent(pattern, Place::below);
    }

    private static List<String> below(String pattern) {
      return SettingPath.all().stream()
          .filter(setting -> !setting.isSecret())
          .map(SettingPath::path)
          .filter(known -> known.startsWith(pattern) && known.length() > pattern.length())
          .map(known -> known.substring(pattern.length()).split("\\.", 2)[0])
          .distinct()
          .toList();
    }

    /** Returns the most similar of what may be below it, also further below, or else all of it. */
    String expected(String key) {
      return Words.nearest(key, nested())
          .filter(path -> key.contains("."))
          .map(path -> path.replaceFirst("(.+)\\.(.+)", "$2 below $1"))
          .orElseGet(() -> Words.expected(key, below()));
    }

    private List<String> nested() {
      return SettingPath.all().stream()
          .filter(setting -> !setting.isSecret())
          .map(SettingPath::path)
          .filter(known -> known.startsWith(pattern) && !known.contains(ANY_NAME))
          .map(known -> known.substring(pattern.length()))
          .toList();
    }

    Place child(String key) {
      String step = below().contains(ANY_NAME) ? ANY_NAME : key;
      return new Place(pattern + step + ".", path + key + ".");
    }

    boolean hasName() {
      return pattern.endsWith("." + ANY_NAME + ".");
    }

    boolean isSetting() {
      return below().isEmpty();
    }

    /** Returns a value that must not be here: it may be a token. */
    String shown(ScalarNode scalar) {
      return pattern.startsWith("tokens.") ? "not shown" : scalar.getValue();
    }

    /** Returns what may be below it, as it is written in messages. */
    String expected() {
      return below().contains(ANY_NAME) ? "a name" : String.join(", ", below());
    }

    /** Returns the place as it is written in messages. */
    String text() {
      return path.isEmpty() ? "config" : path.substring(0, path.length() - 1);
    }
  }

  private void add(Place place, Node node) {
    if (place.isSetting()) {
      put(place.text(), new Value(text(place.text(), node), line(node)));
      return;
    }
    if (place.hasName()) {
      put(place.path(), new Value("", line(node)));
    }
    if (node instanceof MappingNode mapping) {
      mapping.getValue().forEach(entry -> addEntry(place, entry));
    } else if (!isEmpty(node)) {
      String shown = node instanceof ScalarNode scalar ? place.shown(scalar) : "a list";
      throw Value.refused(place.text(), shown, place.expected() + " below it", line(node));
    } else if (!(place.hasName() || place.equals(Place.ROOT))) { // a tool may be writing the file
      throw Value.refused(
          place.text(), "nothing", place.expected() + " below it, or {}", line(node));
    }
  }

  private void addEntry(Place place, NodeTuple entry) {
    String key = scalar("key", entry.getKeyNode());
    List<String> valid = place.below();
    Place child = place.child(key);
    if (key.isEmpty() || !(valid.contains(key) || valid.contains(ANY_NAME))) {
      String expected = valid.contains(ANY_NAME) ? "a name" : place.expected(key);
      throw Value.refused(child.text(), "unknown", expected, line(entry.getKeyNode()));
    }
    add(child, entry.getValueNode());
  }

  private void put(String path, Value value) {
    Value before = values.putIfAbsent(path, value);
    if (before != null) {
      throw Value.refused(
          path.replaceFirst("\\.$", ""),
          "given twice",
          "once, it is on " + before.origin(),
          value.origin());
    }
  }

  /** Returns what one value is; of a list, its elements behind commas. */
  private String text(String path, Node node) {
    if (node instanceof SequenceNode list) {
      return list.getValue().stream()
          .map(element -> scalar(path, element))
          .collect(Collectors.joining(","));
    }
    return scalar(path, node);
  }

  private String scalar(String path, Node node) {
    if (node instanceof ScalarNode scalar) {
      return scalar.getValue();
    }
    throw Value.refused(path, "several values", "one value", line(node));
  }

  private static boolean isEmpty(Node node) {
    return node instanceof ScalarNode scalar && scalar.getValue().isEmpty();
  }

  private String line(Node node) {
    return line(node.getStartMark().getLine());
  }

  private String line(int index) {
    return name + " line " + (index + 1);
  }
}
