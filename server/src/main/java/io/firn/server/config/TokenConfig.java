package io.firn.server.config;

import java.util.List;

/**
 * A right to ask for IDs. Its text is never shown.
 *
 * @param name what it is called in logs and limits
 * @param secret what a client presents
 * @param namespaces what it may use; {@code *} for all
 */
public record TokenConfig(String name, String secret, List<String> namespaces) {

  /** Whether it may use a namespace. */
  public boolean permits(String namespace) {
    return namespaces.contains("*") || namespaces.contains(namespace);
  }

  @Override
  public String toString() {
    return "TokenConfig[" + name + ", " + namespaces + "]";
  }
}
