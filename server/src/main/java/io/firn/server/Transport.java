package io.firn.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannelConfig;
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

  /**
   * The connections that a loop reads from before it runs its tasks, which release the memory of
   * closed connections: more readings at once would fill the memory outside the heap.
   */
  private static final int MAX_EVENTS = 128;

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 << 10, 64 << 10);

  private Transport() {}

  static IoHandlerFactory ioHandlers() {
    return Epoll.isAvailable() ? EpollHandler.factory(MAX_EVENTS) : NioIoHandler.newFactory();
  }

  /** Returns a bootstrap of a listener. */
  static Bootstrap listener() {
    return new Bootstrap()
        .channel(
            Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class);
  }

  /** Configures a connection that a listener has accepted. */
  static void configure(SocketChannelConfig connection) {
    connection.setTcpNoDelay(true);
    connection.setAllowHalfClosure(true); // a client may close its sending side first
    connection.setWriteBufferWaterMark(WATER_MARK);
    if (Epoll.isAvailable()) {
      connection.setOption(EpollChannelOption.TCP_NOTSENT_LOWAT, MAX_UNSENT_BYTES);
    }
  }
}
