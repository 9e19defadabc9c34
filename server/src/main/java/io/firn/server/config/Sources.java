package io.firn.server.config;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The sources of a server's settings, each before the next: flags, environment variables, one YAML
 * file, defaults.
 */
public final class Sources {

  /** Says that there is no store where none is given. */
  public static final String NO_STORE =
      "store: not set (expected: an address; the default needs a home directory of the user, or an"
          + " absolute path in XDG_STATE_HOME)";

  /** The variable of the store, which commands other than the server take too. */
  public static final String STORE_VARIABLE = "FIRN_STORE";

  private static final String FILE_FLAG = "--config";
  private static final String FILE_VARIABLE = "FIRN_CONFIG";
  private static final String TRACE_VARIABLE = "FIRN_TRACE";
  private static final String PREFIX = "FIRN_";

  /**
   * Variables of others, with their values: those that Kubernetes sets for a service "firn" or
   * "firn-redis". FIRN_HTTP_PORT=7608 is none of them.
   */
  private static final Pattern FOREIGN =
      Pattern.compile(
          "FIRN_(.+_)?(SERVICE_(HOST|PORT(_.+)?)=.*|PORT(_[0-9]+_(TCP|UDP|SCTP)(_.+)?=.*"
              + "|=(tcp|udp|sctp)://.*))",
          Pattern.DOTALL);

  private final Map<String, String> environment;
  private final Optional<ServerConfig> before;
  private final Map<String, Value> values = new LinkedHashMap<>();
  private boolean fromFile;

  private Sources(Map<String, String> environment, Optional<ServerConfig> before) {
    this.environment = environment;
    this.before = before;
  }

  /**
   * Collects what was set.
   *
   * @param flags the given flags, as {@code --listen-http}, with their values
   * @param environment the environment variables
   * @param defaultStore the store's address where none is given; null if there is none
   * @throws IllegalArgumentException if something was set that is no setting
   */
  public static Sources of(
      Map<String, String> flags, Map<String, String> environment, @Nullable String defaultStore) {
    return of(flags, environment, defaultStore, Optional.empty());
  }

  /**
   * Collects what is set now, for a server that runs. Reads regular files only, because a reload
   * must end; the first start may read pipes.
   *
   * @param before the settings of the server; if its file had some of them, it must have some now
   * @throws IllegalArgumentException if something was set that is no setting
   */
  public static Sources again(
      Map<String, String> flags,
      Map<String, String> environment,
      @Nullable String defaultStore,
      ServerConfig before) {
    return of(flags, environment, defaultStore, Optional.of(before));
  }

  private static Sources of(
      Map<String, String> flags,
      Map<String, String> environment,
      @Nullable String defaultStore,
      Optional<ServerConfig> before) {
    Sources sources = new Sources(environment, before);
    sources.addFlags(flags);
    sources.addVariables();
    Optional.ofNullable(flags.get(FILE_FLAG))
        .map(file -> new Value(file, FILE_FLAG))
        .or(
            () ->
                Optional.ofNullable(environment.get(FILE_VARIABLE))
                    .map(file -> new Value(file, FILE_VARIABLE)))
        .ifPresent(sources::addFile);
    sources.refuseUnknownVariables();
    sources.addDefaults(defaultStore);
    return sources;
  }

  /** Returns the flags of all settings that have one. */
  public static List<Flag> flags() {
    return SettingPath.all().stream()
        .filter(path -> path.flag().isPresent())
        .map(
            path ->
                new Flag(
                    path.flag().orElseThrow(),
                    path.setting().type().form(),
                    path.setting().help(),
                    path.setting().type().isSwitch(),
                    path.setting().prominent()))
        .toList();
  }

  private void addFlags(Map<String, String> flags) {
    for (SettingPath path : SettingPath.all()) {
      path.flag()
          .flatMap(flag -> Optional.ofNullable(flags.get(flag)).map(text -> new Value(text, flag)))
          .ifPresent(value -> values.put(path.path(), value));
    }
  }

