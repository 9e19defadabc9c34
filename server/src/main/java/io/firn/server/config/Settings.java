package io.firn.server.config;

import static io.firn.server.config.ValueType.count;
import static io.firn.server.config.ValueType.number;
import static io.firn.server.config.ValueType.onOff;
import static io.firn.server.config.ValueType.size;
import static io.firn.server.config.ValueType.text;
import static io.firn.server.config.ValueType.time;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.integration.GeneratorSettings;
import io.firn.integration.WorkerNumber;
import io.firn.internal.Require;
import io.firn.segment.SegmentGenerator;
import io.firn.store.StoreUri;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The table of all settings. Flags, environment variables, the YAML file, {@code --print-config}
 * and the configuration reference follow it.
 */
final class Settings {

  private static final Duration DAY = Duration.ofDays(1);

  /** The layout says which of them it has room for. */
  private static final ValueType<Long> NUMBER = number(0, Long.MAX_VALUE);

  private static final Pattern HTTP_URL = Pattern.compile("https?://[^/@ ]+(/[^ ]*)?");

  private static final List<Setting<?>> TABLE = new ArrayList<>();
  private static final Map<GeneratorSettings.Setting, Setting<?>> GENERATOR =
      new EnumMap<>(GeneratorSettings.Setting.class);

  private static final Map<ProtocolKind, Setting<Optional<InetSocketAddress>>> LISTEN =
      new EnumMap<>(ProtocolKind.class);

  static {
    for (ProtocolKind protocol : ProtocolKind.values()) {
      LISTEN.put(
          protocol,
          add(
              new Setting<>(
                  "listen." + protocol.label(),
                  Scope.SERVER,
                  ValueType.ADDRESS.orOff(),
                  protocol.address(),
                  "Where " + protocol.description() + " is served.",
                  protocol.issues())));
    }
  }

