package io.firn.server.config;

import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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
 * @param tokens who may ask; everybody where there is none
 * @param hosts the host names by which HTTP clients without a token may call the server
 * @param legacyRoutes whether the HTTP routes of Leaf and tinyid are served
 * @param thriftNamespace the namespace of Thrift's clients, who name none
 * @param jsonLog whether the events of the log are JSON rather than text
 * @param grace how long a stop may take
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
    boolean legacyRoutes,
    String thriftNamespace,
    boolean jsonLog,
    Duration grace) {

  /** The namespace that is opened at start where none is configured. */
  public static final String DEFAULT_NAMESPACE = "default";

  /** Returns the namespaces that the server must have to be ready. */
  public List<String> required() {
    return permanent().stream().filter(name -> !optional.contains(name)).toList();
  }

  /** Returns the namespaces that are opened at start and stay open. */
  public List<String> permanent() {
    return namespaces.isEmpty() ? List.of(DEFAULT_NAMESPACE) : List.copyOf(namespaces.keySet());
  }

  /** How a namespace is made; empty if nobody may use it. */
  public Optional<NamespaceConfig> namespace(String name) {
    return Optional.ofNullable(namespaces.get(name))
        .or(() -> Optional.of(defaults).filter(any -> onDemand || permanent().contains(name)));
  }
}
