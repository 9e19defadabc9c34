package io.firn.server.config;

import io.firn.internal.Require;
import io.firn.store.ReadFailure;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Makes a {@link ServerConfig} of values, and refuses settings that contradict each other. */
final class ConfigReader {

  private static final Pattern SECRET = Pattern.compile("[\\x21-\\x7e]{16,256}");

  private final Values values;
  private final Map<String, String> environment;
  private final boolean fromFile;
  private final boolean again;

  /**
   * Creates a reader.
   *
   * @param fromFile whether a file has some of the values
   * @param again whether a server runs, which reads regular files only
   */
  ConfigReader(Values values, Map<String, String> environment, boolean fromFile, boolean again) {
    this.values = values;
    this.environment = environment;
    this.fromFile = fromFile;
    this.again = again;
  }

  ServerConfig read() {
    Map<String, InetSocketAddress> listen = new LinkedHashMap<>();
    for (ProtocolKind protocol : ProtocolKind.values()) {
      Settings.listen(protocol)
          .read(values)
          .ifPresent(address -> listen.put(protocol.label(), address));
    }
    Map<String, NamespaceConfig> namespaces = new LinkedHashMap<>();
    Set<String> optional = new TreeSet<>();
    Set<String> folded = new HashSet<>();
    for (String name : values.names("namespaces")) {
      if (!folded.add(name.toLowerCase(Locale.ROOT))) {
        throw values
            .named("namespaces", name)
            .refused(name, "a name that differs from others by more than case");
      }
      namespaces.put(name, namespace(name));
      if (!Settings.REQUIRED.read(values.named("namespaces", name))) {
        optional.add(name);
      }
    }
    ServerConfig config =
        new ServerConfig(
            Collections.unmodifiableMap(listen),
            Settings.STORE
                .find(values)
                .orElseThrow(() -> new IllegalArgumentException(Sources.NO_STORE)),
            Settings.INSTANCE.find(values),
            SnowflakeConfig.read(values.group(Scope.DEFAULTS)),
            Collections.unmodifiableMap(namespaces),
            Collections.unmodifiableSet(optional),
            Settings.ON_DEMAND.read(values),
            Limits.read(values),
            tls(),
            tokens(),
            Settings.HOSTS.read(values),
            Settings.REDIS_IDS.read(values),
            LegacyConfig.read(values),
            Settings.THRIFT_NAMESPACE.read(values),
            Settings.LOG_FORMAT.read(values).equals("json"),
            Settings.OTLP_URL
                .find(values)
                .map(url -> new OtlpTarget(url, Settings.OTLP_PERIOD.read(values))),
            Settings.GRACE.read(values),
            Settings.DRAIN.read(values),
            fromFile);
    checkUse(config);
    checkExposure(config);
    checkDefaultStore(config);
    return config;
  }

  private NamespaceConfig namespace(String name) {
    Values group = values.named("namespaces", name);
    if (!Require.isName(name)) {
      throw group.refused(name, Require.NAME_RULE);
    }
    boolean snowflake = Settings.TYPE.read(group).equals("snowflake");
    refuseAny(group, snowflake ? "segment" : "snowflake", snowflake ? "snowflake" : "segment");
    return snowflake ? SnowflakeConfig.read(group) : SegmentConfig.read(group);
  }

  /** Refuses settings that only namespaces of another type have. */
  private static void refuseAny(Values group, String other, String type) {
    Set<String> own =
        Settings.all().stream()
            .filter(setting -> setting.scope().appliesTo(type))
            .map(Setting::key)
            .collect(Collectors.toSet());
    for (Setting<?> setting : Settings.all()) {
      if (setting.scope().appliesTo(other)
          && !own.contains(setting.key())
          && setting.isSet(group)) {
        throw setting.refused(group, "only with type: " + other);
      }
    }
  }

  private Optional<TlsConfig> tls() {
    Optional<Path> certificate = Settings.TLS_CERTIFICATE.find(values);
    Optional<Path> key = Settings.TLS_KEY.find(values);
    Optional<Path> clientAuthorities = Settings.TLS_CLIENT_CA.find(values);
    if (certificate.isEmpty() && key.isEmpty()) {
      if (clientAuthorities.isPresent()) {
        throw Settings.TLS_CLIENT_CA.refused(values, "tls.certificate and tls.key beside it");
      }
      return Optional.empty();
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      Setting<Path> given = key.isEmpty() ? Settings.TLS_CERTIFICATE : Settings.TLS_KEY;
      throw value(given).refused("tls", "both certificate and key");
    }
    return Optional.of(new TlsConfig(certificate.get(), key.get(), clientAuthorities));
  }

