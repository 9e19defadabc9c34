package io.firn.server;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;

/**
 * The way in which a loop learns which connections have something to say: from epoll on Linux,
 * which costs least for each request, and elsewhere by what the JDK has.
 */
final class Transport {

  /**
   * The number of bytes that the kernel takes beyond what the client's window lets it send. By
   * default it takes megabytes for each client that does not read.
   */
  private static final long MAX_UNSENT_BYTES = 128 << 10;

  private Transport() {}

  static IoHandlerFactory ioHandlers() {
    return Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
  }

  /** Returns a bootstrap of a listener. */
  static ServerBootstrap listener() {
    ServerBootstrap bootstrap = new ServerBootstrap();
    return Epoll.isAvailable()
        ? bootstrap
            .channel(EpollServerSocketChannel.class)
            .childOption(EpollChannelOption.TCP_NOTSENT_LOWAT, MAX_UNSENT_BYTES)
        : bootstrap.channel(NioServerSocketChannel.class);
  }
}
