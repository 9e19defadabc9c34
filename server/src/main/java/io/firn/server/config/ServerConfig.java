package io.firn.server.config;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The settings of a server. Immutable.
 *
 * @param listen where each protocol is served, by the name of its {@link ProtocolKind}; one that is
 *     off is missing
 * @param store the address of the register store, with its secrets
 * @param instance the name of this process; the host's unless set
 * @param defaults how a namespace is made that is opened on demand
 * @param namespaces the namespaces that are opened at start
 * @param optional those of the namespaces without which the server is ready
 * @param onDemand whether others are opened when they are asked for
 * @param limits what a client may cost
 * @param tls the files for TLS, unless it is off
 * @param tokens the permitted callers; everyone if there is none
 * @param hosts the host names by which HTTP clients without a token may call the server
 * @param redisIds how Redis clients get IDs: {@code auto}, {@code integers} or {@code strings}
 * @param legacy what clients of Leaf and tinyid are served
 * @param thriftNamespace the namespace of Thrift's clients, which name none
 * @param jsonLog whether the events of the log are JSON rather than text
 * @param otlp where metrics are sent
 * @param grace how long a stop may take
 * @param drain how long a stop serves clients that can be asked to leave
 * @param fromFile whether a file has some of these settings
 */
public record ServerConfig(
    Map<String, InetSocketAddress> listen,
    String store,
    Optional<String> instance,
    SnowflakeConfig defaults,
    Map<String, NamespaceConfig> namespaces,
    Set<String> optional,
    boolean onDemand,
    Limits limits,
    Optional<TlsConfig> tls,
    List<TokenConfig> tokens,
    List<String> hosts,
    String redisIds,
    LegacyConfig legacy,
    String thriftNamespace,
    boolean jsonLog,
    Optional<OtlpTarget> otlp,
    Duration grace,
    Duration drain,
    boolean fromFile) {

  /** The namespace that is opened at start where none is configured. */
  public static final String DEFAULT_NAMESPACE = "default";

  /** Returns the namespaces that the server must have to be ready, in the order of the settings. */
  public Set<String> required() {
    Set<String> required = new LinkedHashSet<>(permanent());
    required.removeAll(optional);
    return required;
  }

  /** Returns the namespaces that are opened at start and stay open. */
  public Set<String> permanent() {
    return namespaces.isEmpty() ? Set.of(DEFAULT_NAMESPACE) : namespaces.keySet();
  }

  /** Returns whether other hosts reach a port at which IDs are issued. */
  boolean isExposed() {
    return Arrays.stream(ProtocolKind.values())
        .filter(ProtocolKind::issues)
        .flatMap(protocol -> Optional.ofNullable(listen.get(protocol.label())).stream())
        .anyMatch(address -> !address.getAddress().isLoopbackAddress());
  }

  /** Returns whether every client of those ports presents a certificate. */
  public boolean requiresCertificates() {
    return tls.flatMap(TlsConfig::clientAuthorities).isPresent();
  }

  /** Refuses other settings if a part of them needs a restart. */
  public void checkReload(ServerConfig next) {
    Map<String, Function<ServerConfig, Object>> fixed = new LinkedHashMap<>();
    fixed.put("listen", ServerConfig::listen);
    fixed.put("store", ServerConfig::store);
    fixed.put("instance", ServerConfig::instance);
    fixed.put("defaults", ServerConfig::defaults);
    fixed.put("tls", config -> config.tls().isPresent());
    fixed.put("legacy-routes, leaf or tinyid", ServerConfig::legacy);
    fixed.put("thrift-namespace", ServerConfig::thriftNamespace);
    fixed.put("otlp", ServerConfig::otlp);
    fixed.put("log-format", ServerConfig::jsonLog);
    for (String name : permanent()) {
      if (next.permanent().contains(name)) {
        fixed.put("namespaces." + name, config -> config.namespace(name));
      }
    }
    fixed.forEach(
        (name, part) -> {
          if (!Objects.equals(part.apply(this), part.apply(next))) {
            throw new IllegalArgumentException(
                name + ": changed (expected: as before, or a restart)");
          }
        });
  }

  /** Returns how long a stop serves clients that can be asked to leave, within its grace. */
  public Duration effectiveDrain() {
    Duration most = grace.dividedBy(2);
    return drain.compareTo(most) < 0 ? drain : most;
  }

  /** Returns how a namespace is created; empty if no one may use it. */
  public Optional<NamespaceConfig> namespace(String name) {
    return namespace(name, onDemand || tokens.stream().anyMatch(TokenConfig::onDemand));
  }

  /**
   * Returns how a namespace is made; empty if the caller may not use it.
   *
   * @param opens whether the caller opens namespaces on demand
   */
  public Optional<NamespaceConfig> namespace(String name, boolean opens) {
    return Optional.ofNullable(namespaces.get(name))
        .or(() -> legacy.namespace(name))
        .or(() -> Optional.of(defaults).filter(any -> opens || permanent().contains(name)));
  }
}
