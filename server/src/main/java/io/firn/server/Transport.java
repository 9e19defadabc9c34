package io.firn.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelOption;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.MaxMessagesRecvByteBufAllocator;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.channel.ServerChannelRecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannelConfig;
import io.netty.channel.socket.nio.NioServerSocketChannel;

/**
 * The way in which a loop learns which connections have something to say: from epoll on Linux,
 * which costs least for each request, and elsewhere by what the JDK has.
 */
final class Transport {

  /**
   * The number of bytes that the kernel takes beyond what the client's window lets it send. It
   * takes more when half of them are sent, and so shows that the client reads. By default it takes
   * megabytes for each client that does not read.
   */
  private static final long MAX_UNSENT_BYTES = 8 << 10;

  /**
   * The connections that a loop reads from before it runs its tasks, which release the memory of
   * closed connections: more readings at once would fill the memory outside the heap.
   */
  private static final int MAX_EVENTS = 32;

  /** The connections that a listener accepts before the loop serves others. */
  private static final int MAX_ACCEPTED = 16;

  /** The state of a connection that was reset, as Linux numbers it (tcp_states.h). */
  private static final int TCP_CLOSE = 7;

  private static final WriteBufferWaterMark WATER_MARK =
      new WriteBufferWaterMark(32 << 10, 64 << 10);

  private Transport() {}

  static IoHandlerFactory ioHandlers() {
    return Epoll.isAvailable() ? EpollHandler.factory(MAX_EVENTS) : NioIoHandler.newFactory();
  }

  /** Returns a bootstrap of a listener. */
  static Bootstrap listener() {
    return listener(
        Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class);
  }

  /** Returns a bootstrap of a listener that accepts until none waits, a few at once. */
  static Bootstrap listener(Class<? extends ServerChannel> type) {
    return new Bootstrap()
        .channel(type)
        .option(
            ChannelOption.RECVBUF_ALLOCATOR,
            new ServerChannelRecvByteBufAllocator()
                .respectMaybeMoreData(false)
                .maxMessagesPerRead(MAX_ACCEPTED));
  }

  /**
   * Accepts all connections that wait for that at a listener. To be called in its loop.
   *
   * @param most how many can wait
   */
  static void acceptWaiting(Channel listener, int most) {
    RecvByteBufAllocator reading = listener.config().getRecvByteBufAllocator();
    ((MaxMessagesRecvByteBufAllocator) reading).maxMessagesPerRead(most);
    readNow(listener);
  }

  /**
   * Reads from a connection, or accepts at a listener, as its loop does when it finds it ready. To
   * be called in that loop. Nothing happens if there is nothing to read.
   */
  static void readNow(Channel channel) {
    if (channel.unsafe() instanceof AbstractNioChannel.NioUnsafe nio) {
      nio.read();
    } else if (channel.unsafe() instanceof EpollIoHandle epoll) {
      EpollIoEvent ready = () -> EpollIoOps.EPOLLIN;
      epoll.handle(null, ready); // the registration is not used
    } else {
      channel.read();
    }
  }

  /**
   * Returns whether the client has reset a connection, as far as the system says so: Linux does,
   * also before a loop has the connection. Any thread may call it.
   */
  static boolean isReset(Channel channel) {
    try {
      return channel instanceof EpollSocketChannel socket && socket.tcpInfo().state() == TCP_CLOSE;
    } catch (ChannelException e) { // closed meanwhile
      return false;
    }
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
