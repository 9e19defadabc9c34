package io.firn.server;

import io.netty.channel.Channel;
import io.netty.channel.DefaultSelectStrategyFactory;
import io.netty.channel.IoEvent;
import io.netty.channel.IoHandle;
import io.netty.channel.IoHandler;
import io.netty.channel.IoHandlerContext;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.IoOps;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoEvent;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;

/**
 * Netty's handler of epoll events, which keeps every open connection registered, and closes a
 * connection that is broken. Netty 4.2.18 alone removes a connection from epoll while it waits for
 * no event, as one does whose client has closed its sending side, and then cannot have it wait for
 * an event again, such as for room to send (<a
 * href="https://github.com/netty/netty/pull/16689">since this change</a>). Of a broken connection,
 * it reads all that the system has received before, in as many steps as the readings are small.
 */
final class EpollHandler implements IoHandler {

  private final IoHandler epoll;

  private EpollHandler(IoHandler epoll) {
    this.epoll = epoll;
  }

  /**
   * Returns a factory of handlers.
   *
   * @param maxEvents the most events that are handled before the tasks of the loop
   */
  static IoHandlerFactory factory(int maxEvents) {
    IoHandlerFactory epoll =
        EpollIoHandler.newFactory(maxEvents, DefaultSelectStrategyFactory.INSTANCE);
    return executor -> new EpollHandler(epoll.newHandler(executor));
  }

  @Override
  public void initialize() {
    epoll.initialize();
  }

  @Override
  public int run(IoHandlerContext context) {
    return epoll.run(context);
  }

  @Override
  public void prepareToDestroy() {
    epoll.prepareToDestroy();
  }

  @Override
  public void destroy() {
    epoll.destroy();
  }

  @Override
  public IoRegistration register(IoHandle handle) throws Exception {
    return new Registration(
        epoll.register(handle instanceof EpollIoHandle socket ? new Socket(socket) : handle));
  }

  @Override
  public void wakeup() {
    epoll.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return epoll.isCompatible(handleType);
  }

  /** A connection or a listener. A listener has no errors. */
  @SuppressWarnings("try") // as Netty declares it
  private record Socket(EpollIoHandle channel) implements EpollIoHandle {

    @Override
    public FileDescriptor fd() {
      return channel.fd();
    }

    @Override
    public void handle(IoRegistration registration, IoEvent event) {
      if (event instanceof EpollIoEvent ready
          && ready.ops().contains(EpollIoOps.EPOLLERR)
          && channel instanceof Channel.Unsafe open) {
        open.close(open.voidPromise()); // no answer would reach the client
      } else {
        channel.handle(registration, event);
      }
    }

    @Override
    public void registered() {
      channel.registered();
    }

    @Override
    public void unregistered() {
      channel.unregistered();
    }

    @Override
    public void close() throws Exception {
      channel.close();
    }
  }

  private record Registration(IoRegistration registered) implements IoRegistration {

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
    public <T> T attachment() {
      return registered.attachment();
    }

    /** Waits for no event with a flag that alone stands for none, instead of without any flag. */
    @Override
    public long submit(IoOps ops) {
      return registered.submit(ops.equals(EpollIoOps.NONE) ? EpollIoOps.EPOLLET : ops);
    }

    @Override
    public boolean isValid() {
      return registered.isValid();
    }

    @Override
    public boolean cancel() {
      return registered.cancel();
    }
  }
}
