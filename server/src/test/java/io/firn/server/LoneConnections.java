package io.firn.server;

/** Connections of no server, for tests of a face alone. */
public final class LoneConnections {

  private LoneConnections() {}

  /** One with the limits and the clock of that service. */
  public static Connection of(Service service) {
    return new Connection(service.config().limits(), new Traffic(), service.time());
  }
}
