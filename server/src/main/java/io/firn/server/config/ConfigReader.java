package io.firn.server.config;

import io.firn.IdLayout;
import io.firn.SequenceStart;
import io.firn.lease.StoreUri;
import io.firn.segment.SegmentGeneratorBuilder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/** Makes a {@link ServerConfig} of values. */
final class ConfigReader {

  private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
  private static final String NAMESPACE_RULE = "1..64 of A-Z a-z 0-9 . _ -";
  private static final Pattern SECRET = Pattern.compile("[\\x21-\\x7e]{16,256}");
  private static final List<String> SNOWFLAKE_ONLY =
      List.of(
          "layout",
          "window",
          "max-lead",
          "sequence-start",
          "allow-under-ten-years",
          "datacenter",
          "worker");
  private static final List<String> SEGMENT_ONLY = List.of("step", "source");

  private static final Duration MAX_SEGMENT_WAIT = Duration.ofMinutes(1);
  private static final Duration DAY = Duration.ofDays(1);

  /** A wait keeps a thread that serves others too. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(1);

  private final Values values;
  private final Map<String, String> environment;

  ConfigReader(Values values, Map<String, String> environment) {
    this.values = values;
    this.environment = environment;
  }

  ServerConfig read() {
    Map<String, InetSocketAddress> listen = new LinkedHashMap<>();
    for (String face : List.of("http", "redis", "thrift")) {
      values.address("listen." + face).ifPresent(address -> listen.put(face, address));
    }
    Map<String, NamespaceConfig> namespaces = new LinkedHashMap<>();
    for (String name : values.names("namespaces")) {
      namespaces.put(requireName(name), namespace(name));
    }
    ServerConfig config =
        new ServerConfig(
            Collections.unmodifiableMap(listen),
            values.read("store", ConfigReader::checkedUri),
            values.find("instance").map(Value::text),
            snowflake("defaults."),
            Collections.unmodifiableMap(namespaces),
            values.isOn("on-demand"),
            limits(),
            tls(),
            tokens(),
            values.isOn("legacy-routes"),
            values.read("thrift-namespace", ConfigReader::checkedName),
            values.choice("log-format", List.of("text", "json")).equals("json"),
            values.time("grace", Duration.ZERO, Duration.ofHours(1)));
    checkUse(config);
    checkExposure(config);
    return config;
  }

  private static String checkedUri(String text) {
    StoreUri.parse(text);
    return text;
  }

  private static String checkedName(String text) {
    if (!NAMESPACE.matcher(text).matches()) {
      throw new IllegalArgumentException(text + " (expected: " + NAMESPACE_RULE + ")");
    }
    return text;
  }

  private String requireName(String name) {
    if (!NAMESPACE.matcher(name).matches()) {
      throw refused("namespaces." + name + ".", name, NAMESPACE_RULE);
    }
    return name;
  }

  private NamespaceConfig namespace(String name) {
    String group = "namespaces." + name + ".";
    if (values.choice(group + "type", List.of("snowflake", "segment")).equals("snowflake")) {
      refuseAny(group, SEGMENT_ONLY, "only with type: segment");
      return snowflake(group);
    }
    refuseAny(group, SNOWFLAKE_ONLY, "only with type: snowflake");
    return new SegmentConfig(
        values.numberIfAny(group + "step", 1, SegmentGeneratorBuilder.MAX_STEP),
        values
            .find(group + "source")
            .map(value -> values.read(group + "source", ConfigReader::checkedUri)),
        values.time(group + "max-wait", Duration.ZERO, MAX_SEGMENT_WAIT));
  }

  private void refuseAny(String group, List<String> keys, String expected) {
    for (String key : keys) {
      values
          .find(group + key)
          .ifPresent(
              value -> {
                throw value.refused(group + key, expected);
              });
    }
  }

  private IllegalArgumentException refused(String group, String shown, String expected) {
    String origin = values.find(group).map(Value::origin).orElse("");
    return Value.refused(group.substring(0, group.length() - 1), shown, expected, origin);
  }

  private SnowflakeConfig snowflake(String group) {
    return new SnowflakeConfig(
        values.read(group + "layout", ConfigReader::layout),
        values.time(group + "window", Duration.ofMillis(100), DAY),
        values.time(group + "max-lead", Duration.ZERO, DAY),
        values.time(group + "max-wait", Duration.ZERO, MAX_WAIT),
        values.read(group + "sequence-start", SequenceStart::of),
        values.numberIfAny(group + "datacenter", 0, Integer.MAX_VALUE),
        values.numberIfAny(group + "worker", 0, Integer.MAX_VALUE),
        values.isOn(group + "allow-under-ten-years"));
  }

  private static IdLayout layout(String text) {
    try {
      return IdLayout.of(text);
    } catch (IllegalArgumentException e) {
      Optional<String> meant = Words.nearest(text, IdLayout.named().keySet());
      if (meant.isEmpty()) {
        throw e;
      }
      throw new IllegalArgumentException(text + " (expected: " + meant.get() + ")", e);
    }
  }

  private Limits limits() {
    return new Limits(
        values.count("limits.connections", 1, 1_000_000),
        values.bytes("limits.request-size", 1024, 16 << 20),
        values.time("limits.request-time", Duration.ofMillis(100), DAY),
        values.count("limits.count", 1, 1_000_000),
        values.count("limits.pipeline", 1, 1_000_000),
        values.time("limits.idle", Duration.ofSeconds(1), Duration.ofDays(7)),
        values.countUnlessOff("limits.rate", 1, Integer.MAX_VALUE),
        values.count("limits.namespaces", 1, 100_000));
  }

  private Optional<TlsConfig> tls() {
    Optional<Value> certificate = values.find("tls.certificate");
    Optional<Value> key = values.find("tls.key");
    if (certificate.isEmpty() && key.isEmpty()) {
      return Optional.empty();
    }
    if (certificate.isEmpty() || key.isEmpty()) {
      Value given = certificate.or(() -> key).orElseThrow();
      throw given.refused("tls", "both certificate and key");
    }
    return Optional.of(new TlsConfig(Path.of(certificate.get().text()), Path.of(key.get().text())));
  }

  private List<TokenConfig> tokens() {
    List<TokenConfig> tokens = new ArrayList<>();
    values
        .find("token")
        .ifPresent(value -> tokens.add(token("default", "token", value, value.text())));
    values
        .find("token-file")
        .ifPresent(value -> tokens.add(token("default", "token-file", value, line(value))));
    if (tokens.size() > 1) {
      throw values.find("token-file").orElseThrow().refused("token-file", "no token beside it");
    }
    for (String name : values.names("tokens")) {
      tokens.add(namedToken(name));
    }
    return List.copyOf(tokens);
  }

  private static TokenConfig token(String name, String path, Value value, String secret) {
    return new TokenConfig(name, checkedSecret(path, value, secret), List.of("*"));
  }

  private TokenConfig namedToken(String name) {
    String group = "tokens." + name + ".";
    Optional<Value> file = values.find(group + "file");
    Optional<Value> variable = values.find(group + "env");
    if (file.isPresent() == variable.isPresent()) {
      throw refused(group, file.isPresent() ? "file and env" : "none", "either file or env");
    }
    String secret =
        file.isPresent()
            ? checkedSecret(group + "file", file.get(), line(file.get()))
            : checkedSecret(group + "env", variable.get(), variable(group, variable.get()));
    return new TokenConfig(name, secret, values.list(group + "namespaces"));
  }

  private static String checkedSecret(String path, Value value, String secret) {
    if (!SECRET.matcher(secret).matches()) {
      throw Value.refused(path, "not shown", "16..256 visible ASCII characters", value.origin());
    }
    return secret;
  }

  private static String line(Value file) {
    try {
      return Files.readString(Path.of(file.text())).lines().findFirst().orElse("");
    } catch (IOException e) {
      throw file.refused("token file", "a file to read: " + e);
    }
  }

  private String variable(String group, Value name) {
    String secret = environment.get(name.text());
    if (secret == null) {
      throw name.refused(group + "env", "an environment variable that is set");
    }
    return secret;
  }

  /** A namespace that nobody can ask for is a mistake. */
  private void checkUse(ServerConfig config) {
    if (config.listen().isEmpty()) {
      throw new IllegalArgumentException("listen: off (expected: one of http, redis, thrift on)");
    }
    if (!config.onDemand() && config.namespaces().isEmpty()) {
      throw new IllegalArgumentException(
          "on-demand: off (expected: on, or namespaces in the configuration)");
    }
    if (config.listen().containsKey("thrift")) {
      checkThrift(config);
    }
  }