  static final Setting<String> STORE =
      prominent(
          "store",
          ValueType.STORE_URI,
          null,
          "The store that worker IDs are leased in; the user's state directory by default.");
  static final Setting<String> INSTANCE =
      prominent(
          "instance",
          text("NAME", Require::instance),
          null,
          GeneratorSettings.Setting.INSTANCE.description());
  static final Setting<Boolean> ON_DEMAND =
      prominent(
          "on-demand",
          onOff(),
          "on",
          "Open any namespace on its first request; off by default beyond loopback.");
  static final Setting<Boolean> INSECURE =
      prominent(
          "insecure", onOff(), "off", "Listen beyond loopback without TLS or without tokens.");
  static final Setting<List<String>> HOSTS =
      server(
          "hosts",
          ValueType.HOSTS,
          "localhost",
          "The host names by which HTTP clients without a token may call this server; * for all.");
  static final Setting<String> LOG_FORMAT =
      server("log-format", ValueType.choice("text", "json"), "text", "The format of log events.");
  static final Setting<String> THRIFT_NAMESPACE =
      server(
          "thrift-namespace",
          text("NAME", Settings::namespaceName),
          ServerConfig.DEFAULT_NAMESPACE,
          "The namespace that Thrift clients get IDs from.");
  static final Setting<String> REDIS_IDS =
      server(
          "redis-ids",
          ValueType.choice("auto", "integers", "strings"),
          "auto",
          "How Redis clients get IDs; auto: as strings if the client is one that rounds integers.");
  static final Setting<Boolean> LEGACY_ROUTES =
      server("legacy-routes", onOff(), "off", "Serve the HTTP routes of Leaf and tinyid.");
  static final Setting<String> LEAF_NAMESPACE =
      server(
          "leaf.namespace",
          text("NAME", Settings::namespaceName),
          ServerConfig.DEFAULT_NAMESPACE,
          "The namespace of Leaf's snowflakes, whatever the key, as Leaf has one generator; off for"
              + " the namespace of the key.");
  static final Setting<String> LEAF_SOURCE =
      server(
          "leaf.source",
          ValueType.STORE_URI,
          null,
          "The table of Leaf, leaf:jdbc:..., whose keys are all served, as namespaces leaf:KEY.");
  static final Setting<String> TINYID_SOURCE =
      server(
          "tinyid.source",
          ValueType.STORE_URI,
          null,
          "The table of tinyid, tinyid:jdbc:..., whose keys are all served, as namespaces"
              + " tinyid:KEY.");
  static final Setting<String> OTLP_URL =
      server(
          "otlp.url",
          text("URL", Settings::httpUrl).withoutSecrets(),
          null,
          "The URL for metrics by OTLP over HTTP, such as http://localhost:4318/v1/metrics;"
              + " nowhere by default.");
  static final Setting<Duration> OTLP_PERIOD =
      server(
          "otlp.period",
          time(Duration.ofSeconds(1), Duration.ofHours(1)),
          "1m",
          "How often metrics are sent.");
  static final Setting<Duration> GRACE =
      server("grace", time(Duration.ZERO, Duration.ofHours(1)), "5s", "How long a stop may take.");
  static final Setting<Duration> DRAIN =
      server(
          "drain",
          time(Duration.ZERO, Duration.ofHours(1)),
          "1s",
          "How long HTTP is still served during a stop, as not ready, so that clients leave; at"
              + " most half of"
              + " grace.");
  static final Setting<Path> TLS_CERTIFICATE =
      server("tls.certificate", ValueType.FILE, null, "The certificate chain, in PEM.");
  static final Setting<Path> TLS_KEY =
      server("tls.key", ValueType.FILE, null, "The private key, in PEM (PKCS #8).");
  static final Setting<Path> TLS_CLIENT_CA =
      server(
          "tls.client-ca",
          ValueType.FILE,
          null,
          "The authorities that sign client certificates, in PEM; not for administration.");
  static final Setting<String> TOKEN =
      server("token", ValueType.SECRET, null, "A token for every namespace.");
  static final Setting<Path> TOKEN_FILE =
      server("token-file", ValueType.FILE, null, "A file with a token for every namespace.");
  static final Setting<Integer> LIMITS_CONNECTIONS =
      server("limits.connections", count(1, 1_000_000), "10000", "Open connections.");
  static final Setting<Optional<Integer>> LIMITS_CONNECTIONS_PER_ADDRESS =
      server(
          "limits.connections-per-address",
          count(1, 1_000_000).orOff(),
          "off",
          "Open connections of a client's address that have presented no token, where there are"
              + " tokens.");
  static final Setting<Optional<Duration>> LIMITS_CONNECTION_AGE =
      server(
          "limits.connection-age",
          time(Duration.ofSeconds(1), Duration.ofDays(7)).orOff(),
          "off",
          "The age at which a connection ends, after an answer.");
  static final Setting<Integer> LIMITS_REQUEST_SIZE =
      server(
          "limits.request-size",
          size(1024, 16 << 20),
          "64KiB",
          "The size of a request. In the Redis protocol, at most 16 KiB before AUTH.");
  static final Setting<Duration> LIMITS_REQUEST_TIME =
      server(
          "limits.request-time",
          time(Duration.ofMillis(100), DAY),
          "10s",
          "The time from the first byte of a request to its last.");
  static final Setting<Integer> LIMITS_COUNT =
      server(
          "limits.count",
          count(1, 1_000_000),
          "10000",
          "IDs in one request; no more than one for each KiB of the heap.");
  static final Setting<Integer> LIMITS_PIPELINE =
      server(
          "limits.pipeline",
          count(1, 1_000_000),
          "1024",
          "Requests of a connection that are answered before others have their turn.");
  static final Setting<Duration> LIMITS_IDLE =
      server(
          "limits.idle",
          time(Duration.ofSeconds(1), Duration.ofDays(7)),
          "10m",
          "How long a connection may send nothing.");
  static final Setting<Optional<Integer>> LIMITS_RATE =
      server("limits.rate", count(1, Integer.MAX_VALUE).orOff(), "off", "IDs a second per token.");
  static final Setting<Integer> LIMITS_NAMESPACES =
      server("limits.namespaces", count(1, 100_000), "256", "Open namespaces.");

  static final Setting<String> TYPE =
      add(
          "type",
          Scope.NAMESPACE,
          ValueType.choice("snowflake", "segment"),
          "snowflake",
          "Time-ordered IDs, or numbers that count 1, 2, 3 and so on.");