  private void addVariables() {
    for (SettingPath path : SettingPath.all()) {
      path.variable()
          .flatMap(
              variable ->
                  Optional.ofNullable(environment.get(variable))
                      .map(text -> new Value(text, variable)))
          .ifPresent(value -> values.putIfAbsent(path.path(), value));
    }
  }

  private void refuseUnknownVariables() {
    List<String> known = variables();
    for (String variable : unknownVariables(environment, known)) {
      if (!isNamed(variable)) {
        throw Value.refused(variable, "unknown", Words.expected(variable, known), "environment");
      }
    }
  }

  /**
   * Returns the address of the store that the environment names; null if it names none.
   *
   * @throws IllegalArgumentException if there is none, but a variable whose name is mistyped
   */
  public static @Nullable String store(Map<String, String> environment) {
    String store = environment.get(STORE_VARIABLE);
    if (store == null) {
      List<String> known = variables();
      for (String variable : unknownVariables(environment, known)) {
        if (Words.nearest(variable, known).filter(STORE_VARIABLE::equals).isPresent()) {
          throw Value.refused(variable, "unknown", STORE_VARIABLE, "environment");
        }
      }
    }
    return store;
  }

  /** Returns the variables of Firn. */
  private static List<String> variables() {
    return Stream.concat(
            SettingPath.all().stream().flatMap(path -> path.variable().stream()),
            Stream.of(FILE_VARIABLE, TRACE_VARIABLE))
        .toList();
  }

  /** Returns the set variables that begin like those of Firn and are not known, in order. */
  private static List<String> unknownVariables(
      Map<String, String> environment, List<String> known) {
    return environment.entrySet().stream()
        .filter(set -> set.getKey().startsWith(PREFIX) && !known.contains(set.getKey()))
        .filter(set -> !FOREIGN.matcher(set.getKey() + "=" + set.getValue()).matches())
        .map(Map.Entry::getKey)
        .sorted()
        .toList();
  }

  /** Returns whether a setting takes a secret from a variable, as {@code password-env=VARIABLE}. */
  private boolean isNamed(String variable) {
    Pattern naming = Pattern.compile("(^|-env=)" + Pattern.quote(variable) + "(&|$)");
    return values.values().stream().anyMatch(value -> naming.matcher(value.text()).find());
  }

  private void addFile(Value name) {
    if (name.text().isEmpty()) {
      throw Value.refused("config", "empty", "the name of a YAML file", name.origin());
    }
    Path file = Path.of(name.text());
    if (before.isPresent()) {
      RegularFile.check("config", file);
    }
    Map<String, Value> read = YamlFile.read(file);
    fromFile = !read.isEmpty();
    if (!fromFile && before.filter(ServerConfig::fromFile).isPresent()) {
      throw new IllegalArgumentException(
          "config: " + file + ", without settings (expected: some, as before)");
    }
    read.forEach(values::putIfAbsent);
  }

  private void addDefaults(@Nullable String defaultStore) {
    if (isExposed()) {
      addDefault(Settings.ON_DEMAND.key(), "off");
    }
    for (ProtocolKind protocol : ProtocolKind.values()) {
      if (!protocol.carriesToken() && !answersAnonymous()) {
        addDefault(Settings.listen(protocol).key(), "off");
      }
    }
    addDefault(Settings.STORE.key(), defaultStore);
    for (SettingPath path : SettingPath.all()) {
      if (!path.hasName() && !isReplaced(path.group(), path.setting())) {
        addDefault(path.path(), path.setting().byDefault());
      }
    }
    Values all = new Values(values);
    for (String name : all.names("namespaces")) {
      addNamespaceDefaults("namespaces." + name + ".");
    }
    for (String name : all.names("tokens")) {
      Values token = all.named("tokens", name);
      Settings.all().stream()
          .filter(setting -> setting.scope() == Scope.TOKEN)
          .forEach(setting -> addDefault(token.path(setting.key()), setting.byDefault()));
    }
  }