  private Value value(Setting<?> setting) {
    return values.find(setting.key()).orElseThrow();
  }

  private List<TokenConfig> tokens() {
    List<TokenConfig> tokens = new ArrayList<>();
    if (Settings.TOKEN.isSet(values)) {
      Value value = value(Settings.TOKEN);
      tokens.add(unbound(Settings.TOKEN, value, value.text()));
    }
    if (Settings.TOKEN_FILE.isSet(values)) {
      Value value = value(Settings.TOKEN_FILE);
      tokens.add(unbound(Settings.TOKEN_FILE, value, line(Settings.TOKEN_FILE.key(), value)));
    }
    if (tokens.size() > 1) {
      throw Settings.TOKEN_FILE.refused(values, "no token beside it");
    }
    for (String name : values.names("tokens")) {
      TokenConfig token = namedToken(name);
      refuseSecretOf(tokens, token);
      tokens.add(token);
    }
    return List.copyOf(tokens);
  }

  /** Refuses a secret that another token has: the rights of one of them would count. */
  private void refuseSecretOf(List<TokenConfig> others, TokenConfig token) {
    for (TokenConfig other : others) {
      if (other.secret().equals(token.secret())) {
        throw values
            .named("tokens", token.name())
            .refused("not shown", "another secret than that of token " + other.name());
      }
    }
  }

  /** Returns a token for every namespace. */
  private TokenConfig unbound(Setting<?> setting, Value value, String secret) {
    return TokenConfig.unbound(
        "default",
        checkedSecret(setting.key(), value, secret),
        Settings.ON_DEMAND.read(values),
        Limits.read(values).rate());
  }

  private TokenConfig namedToken(String name) {
    Values group = values.named("tokens", name);
    Optional<Value> file = group.find(Settings.TOKEN_PATH.key());
    Optional<Value> variable = group.find(Settings.TOKEN_VARIABLE.key());
    if (file.isPresent() == variable.isPresent()) {
      throw group.refused(file.isPresent() ? "file and env" : "none", "either file or env");
    }
    String path = group.path(Settings.TOKEN_PATH.key());
    String secret =
        file.isPresent()
            ? checkedSecret(path, file.get(), line(path, file.get()))
            : variableSecret(group.path(Settings.TOKEN_VARIABLE.key()), variable.get());
    return new TokenConfig(
        name,
        secret,
        Settings.TOKEN_NAMESPACES.read(group),
        Settings.TOKEN_SCOPES.read(group),
        Settings.TOKEN_ON_DEMAND.find(group).orElseGet(() -> Settings.ON_DEMAND.read(values)),
        Settings.TOKEN_RATE
            .find(group)
            .map(Limits::optional)
            .orElseGet(() -> Limits.read(values).rate()),
        Limits.optional(Settings.TOKEN_CONNECTIONS.read(group)));
  }

  private static String checkedSecret(String path, Value value, String secret) {
    if (!SECRET.matcher(secret).matches()) {
      throw Value.refused(path, "not shown", "16..256 visible ASCII characters", value.origin());
    }
    return secret;
  }

  private String line(String path, Value value) {
    Path file = Path.of(value.text());
    if (again && RegularFile.isOther(file)) {
      throw value.refused(path, RegularFile.RULE);
    }
    try {
      return RegularFile.read(file, StandardCharsets.UTF_8).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw value.refused("token file", "a file to read; " + ReadFailure.reason(e));
    }
  }

  private String variableSecret(String path, Value name) {
    String secret = environment.get(name.text());
    if (secret == null) {
      // It may be the secret itself.
      String rule = "the name of an environment variable that is set";
      throw Value.refused(path, "not shown", rule, name.origin());
    }
    return checkedSecret(path, name, secret);
  }

