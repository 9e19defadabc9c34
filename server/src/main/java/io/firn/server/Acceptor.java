package io.firn.server;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.SocketChannel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Sets up each connection that a listener accepts. */
final class Acceptor extends ChannelInboundHandlerAdapter {

  /** The pause after a failure, such as too many open files, which does not pass at once. */
  private static final long PAUSE_SECONDS = 1;

  private final Consumer<SocketChannel> opener;

  /**
   * Creates the handler of a listener.
   *
   * @param opener adds the handlers of a connection, and gives it to the loop that serves it
   */
  Acceptor(Consumer<SocketChannel> opener) {
    this.opener = opener;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    SocketChannel channel = (SocketChannel) message;
    try {
      Transport.configure(channel.config());
    } catch (ChannelException e) { // the client has left
      channel.unsafe().closeForcibly();
      return;
    }
    opener.accept(channel);
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    ChannelConfig listener = ctx.channel().config();
    listener.setAutoRead(false);
    ctx.executor().schedule(() -> listener.setAutoRead(true), PAUSE_SECONDS, TimeUnit.SECONDS);
    ctx.fireExceptionCaught(cause);
  }
}