  static final Setting<Boolean> REQUIRED =
      add(
          "required",
          Scope.NAMESPACE,
          onOff(),
          "on",
          "Report the server as ready only if it can issue IDs of this namespace.");

  static {
    generator(GeneratorSettings.Setting.LAYOUT, Settings::layout, "classic");
    generator(GeneratorSettings.Setting.NEXT_LAYOUT, Settings::layout, null);
    generator(GeneratorSettings.Setting.WINDOW, time(Duration.ofMillis(100), DAY), "30s");
    generator(GeneratorSettings.Setting.ACQUIRE_TIMEOUT, time(Duration.ZERO, DAY), null);
    generator(GeneratorSettings.Setting.MAX_CLOCK_SKEW, time(Duration.ZERO, DAY), null);
    generator(GeneratorSettings.Setting.MAX_SPLIT, time(Duration.ZERO, DAY), null);
    generator(GeneratorSettings.Setting.AFTER_LOSS, null);
    generator(GeneratorSettings.Setting.SETTLE_TIME, time(Duration.ZERO, DAY), null);
    generator(GeneratorSettings.Setting.CARRY_OVER, null);
    generator(
        GeneratorSettings.Setting.MAX_LEAD, time(Duration.ZERO, SnowflakeConfig.MAX_LEAD), "0ms");
    generator(
        GeneratorSettings.Setting.MAX_WAIT, time(Duration.ZERO, SnowflakeConfig.MAX_WAIT), "5ms");
    generator(GeneratorSettings.Setting.SEQUENCE_START, "continue");
    generator(GeneratorSettings.Setting.CLOCK_POLICY, Settings::clockPolicy, null);
    generator(GeneratorSettings.Setting.ALLOW_UNDER_TEN_YEARS, onOff(), "off");
    generator(GeneratorSettings.Setting.DATACENTER, Scope.SNOWFLAKE, NUMBER, null);
    generator(
        GeneratorSettings.Setting.WORKER,
        Scope.SNOWFLAKE,
        text(GeneratorSettings.Setting.WORKER.form(), WorkerNumber::of),
        null);
    GENERATOR.put(GeneratorSettings.Setting.INSTANCE, INSTANCE); // one for all namespaces
    for (GeneratorSettings.Setting setting : GeneratorSettings.Setting.values()) {
      if (!GENERATOR.containsKey(setting)) {
        generator(setting, null);
      }
    }
  }

  static final Setting<Long> STEP =
      add(
          "step",
          Scope.SEGMENT,
          number(1, SegmentGenerator.MAX_STEP),
          null,
          "How many numbers a segment has; 1,000 by default.");
  static final Setting<String> SOURCE =
      add(
          "source",
          Scope.SEGMENT,
          ValueType.STORE_URI,
          null,
          "What keeps the counter: a store, the table of Leaf or tinyid (leaf:jdbc:...,"
              + " tinyid:jdbc:...), or sequences (pooled:jdbc:..., pooled-lo:jdbc:...); the"
              + " server's store by default.");

  /** A counter is fetched over a network. */
  static final Setting<Duration> SEGMENT_MAX_WAIT =
      add(
          "max-wait",
          Scope.SEGMENT,
          time(Duration.ZERO, Duration.ofMinutes(1)),
          SegmentConfig.MAX_WAIT.toSeconds() + "s",
          "The longest wait of a request for a segment.");

