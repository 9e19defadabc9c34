package io.firn.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.socket.SocketChannel;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;

/** Clients that read large answers slowly, while others wait for the memory of the answers. */
@Timeout(60)
final class SlowReadersTest {

  private static final int ANSWER_BYTES = 190_000;

  /** The smallest budget that holds the answer. It has no room for a long request beside it. */
  private static final int BUDGET = 200_000;

  private static final int RECEIVE_BUFFER_BYTES = 2304;

  private final HeldClock time = new HeldClock();
  private final HeldBytes held = LoneConnections.held(BUDGET);
  private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, Transport.ioHandlers());

  /** The client reads 50 KB a second. */
  @Test
  @EnabledIf("hasEpoll")
  void areNotClosedForRoomWhileTheyRead() throws Exception {
    try (Socket client = new Socket()) {
      client.setReceiveBufferSize(RECEIVE_BUFFER_BYTES);
      Channel server = connect(client);
      Connection reading = open(server);
      group
          .submit(
              () -> {
                server.writeAndFlush(Unpooled.directBuffer().writeZero(ANSWER_BYTES));
                reading.turnEnded(0);
              })
          .sync();
      LaterTurns.Turn turn = held.turn(waiting(), () -> {});
      InputStream in = client.getInputStream();
      for (int read = 0; read < ANSWER_BYTES; read += 500) {
        assertThat(in.readNBytes(500)).as("after " + read).hasSize(500);
        group.submit(() -> {}).sync(); // the loop has written what there is room for
        time.advance(Duration.ofMillis(10));
        turn.isDue();
      }
    } finally {
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS).sync();
    }
  }

  static boolean hasEpoll() {
    return Epoll.isAvailable();
  }

  private Channel connect(Socket client) throws Exception {
    CompletableFuture<Channel> accepted = new CompletableFuture<>();
    Channel listener =
        Transport.listener()
            .group(group)
            .handler(
                new ChannelInboundHandlerAdapter() {
                  @Override
                  public void channelRead(ChannelHandlerContext ctx, Object message) {
                    accepted.complete((Channel) message);
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .sync()
            .channel();
    client.connect(listener.localAddress());
    return accepted.get();
  }

  private Connection open(Channel channel) throws Exception {
    Transport.configure(((SocketChannel) channel).config());
    Connection connection = connection(channel);
    channel.pipeline().addLast(connection);
    group.register(channel).sync();
    return connection;
  }

  private Connection waiting() {
    return connection(new EmbeddedChannel());
  }

  private Connection connection(Channel channel) {
    return LoneConnections.of(channel, RunningServer.config("redis").limits(), true, held, time);
  }
}
