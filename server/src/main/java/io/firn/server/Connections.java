package io.firn.server;

import io.firn.server.config.Limits;
import io.firn.server.config.ProtocolKind;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

/** All connections: how many there may be, and what ends them. Thread-safe. */
final class Connections {

  /** How often it is looked whether a connection takes too long. */
  private static final long MAX_CHECK_MILLIS = 1000;

  /** A check comes so much later than it should, at most. */
  private static final long CHECKS_PER_LIMIT = 4;

  /** Operators, their probes and their monitoring. */
  private static final int MAX_ADMIN_CONNECTIONS = 100;

  private final Service service;
  private final Optional<TlsCertificate> tls;
  private final HeldBytes held = HeldBytes.ofProcess();
  private final ConnectionLimit publicLimit;
  private final ConnectionLimit adminLimit = new ConnectionLimit(MAX_ADMIN_CONNECTIONS);
  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  Connections(Service service, Optional<TlsCertificate> tls) {
    this.service = service;
    this.tls = tls;
    Limits limits = service.config().limits();
    publicLimit = new ConnectionLimit(limits.connections());
    long least = Math.min(limits.idle().toMillis(), limits.requestTime().toMillis());
    long period = Math.min(MAX_CHECK_MILLIS, least / CHECKS_PER_LIMIT);
    service
        .loops()
        .group()
        .next()
        .scheduleWithFixedDelay(
            () -> each(Connection::check), period, period, TimeUnit.MILLISECONDS);
  }

  /** Sets up the connections of a protocol, or rejects them. */
  ChannelInitializer<SocketChannel> opener(Protocol protocol) {
    Traffic traffic = Objects.requireNonNull(service.traffic().get(protocol.name()));
    ConnectionLimit limit =
        protocol.name().equals(ProtocolKind.ADMIN.label()) ? adminLimit : publicLimit;
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(SocketChannel channel) {
        traffic.opened();
        channel.closeFuture().addListener(closed -> traffic.closed());
        Connection connection = connection(channel, traffic);
        if (limit.add(connection)) {
          channel.closeFuture().addListener(closed -> limit.remove(connection));
          accept(channel, protocol, connection);
        } else {
          reject(channel, protocol, limit.most());
        }
      }
    };
  }

  private Connection connection(SocketChannel channel, Traffic traffic) {
    return new Connection(
        channel,
        service.config().limits(),
        service.callers().anonymous().isPresent(),
        traffic,
        held,
        service.time());
  }

  /** A client that expects TLS would not understand why. */
  private void reject(SocketChannel channel, Protocol protocol, int most) {
    if (tls.isPresent()) {
      channel.close();
      return;
    }
    String reason =
        "Too many connections: this server has " + most + ", its limit (limits.connections)";
    channel.writeAndFlush(protocol.rejection(reason)).addListener(ChannelFutureListener.CLOSE);
  }

  private void accept(SocketChannel channel, Protocol protocol, Connection connection) {
    tls.ifPresent(files -> channel.pipeline().addLast(files.newHandler(channel.alloc())));
    protocol.open(channel.pipeline(), connection);
    channel.pipeline().addLast(connection);
    open.add(channel);
  }

  private void each(BiConsumer<Connection, ChannelHandlerContext> action) {
    for (Channel channel : open) {
      channel
          .eventLoop()
          .execute(
              () -> {
                ChannelHandlerContext ctx = channel.pipeline().context(Connection.class);
                if (ctx != null) {
                  action.accept((Connection) ctx.handler(), ctx);
                }
              });
    }
  }

  /** Ends each connection when nothing is under way, and after that time all that are left. */
  void stop(long nanos) {
    each(Connection::stop);
    open.newCloseFuture().awaitUninterruptibly(Math.max(0, nanos), TimeUnit.NANOSECONDS);
    open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }
}
