package io.firn.server.config;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The protocols that a server speaks. The one list of them. */
public enum ProtocolKind {
  /** HTTP/1.1. */
  HTTP(7608, "HTTP", true),
  /** The Redis protocol. */
  REDIS(7606, "the Redis protocol", true),
  /** Twitter's Thrift, whose clients name no namespace. */
  THRIFT(7609, "Twitter's Thrift", false);

  private final int port;
  private final String description;
  private final boolean carriesToken;

  ProtocolKind(int port, String description, boolean carriesToken) {
    this.port = port;
    this.description = description;
    this.carriesToken = carriesToken;
  }

  /** Returns the name, as it stands below {@code listen} in the configuration. */
  public String label() {
    return name().toLowerCase(Locale.ROOT);
  }

  static List<String> labels() {
    return Arrays.stream(values()).map(ProtocolKind::label).toList();
  }

  /** Returns the port unless another is set. */
  int port() {
    return port;
  }

  String description() {
    return description;
  }

  /** Returns whether clients can present a token, and name a namespace. */
  boolean carriesToken() {
    return carriesToken;
  }
}
