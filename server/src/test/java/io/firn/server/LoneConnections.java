package io.firn.server;

import io.netty.channel.Channel;

/** Connections of no server, for tests of a protocol alone. */
public final class LoneConnections {

  private LoneConnections() {}

  /** One with the limits and the clock of that service. */
  public static Connection of(Channel channel, Service service) {
    return of(channel, service, HeldBytes.ofProcess());
  }

  /** As above, with that budget. */
  static Connection of(Channel channel, Service service, HeldBytes held) {
    return new Connection(
        channel, false, service.config().limits(), true, new Traffic(), held, service.time());
  }
}
