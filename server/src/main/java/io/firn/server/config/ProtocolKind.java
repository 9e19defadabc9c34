package io.firn.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The protocols that a server speaks, with their names, default addresses and rights. The command
 * {@code serve} has their factories.
 */
public enum ProtocolKind {
  /** HTTP/1.1. */
  HTTP("127.0.0.1:7608", "HTTP", true),
  /** The Redis protocol. */
  REDIS("127.0.0.1:7606", "the Redis protocol", true),
  /** Twitter's Thrift, whose clients name no namespace. */
  THRIFT("127.0.0.1:7609", "Twitter's Thrift", false),
  /** HTTP for operators, which issues no IDs. */
  ADMIN("off", "administration (health, metrics, fleet, console)", true);

  private final String address;
  private final String description;
  private final boolean carriesToken;

  ProtocolKind(String address, String description, boolean carriesToken) {
    this.address = address;
    this.description = description;
    this.carriesToken = carriesToken;
  }

  /** Returns the name, as written below {@code listen} in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  /** Returns the names of those that issue IDs. */
  static List<String> issuers() {
    return Arrays.stream(values()).filter(ProtocolKind::issues).map(ProtocolKind::label).toList();
  }

  /** Returns where it is served unless that is set. */
  String address() {
    return address;
  }

  /** Returns whether clients get IDs. */
  boolean issues() {
    return this != ADMIN;
  }

  String description() {
    return description;
  }

  /** Returns whether clients can present a token, and name a namespace. */
  boolean carriesToken() {
    return carriesToken;
  }
}
