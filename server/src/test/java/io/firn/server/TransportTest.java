package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

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
