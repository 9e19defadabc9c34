package io.firn.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Everything that can be set. A path is where a setting stands in the YAML file; {@code *} in it
 * stands for a name that the user gives. Settings without such a name are flags and environment
 * variables too, {@code limits.idle} as {@code --limits-idle} and {@code FIRN_LIMITS_IDLE}.
 */
public enum Setting {
  LISTEN_HTTP("listen.http", "HOST:PORT|off", "127.0.0.1:7608", "Where HTTP is served."),
  LISTEN_REDIS(
      "listen.redis", "HOST:PORT|off", "127.0.0.1:7606", "Where the Redis protocol is served."),
  LISTEN_THRIFT(
      "listen.thrift", "HOST:PORT|off", "127.0.0.1:7609", "Where Twitter's Thrift is served."),
  STORE(
      "store", "URI", null, "Where worker IDs are leased; the user's state directory by default."),
  INSTANCE("instance", "NAME", null, "A name for this process, shown to operators; the host's."),
  ON_DEMAND("on-demand", "on|off", "on", "Open any namespace that is asked for, as defaults say."),
  INSECURE("insecure", "on|off", "off", "Listen beyond loopback without TLS or without tokens."),
  LOG_FORMAT("log-format", "text|json", "text", "How each event of the log stands on its line."),
  THRIFT_NAMESPACE(
      "thrift-namespace", "NAME", "default", "The namespace that Thrift clients get IDs of."),
  LEGACY_ROUTES("legacy-routes", "on|off", "off", "Serve the HTTP routes of Leaf and tinyid."),
  GRACE("grace", "TIME", "5s", "How long a stop may take."),
  TLS_CERTIFICATE("tls.certificate", "FILE", null, "The certificate chain, in PEM."),
  TLS_KEY("tls.key", "FILE", null, "Its private key, in PEM (PKCS #8)."),
  TOKEN("token", "SECRET", null, "A token that may use every namespace."),
  TOKEN_FILE("token-file", "FILE", null, "A file with a token that may use every namespace."),
  LIMITS_CONNECTIONS("limits.connections", "N", "10000", "Open connections, of all protocols."),
  LIMITS_REQUEST_SIZE("limits.request-size", "SIZE", "64KiB", "One request."),
  LIMITS_REQUEST_TIME(
      "limits.request-time", "TIME", "10s", "From a request's first byte to its last."),
  LIMITS_COUNT("limits.count", "N", "10000", "IDs in one request."),
  LIMITS_PIPELINE("limits.pipeline", "N", "1024", "Requests of a connection answered in one turn."),
  LIMITS_IDLE("limits.idle", "TIME", "10m", "A connection that asks nothing."),
  LIMITS_RATE("limits.rate", "N|off", "off", "IDs a second for each token."),
  LIMITS_NAMESPACES("limits.namespaces", "N", "256", "Open namespaces."),
  DEFAULTS_LAYOUT("defaults.layout", "NAME|SPEC", "classic", "The layout."),
  DEFAULTS_WINDOW("defaults.window", "TIME", "30s", "The window of a lease."),
  DEFAULTS_MAX_LEAD("defaults.max-lead", "TIME", "0ms", "How far IDs may run ahead of the clock."),
  DEFAULTS_MAX_WAIT(
      "defaults.max-wait",
      "TIME",
      "5ms",
      "How long a request waits for a clock that stepped back."),
  DEFAULTS_SEQUENCE_START(
      "defaults.sequence-start",
      "RULE",
      "continue",
      "continue, zero, random(N) or rotating(N): the first sequence number of a tick."),
  DEFAULTS_ALLOW_UNDER_TEN_YEARS(
      "defaults.allow-under-ten-years", "on|off", "off", "Accept a layout that ends that soon."),
  NAMESPACE_TYPE("namespaces.*.type", "snowflake|segment", "snowflake", ""),
  NAMESPACE_LAYOUT("namespaces.*.layout", "NAME|SPEC", null, ""),
  NAMESPACE_WINDOW("namespaces.*.window", "TIME", null, ""),
  NAMESPACE_MAX_LEAD("namespaces.*.max-lead", "TIME", null, ""),
  NAMESPACE_MAX_WAIT("namespaces.*.max-wait", "TIME", null, ""),
  NAMESPACE_SEQUENCE_START("namespaces.*.sequence-start", "RULE", null, ""),
  NAMESPACE_ALLOW_UNDER_TEN_YEARS("namespaces.*.allow-under-ten-years", "on|off", null, ""),
  NAMESPACE_DATACENTER("namespaces.*.datacenter", "N", null, ""),
  NAMESPACE_WORKER("namespaces.*.worker", "N", null, ""),
  NAMESPACE_STEP("namespaces.*.step", "N", null, ""),
  NAMESPACE_SOURCE("namespaces.*.source", "URI", null, ""),
  TOKEN_NAMED_FILE("tokens.*.file", "FILE", null, ""),
  TOKEN_NAMED_ENV("tokens.*.env", "NAME", null, ""),
  TOKEN_NAMED_NAMESPACES("tokens.*.namespaces", "NAMES|*", "*", "");

  /** Shown in the help of {@code firn serve}; the others stand in the documentation. */
  private static final List<Setting> PROMINENT =
      List.of(LISTEN_HTTP, LISTEN_REDIS, LISTEN_THRIFT, STORE, INSTANCE, ON_DEMAND, INSECURE);

  private final String path;
  private final String form;
  private final @Nullable String byDefault;
  private final String description;

  Setting(String path, String form, @Nullable String byDefault, String description) {
    this.path = path;
    this.form = form;
    this.byDefault = byDefault;
    this.description = description;
  }

  /** Where it stands in the YAML file. */
  public String path() {
    return path;
  }

  /** What a value looks like. */
  public String form() {
    return form;
  }

  /** What it is for. */
  public String description() {
    return description;
  }

  /** Its value where none is given, unless there is none. */
  Optional<String> byDefault() {
    return Optional.ofNullable(byDefault);
  }

  /** Whether it is on or off, so that its flag needs no value. */
  public boolean isSwitch() {
    return form.equals("on|off");
  }

  /** Whether the command's help shows it. */
  public boolean isProminent() {
    return PROMINENT.contains(this);
  }

  /** Its flag; a secret has none, for everybody on a host can see flags. */
  public Optional<String> flag() {
    return isNamed() || isSecret() ? Optional.empty() : Optional.of("--" + path.replace('.', '-'));
  }

  /** Its environment variable. */
  Optional<String> variable() {
    return isNamed()
        ? Optional.empty()
        : Optional.of("FIRN_" + path.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'));
  }

  /** Whether it must never be printed, and stands in no file that is passed around. */
  boolean isSecret() {
    return this == TOKEN;
  }

  private boolean isNamed() {
    return path.contains("*");
  }

  /** The settings with a flag. */
  public static List<Setting> flags() {
    return Arrays.stream(values()).filter(setting -> setting.flag().isPresent()).toList();
  }
}