  static final Setting<Path> TOKEN_PATH =
      add("file", Scope.TOKEN, ValueType.FILE, null, "A file that contains the token.");
  static final Setting<String> TOKEN_VARIABLE =
      add(
          "env",
          Scope.TOKEN,
          text("NAME", name -> name),
          null,
          "The environment variable that contains the token.");
  static final Setting<List<String>> TOKEN_NAMESPACES =
      add(
          "namespaces",
          Scope.TOKEN,
          ValueType.LIST,
          "*",
          "The namespaces that the token may use; * for all.");
  static final String ORDINARY_SCOPES = "issue,read";
  static final Setting<Set<TokenScope>> TOKEN_SCOPES =
      add(
          "scopes",
          Scope.TOKEN,
          text("SCOPES", TokenScope::parse),
          ORDINARY_SCOPES,
          "What the token permits: issue (IDs), read (metrics and state), reserve (blocks and"
              + " watermarks), admin (reload).");
  static final Setting<Boolean> TOKEN_ON_DEMAND =
      add(
          "on-demand",
          Scope.TOKEN,
          onOff(),
          null,
          "Open any namespace that the token may use; as on-demand by default.");
  static final Setting<Optional<Integer>> TOKEN_RATE =
      add(
          "rate",
          Scope.TOKEN,
          count(1, Integer.MAX_VALUE).orOff(),
          null,
          "IDs a second; limits.rate by default.");
  static final Setting<Optional<Integer>> TOKEN_CONNECTIONS =
      add(
          "connections",
          Scope.TOKEN,
          count(1, 1_000_000).orOff(),
          "off",
          "Open connections that have presented the token.");

  private Settings() {}

  /** Adds a setting that the help of {@code firn serve} shows; the reference shows all. */
  private static <T> Setting<T> prominent(
      String key, ValueType<T> type, @Nullable String byDefault, String help) {
    return add(new Setting<>(key, Scope.SERVER, type, byDefault, help, true));
  }

  private static <T> Setting<T> server(
      String key, ValueType<T> type, @Nullable String byDefault, String help) {
    return add(key, Scope.SERVER, type, byDefault, help);
  }

  private static void generator(GeneratorSettings.Setting setting, @Nullable String byDefault) {
    generator(setting, setting::parse, byDefault);
  }

  private static void generator(
      GeneratorSettings.Setting setting, Function<String, ?> reader, @Nullable String byDefault) {
    generator(setting, text(setting.form(), reader), byDefault);
  }

  private static void generator(
      GeneratorSettings.Setting setting, ValueType<?> type, @Nullable String byDefault) {
    generator(setting, Scope.SNOWFLAKES, type, byDefault);
  }

  private static void generator(
      GeneratorSettings.Setting setting,
      Scope scope,
      ValueType<?> type,
      @Nullable String byDefault) {
    GENERATOR.put(setting, add(setting.key(), scope, type, byDefault, setting.description()));
  }

  private static <T> Setting<T> add(
      String key, Scope scope, ValueType<T> type, @Nullable String byDefault, String help) {
    return add(new Setting<>(key, scope, type, byDefault, help, false));
  }

  private static <T> Setting<T> add(Setting<T> setting) {
    TABLE.add(setting);
    return setting;
  }

  /** Returns the whole table, in its order. */
  static List<Setting<?>> all() {
    return List.copyOf(TABLE);
  }

  /** Returns the setting of where a protocol is served. */
  static Setting<Optional<InetSocketAddress>> listen(ProtocolKind protocol) {
    return Objects.requireNonNull(LISTEN.get(protocol));
  }

  /** Returns the setting of a generator. */
  static Setting<?> of(GeneratorSettings.Setting setting) {
    return Objects.requireNonNull(GENERATOR.get(setting));
  }

  /** Returns the settings of a group that leave no place for an inherited one. */
  static Stream<Setting<?>> replacedBy(Setting<?> inherited) {
    return GENERATOR.entrySet().stream()
        .filter(entry -> entry.getValue().is(inherited))
        .flatMap(entry -> entry.getKey().replacedBy().stream())
        .map(Settings::of);
  }

  static String namespaceName(String text) {
    if (!Require.isName(text)) {
      throw new IllegalArgumentException(text + " (expected: " + Require.NAME_RULE + ")");
    }
    return text;
  }

  private static String httpUrl(String text) {
    if (!HTTP_URL.matcher(text).matches()) {
      throw new IllegalArgumentException(
          StoreUri.hide(text)
              + " (expected: http://HOST or https://HOST, with a port and a path if need be, without"
              + " user and password)");
    }
    return text;
  }

  private static ClockPolicy clockPolicy(String text) {
    ClockPolicy policy = ClockPolicy.of(text);
    if (!SnowflakeConfig.allows(policy)) {
      throw new IllegalArgumentException(
          text + " (expected: " + SnowflakeConfig.CLOCK_POLICY_RULE + ")");
    }
    return policy;
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
}
