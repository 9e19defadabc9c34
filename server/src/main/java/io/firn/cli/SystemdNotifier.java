package io.firn.cli;

import io.firn.server.EventLoops;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDomainDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.unix.DomainSocketAddress;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * Notifies systemd that the server has started, that it stops, and, as often as systemd requires,
 * that its event loops run. It does so by datagrams to the socket that the variable {@code
 * NOTIFY_SOCKET} names, as sd_notify(3) says. Thread-safe.
 */
final class SystemdNotifier {

  private static final Logger LOG = System.getLogger("io.firn.server");
  private static final String SOCKET = "NOTIFY_SOCKET";
  private static final String WATCHDOG = "WATCHDOG_USEC";

  /** The number of signals within the watchdog time of systemd. */
  private static final int SIGNALS_PER_TIMEOUT = 3;

  private final Channel channel;
  private final Optional<Long> timeoutMicros;

  private SystemdNotifier(Channel channel, Optional<Long> timeoutMicros) {
    this.channel = channel;
    this.timeoutMicros = timeoutMicros;
  }

  /** Returns a notifier; empty if the environment names no socket, or it cannot be used. */
  static Optional<SystemdNotifier> of(Map<String, String> environment) {
    String socket = environment.get(SOCKET);
    if (socket == null) {
      return Optional.empty();
    }
    if (!Epoll.isAvailable()) {
      LOG.log(
          Level.WARNING,
          SOCKET
              + " is not used, because there is no epoll library for this machine; set Type=exec in"
              + " the unit, and no WatchdogSec");
      return Optional.empty();
    }
    EventLoopGroup group =
        new MultiThreadIoEventLoopGroup(1, SystemdNotifier::thread, EpollIoHandler.newFactory());
    var connected =
        new Bootstrap()
            .group(group)
            .channel(EpollDomainDatagramChannel.class)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(new DomainSocketAddress(socket.replaceFirst("^@", "\0")))
            .awaitUninterruptibly();
    if (!connected.isSuccess()) {
      LOG.log(Level.WARNING, SOCKET + ": " + socket + ": " + connected.cause().getMessage());
      group.shutdownGracefully(0, 0, TimeUnit.SECONDS);
      return Optional.empty();
    }
    Optional<Long> timeout = Optional.ofNullable(environment.get(WATCHDOG)).map(Long::valueOf);
    return Optional.of(new SystemdNotifier(connected.channel(), timeout));
  }

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "firn-systemd");
    thread.setDaemon(true);
    return thread;
  }

  /** Reports that the server has started, and from now on that all loops run as long as they do. */
  void ready(EventLoops loops) {
    send("READY=1");
    timeoutMicros.ifPresent(
        micros -> {
          long period = Math.max(1, micros / SIGNALS_PER_TIMEOUT);
          channel
              .eventLoop()
              .scheduleAtFixedRate(() -> signal(loops), 0, period, TimeUnit.MICROSECONDS);
        });
  }

  private void signal(EventLoops loops) {
    if (loops.outage().isEmpty()) {
      send("WATCHDOG=1");
    }
  }

  /** Reports that the server stops. */
  void stopping() {
    send("STOPPING=1");
  }

  private void send(String state) {
    channel.writeAndFlush(Unpooled.copiedBuffer(state, StandardCharsets.UTF_8));
  }
}
