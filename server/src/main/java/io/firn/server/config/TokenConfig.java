package io.firn.server.config;

import java.util.List;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A right to use the server. Its text is never shown.
 *
 * @param name its name in logs and limits
 * @param secret what a client presents
 * @param namespaces the namespaces that it may use; {@code *} for all
 * @param scopes its rights
 * @param onDemand whether it opens namespaces on demand
 * @param rate IDs a second; empty without a limit
 * @param connections open connections that have presented it; empty without a limit
 */
public record TokenConfig(
    String name,
    String secret,
    List<String> namespaces,
    Set<TokenScope> scopes,
    boolean onDemand,
    OptionalInt rate,
    OptionalInt connections) {

  private static final List<String> ALL = List.of("*");

  /** Returns a token for everything, without limits of its own. */
  static TokenConfig unbound(String name, String secret, boolean onDemand, OptionalInt rate) {
    return new TokenConfig(
        name, secret, ALL, TokenScope.all(), onDemand, rate, OptionalInt.empty());
  }

  /**
   * Returns what clients may that need no token, because the server has none. Those on other hosts
   * that present no certificate may do what an ordinary token permits.
   */
  public static TokenConfig anonymous(ServerConfig config) {
    boolean strangers = config.isExposed() && !config.requiresCertificates();
    return new TokenConfig(
        "anonymous",
        "",
        ALL,
        strangers ? TokenScope.ordinary() : TokenScope.all(),
        config.onDemand(),
        config.limits().rate(),
        OptionalInt.empty());
  }

  /** Returns whether it may use a namespace. */
  public boolean permits(String namespace) {
    return namespaces.contains("*") || namespaces.contains(namespace);
  }

  @Override
  public String toString() {
    return "TokenConfig[" + name + ", " + namespaces + ", " + scopes + "]";
  }
}
