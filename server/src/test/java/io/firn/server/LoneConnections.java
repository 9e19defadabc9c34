package io.firn.server;

import io.firn.server.config.Limits;
import io.firn.server.config.TokenConfig;
import io.firn.server.config.TokenScope;
import io.firn.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.embedded.EmbeddedChannel;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/** Connections of no server, for tests of a protocol alone. */
public final class LoneConnections {

  private LoneConnections() {}

  /** One with the limits and the clock of that service. */
  public static Connection of(Channel channel, Service service) {
    return of(channel, service, held(Long.MAX_VALUE));
  }

  /** As above, with that budget. */
  static Connection of(Channel channel, Service service, HeldBytes held) {
    return of(channel, service.config().limits(), true, held, service.time());
  }

  /** One with those limits, whose client has presented a token or has not. */
  static Connection of(
      Channel channel, Limits limits, boolean authenticated, HeldBytes held, TimeSource time) {
    Optional<Caller> anonymous = authenticated ? Optional.of(caller(time)) : Optional.empty();
    return of(channel, limits, anonymous, held, new KnownAddresses(), time);
  }

  /** One that needs no token if there is an anonymous caller. */
  static Connection of(
      Channel channel,
      Limits limits,
      Optional<Caller> anonymous,
      HeldBytes held,
      KnownAddresses known,
      TimeSource time) {
    EventLoop acceptor = new EmbeddedChannel().eventLoop();
    return new Connection(
        channel, false, limits, anonymous, new Traffic(), held, known, acceptor, time);
  }

  /** The caller with a token for everything. */
  static Caller caller(TimeSource time) {
    TokenConfig token =
        new TokenConfig(
            "lone",
            "a-token-for-all-of-it",
            List.of("*"),
            Set.of(TokenScope.ISSUE),
            false,
            OptionalInt.empty(),
            OptionalInt.empty());
    return new Caller(token, time);
  }

  /** The channel of a client at that host. */
  static EmbeddedChannel channelFrom(String host) {
    return new EmbeddedChannel() {
      @Override
      protected SocketAddress remoteAddress0() {
        return isActive() ? new InetSocketAddress(host, 1) : null;
      }
    };
  }

  /** A budget of so many bytes. */
  static HeldBytes held(long budget) {
    return new HeldBytes(budget, new AuditLog(TimeSource.system()));
  }
}
