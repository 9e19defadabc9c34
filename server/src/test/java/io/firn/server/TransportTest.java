package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Tests of a listener of either transport; {@link AcceptorTest} has those in a server. */
@Timeout(60)
final class TransportTest {

  private static final int CLIENTS = 100;

  @Test
  void acceptsWhatWaitsWithTheTransportOfThisSystem() throws Exception {
    assertThat(accepted(Transport.listener(), Transport.ioHandlers())).isEqualTo(CLIENTS);
  }

  @Test
  void acceptsWhatWaitsWithTheTransportOfTheJdk() throws Exception {
    Bootstrap listener = Transport.listener(NioServerSocketChannel.class);
    assertThat(accepted(listener, NioIoHandler.newFactory())).isEqualTo(CLIENTS);
  }

  /** Returns how many clients are accepted that connected while the loop was busy. */
  private static int accepted(Bootstrap listener, IoHandlerFactory transport) throws Exception {
    MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, transport);
    AtomicInteger accepted = new AtomicInteger();
    List<RawClient> clients = new ArrayList<>();
    try {
      Channel bound =
          listener.group(group).handler(counter(accepted)).bind(loopback()).sync().channel();
      return group
          .submit(
              () -> {
                for (int i = 0; i < CLIENTS; i++) {
                  clients.add(new RawClient((InetSocketAddress) bound.localAddress()));
                }
                Transport.acceptWaiting(bound, CLIENTS + 1);
                return accepted.get();
              })
          .get();
    } finally {
      clients.forEach(RawClient::close);
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
  }

  /** Thousands of them would keep the loop busy for seconds. */
  @Test
  @EnabledIf("hasEpoll")
  void readsNothingOfAConnectionThatIsBroken() throws Exception {
    MultiThreadIoEventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Transport.ioHandlers());
    AtomicInteger readings = new AtomicInteger();
    CompletableFuture<Channel> accepted = new CompletableFuture<>();
    try {
      Channel bound =
          Transport.listener()
              .group(group)
              .handler(new Unread(group, readings, accepted))
              .bind(loopback())
              .sync()
              .channel();
      Channel connection;
      try (Socket client = new Socket()) {
        client.connect(bound.localAddress());
        connection = accepted.get();
        client.getOutputStream().write(new byte[60_000]);
        client.setSoLinger(true, 0); // so that it ends the connection with a reset
      }
      connection.closeFuture().sync();
      assertThat(readings).hasValue(0);
    } finally {
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
  }

  static boolean hasEpoll() {
    return Epoll.isAvailable();
  }

  /** Registers a connection that waits for its turn, and counts its readings. */
  private static final class Unread extends ChannelInboundHandlerAdapter {

    private final MultiThreadIoEventLoopGroup group;
    private final AtomicInteger readings;
    private final CompletableFuture<Channel> accepted;

    Unread(
        MultiThreadIoEventLoopGroup group,
        AtomicInteger readings,
        CompletableFuture<Channel> accepted) {
      this.group = group;
      this.readings = readings;
      this.accepted = accepted;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      Channel connection = (Channel) message;
      connection.config().setAutoRead(false);
      connection.config().setRecvByteBufAllocator(new ReadSizes(() -> 128));
      connection
          .pipeline()
          .addLast(
              new SimpleChannelInboundHandler<ByteBuf>() {
                @Override
                protected void channelRead0(ChannelHandlerContext on, ByteBuf read) {
                  readings.incrementAndGet();
                }

                @Override
                public void exceptionCaught(ChannelHandlerContext on, Throwable cause) {
                  on.close();
                }
              });
      group.register(connection).addListener(done -> accepted.complete(connection));
    }
  }

  private static InetSocketAddress loopback() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
  }

  private static ChannelInboundHandlerAdapter counter(AtomicInteger accepted) {
    return new ChannelInboundHandlerAdapter() {
      @Override
      public void channelRead(ChannelHandlerContext ctx, Object message) {
        accepted.incrementAndGet();
        ((Channel) message).unsafe().closeForcibly();
      }
    };
  }
}