  /** Refuses a server that cannot issue anything. */
  private void checkUse(ServerConfig config) {
    checkTable(Settings.LEAF_SOURCE, "leaf");
    checkTable(Settings.TINYID_SOURCE, "tinyid");
    if (ProtocolKind.issuers().stream().noneMatch(config.listen()::containsKey)) {
      throw new IllegalArgumentException(
          "listen: off (expected: one of " + String.join(", ", ProtocolKind.issuers()) + " on)");
    }
    checkPorts(config.listen());
    if (config.permanent().size() > config.limits().namespaces()) {
      throw Settings.LIMITS_NAMESPACES.refused(
          values,
          "at least " + config.permanent().size() + ", the namespaces of the configuration");
    }
    config.tokens().forEach(token -> checkNamespaces(token, config));
    for (ProtocolKind protocol : ProtocolKind.values()) {
      if (!protocol.carriesToken() && config.listen().containsKey(protocol.label())) {
        checkAnonymous(protocol, config);
      }
    }
  }

  /** Refuses a port that two protocols would listen at, of one address or of all. */
  private void checkPorts(Map<String, InetSocketAddress> listen) {
    Map<String, InetSocketAddress> before = new LinkedHashMap<>();
    for (ProtocolKind protocol : ProtocolKind.values()) {
      InetSocketAddress address = listen.get(protocol.label());
      if (address != null && address.getPort() != 0) {
        before.forEach(
            (other, taken) -> {
              if (isSamePort(address, taken)) {
                throw Settings.listen(protocol)
                    .refused(values, "another port than listen." + other);
              }
            });
        before.put(protocol.label(), address);
      }
    }
  }

  private static boolean isSamePort(InetSocketAddress one, InetSocketAddress other) {
    return one.getPort() == other.getPort()
        && (one.equals(other)
            || one.getAddress().isAnyLocalAddress()
            || other.getAddress().isAnyLocalAddress());
  }

  /** Checks that a source is a table; other addresses would serve any key, or none. */
  private void checkTable(Setting<String> source, String scheme) {
    Optional<String> address = source.find(values);
    if (address.isPresent() && !address.get().startsWith(scheme + ":jdbc:")) {
      throw source.refused(values, scheme + ":jdbc:DATABASE://HOST/NAME");
    }
  }

  private void checkNamespaces(TokenConfig token, ServerConfig config) {
    for (String namespace : token.namespaces()) {
      if (!namespace.equals("*") && !Require.isName(namespace)) {
        throw Settings.TOKEN_NAMESPACES.refused(
            values.named("tokens", token.name()), "* or names of " + Require.NAME_RULE);
      }
      if (!namespace.equals("*") && config.namespace(namespace, token.onDemand()).isEmpty()) {
        throw Settings.TOKEN_NAMESPACES.refused(
            values.named("tokens", token.name()),
            Words.expected(namespace, config.namespaces().keySet()));
      }
    }
  }

  private void checkAnonymous(ProtocolKind protocol, ServerConfig config) {
    if (!config.tokens().isEmpty()) {
      throw Settings.listen(protocol)
          .refused(
              values, "off, because " + protocol.description() + " carries no token; or no tokens");
    }
    String namespace = config.thriftNamespace();
    if (config.namespace(namespace).isEmpty()) {
      throw Settings.THRIFT_NAMESPACE.refused(
          values, Words.expected(namespace, config.namespaces().keySet()));
    }
  }

  /**
   * Refuses the default store for clients on other hosts, which may use another such server too.
   */
  private void checkDefaultStore(ServerConfig config) {
    boolean isDefault = value(Settings.STORE).origin().equals(Value.DEFAULT);
    if (config.isExposed() && isDefault && config.store().startsWith("file:")) {
      throw Settings.STORE.refused(
          values,
          "set, because servers with stores of their own repeat each other's IDs; if this is the"
              + " only one, add store: "
              + config.store());
    }
  }

  /** Refuses an address that other hosts reach, unless it is protected or meant to be open. */
  private void checkExposure(ServerConfig config) {
    if (Settings.INSECURE.read(values)) {
      return;
    }
    boolean tokens = !config.tokens().isEmpty();
    boolean certificates = config.requiresCertificates();
    for (ProtocolKind protocol : ProtocolKind.values()) {
      InetSocketAddress address = config.listen().get(protocol.label());
      if (address == null || address.getAddress().isLoopbackAddress()) {
        continue;
      }
      if (!protocol.carriesToken() && !certificates) {
        throw Settings.listen(protocol)
            .refused(
                values,
                "loopback, because " + protocol.description() + " carries no token; or insecure");
      }
      if (config.tls().isEmpty() || !(tokens || (certificates && protocol.issues()))) {
        throw Settings.listen(protocol)
            .refused(values, "loopback, or tls and a token, or insecure");
      }
    }
  }
}
