package io.firn.server.config;

import io.firn.lease.StoreUri;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Where the settings of a server come from, each before the next: flags, environment variables, one
 * YAML file, defaults.
 */
public final class Sources {

  private static final String FILE_FLAG = "--config";
  private static final String FILE_VARIABLE = "FIRN_CONFIG";
  private static final String PREFIX = "FIRN_";

  /** Variables that mean something else, and those that Kubernetes sets for a service "firn". */
  private static final Pattern FOREIGN = Pattern.compile("FIRN_(TRACE|PORT.*|SERVICE_.*)");

  /** A counter is asked over a network, and nobody's loop waits for it. */
  private static final String SEGMENT_MAX_WAIT = "2s";

  private static final Map<String, String> INHERITED =
      Map.of(
          "layout", "defaults.layout",
          "window", "defaults.window",
          "max-lead", "defaults.max-lead",
          "max-wait", "defaults.max-wait",
          "sequence-start", "defaults.sequence-start",
          "allow-under-ten-years", "defaults.allow-under-ten-years");

  private final Map<String, String> environment;
  private final Map<String, Value> values = new LinkedHashMap<>();

  private Sources(Map<String, String> environment) {
    this.environment = environment;
  }

  /**
   * Collects what was set.
   *
   * @param flags the given flags, as {@code --listen-http}, with their values
   * @param environment the environment variables
   * @param defaultStore the store's address where none is given
   * @throws IllegalArgumentException if something was set that is no setting
   */
  public static Sources of(
      Map<String, String> flags, Map<String, String> environment, String defaultStore) {
    Sources sources = new Sources(environment);
    sources.addFlags(flags);
    sources.addVariables();
    Optional.ofNullable(flags.get(FILE_FLAG))
        .or(() -> Optional.ofNullable(environment.get(FILE_VARIABLE)))
        .ifPresent(file -> YamlFile.read(Path.of(file)).forEach(sources.values::putIfAbsent));
    sources.addDefaults(defaultStore);
    return sources;
  }

  private void addFlags(Map<String, String> flags) {
    for (Setting setting : Setting.flags()) {
      String flag = setting.flag().orElseThrow();
      if (flags.containsKey(flag)) {
        values.put(setting.path(), new Value(flags.get(flag), flag));
      }
    }
  }

  private void addVariables() {
    Map<String, Setting> known = new LinkedHashMap<>();
    for (Setting setting : Setting.values()) {
      setting.variable().ifPresent(variable -> known.put(variable, setting));
    }
    for (Map.Entry<String, String> set : new TreeMap<>(environment).entrySet()) {
      String variable = set.getKey();
      Setting setting = known.get(variable);
      if (setting != null) {
        values.putIfAbsent(setting.path(), new Value(set.getValue(), variable));
      } else if (variable.startsWith(PREFIX)
          && !variable.equals(FILE_VARIABLE)
          && !FOREIGN.matcher(variable).matches()) {
        throw Value.refused(
            variable, "unknown", Words.expected(variable, known.keySet()), "environment");
      }
    }
  }

  private void addDefaults(String defaultStore) {
    if (thriftIsOfNoUse()) {
      addDefault(Setting.LISTEN_THRIFT.path(), "off");
    }
    for (Setting setting : Setting.values()) {
      setting
          .byDefault()
          .filter(text -> !setting.path().contains("*"))
          .ifPresent(text -> addDefault(setting.path(), text));
    }
    addDefault(Setting.STORE.path(), defaultStore);
    for (String name : new Values(values).names("namespaces")) {
      String group = "namespaces." + name + ".";
      if (addDefault(group + "type", "snowflake").text().equals("snowflake")) {
        INHERITED.forEach((key, from) -> inherit(group + key, from));
      } else {
        addDefault(group + "max-wait", SEGMENT_MAX_WAIT);
      }
    }
    for (String name : new Values(values).names("tokens")) {
      addDefault("tokens." + name + ".namespaces", "*");
    }
  }

  /** Its clients have no tokens, and name no namespace. */
  private boolean thriftIsOfNoUse() {
    Values set = new Values(values);
    boolean tokens =
        set.find(Setting.TOKEN.path()).isPresent()
            || set.find(Setting.TOKEN_FILE.path()).isPresent()
            || !set.names("tokens").isEmpty();
    String namespace =
        set.find(Setting.THRIFT_NAMESPACE.path())
            .map(Value::text)
            .orElse(ServerConfig.DEFAULT_NAMESPACE);
    boolean onDemand =
        set.find(Setting.ON_DEMAND.path()).map(Value::text).orElse("on").equals("on");
    return tokens || !(onDemand || set.names("namespaces").contains(namespace));
  }

  private Value addDefault(String path, String text) {
    return values.computeIfAbsent(path, absent -> new Value(text, Value.DEFAULT));
  }

  private void inherit(String path, String from) {
    Value inherited = values.get(from);
    if (inherited != null) {
      values.putIfAbsent(path, inherited);
    }
  }

  /**
   * Reads all of it.
   *
   * @throws IllegalArgumentException if a value is not of its form, or contradicts another; the
   *     message names where it was set
   */
  public ServerConfig read() {
    return new ConfigReader(new Values(values), environment).read();
  }

  /** All values as a YAML file, with where each was set, and without secrets. */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    Arrays.stream(Setting.values())
        .map(setting -> setting.path().split("\\.", 2)[0])
        .distinct()
        .forEach(top -> print(text, top));
    return text.toString();
  }

  private void print(StringBuilder text, String top) {
    Value single = values.get(top);
    if (single != null) {
      printLine(text, "", top, shown(top, single), single);
      return;
    }
    List<String> names = new Values(values).names(top);
    if (!names.isEmpty()) {
      text.append(top).append(":\n");
    }
    for (String name : names) {
      if (name.isEmpty()) {
        printGroup(text, "  ", top + ".");
      } else {
        text.append("  ").append(quoted(name)).append(":\n");
        printGroup(text, "    ", top + "." + name + ".");
      }
    }
  }

  private void printGroup(StringBuilder text, String indent, String group) {
    new TreeMap<>(values)
        .forEach(
            (path, value) -> {
              if (path.length() > group.length()
                  && path.lastIndexOf('.') == group.length() - 1
                  && path.startsWith(group)) {
                printLine(text, indent, path.substring(group.length()), shown(path, value), value);
              }
            });
  }

  private static void printLine(
      StringBuilder text, String indent, String key, String shown, Value value) {
    String setting = indent + key + ": " + quoted(shown);
    text.append(setting)
        .append(" ".repeat(Math.max(2, 56 - setting.length())))
        .append("# ")
        .append(value.origin())
        .append('\n');
  }

  private static String quoted(String text) {
    return text.matches("[A-Za-z0-9/][A-Za-z0-9+@/:._-]*(?<!:)")
        ? text
        : "'" + text.replace("'", "''") + "'";
  }

  private static String shown(String path, Value value) {
    if (path.equals(Setting.TOKEN.path())) {
      return "***";
    }
    boolean address = path.equals(Setting.STORE.path()) || path.endsWith(".source");
    return address ? StoreUri.parse(value.text()).toString() : value.text();
  }
}