  private void checkThrift(ServerConfig config) {
    if (!config.tokens().isEmpty()) {
      throw values
          .find("listen.thrift")
          .orElseThrow()
          .refused("listen.thrift", "off, for Twitter's protocol carries no token; or no tokens");
    }
    if (config.namespace(config.thriftNamespace()).isEmpty()) {
      throw values
          .find("thrift-namespace")
          .orElseThrow()
          .refused(
              "thrift-namespace",
              Words.expected(config.thriftNamespace(), config.namespaces().keySet()));
    }
  }

  /** What others can reach must be secret and for the invited only, or wanted to be open. */
  private void checkExposure(ServerConfig config) {
    if (values.isOn("insecure")) {
      return;
    }
    config
        .listen()
        .forEach(
            (face, address) -> {
              if (!address.getAddress().isLoopbackAddress()) {
                checkExposed(config, face);
              }
            });
  }

  private void checkExposed(ServerConfig config, String face) {
    Value value = values.find("listen." + face).orElseThrow();
    if (face.equals("thrift")) {
      throw value.refused(
          "listen.thrift", "loopback, for Twitter's protocol has no tokens; or insecure");
    }
    if (config.tls().isEmpty() || config.tokens().isEmpty()) {
      throw value.refused("listen." + face, "loopback, or tls and a token, or insecure");
    }
  }
}