  private void addNamespaceDefaults(String group) {
    String type = text(group, Settings.TYPE);
    List<Setting<?>> missing = // found first: what is inherited replaces nothing
        Settings.all().stream()
            .filter(setting -> setting.scope().appliesTo(type) && !isReplaced(group, setting))
            .toList();
    for (Setting<?> setting : missing) {
      if (setting.scope().isInherited()) {
        inherit(group + setting.key(), Scope.DEFAULTS + setting.key());
      } else {
        addDefault(group + setting.key(), setting.byDefault());
      }
    }
  }

  /** Returns whether another setting takes the place of this one in a group. */
  private boolean isReplaced(String group, Setting<?> setting) {
    Values set = new Values(values).group(group);
    return Settings.replacedBy(setting).anyMatch(other -> other.isSet(set));
  }

  /** Returns whether other hosts reach a port at which IDs are issued. By default they do not. */
  private boolean isExposed() {
    Values set = new Values(values);
    return Arrays.stream(ProtocolKind.values())
        .filter(ProtocolKind::issues)
        .flatMap(protocol -> Settings.listen(protocol).find(set).stream())
        .flatMap(Optional::stream)
        .anyMatch(address -> !address.getAddress().isLoopbackAddress());
  }

  /** Returns whether a client can get an ID that sends no token and no namespace. */
  private boolean answersAnonymous() {
    Values set = new Values(values);
    boolean tokens =
        Settings.TOKEN.isSet(set)
            || Settings.TOKEN_FILE.isSet(set)
            || !set.names("tokens").isEmpty();
    String namespace = text("", Settings.THRIFT_NAMESPACE);
    boolean onDemand = text("", Settings.ON_DEMAND).equals("on");
    List<String> names = set.names("namespaces");
    boolean served =
        names.isEmpty()
            ? namespace.equals(ServerConfig.DEFAULT_NAMESPACE)
            : names.contains(namespace);
    return !tokens && (onDemand || served);
  }

  /** Returns what a setting is set to in a group, or its default. */
  private String text(String group, Setting<?> setting) {
    Value value = values.get(group + setting.key());
    return value == null ? Objects.requireNonNull(setting.byDefault()) : value.text();
  }

  private void addDefault(String path, @Nullable String text) {
    if (text != null) {
      values.putIfAbsent(path, new Value(text, Value.DEFAULT));
    }
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
    return new ConfigReader(new Values(values), environment, fromFile, before.isPresent()).read();
  }

  /**
   * Returns all values as a YAML file, with where each was set, and without secrets. A value that a
   * file cannot have is a comment.
   */
  @Override
  public String toString() {
    StringBuilder text = new StringBuilder();
    SettingPath.all().stream()
        .map(path -> path.path().split("\\.", 2)[0])
        .distinct()
        .forEach(top -> print(text, top));
    return text.toString();
  }

  private void print(StringBuilder text, String top) {
    Value single = values.get(top);
    if (single != null) {
      String indent = top.equals(Settings.TOKEN.key()) ? "# " : "";
      printLine(text, indent, top, shown(top, single), single);
      return;
    }
    NavigableMap<String, Value> sorted = new TreeMap<>(values);
    List<String> names = new Values(values).names(top);
    if (!names.isEmpty()) {
      text.append(top).append(":\n");
    }
    for (String name : names) {
      if (name.isEmpty()) {
        printGroup(text, "  ", top + ".", sorted);
      } else {
        text.append("  ").append(quoted(name)).append(":\n");
        printGroup(text, "    ", top + "." + name + ".", sorted);
      }
    }
  }

  private static void printGroup(
      StringBuilder text, String indent, String group, NavigableMap<String, Value> sorted) {
    sorted
        .subMap(group, false, group + Character.MAX_VALUE, false)
        .forEach(
            (path, value) -> {
              if (path.lastIndexOf('.') == group.length() - 1) {
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
    return SettingPath.all().stream()
        .filter(known -> known.matches(path))
        .findFirst()
        .map(known -> known.setting().type().shown().apply(value.text()))
        .orElseGet(value::text);
  }
}
