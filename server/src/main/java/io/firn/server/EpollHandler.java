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
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Netty's handler of epoll events, which keeps every open connection registered, and closes a
 * connection that is broken. Netty 4.2.18 alone removes a connection from epoll while it waits for
 * no event, such as after its client has closed its sending side. It then cannot register the
 * connection for an event again, such as for room to send (<a
 * href="https://github.com/netty/netty/pull/16689">since this change</a>). From a broken
 * connection, Netty alone reads all bytes that the system has received, in steps of the read size.
 *
 * <p>The handler queues the events of strangers as turns: epoll reports sockets in the order in
 * which they became ready, so a client would wait for all strangers before it.
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
    if (!(handle instanceof EpollIoHandle epollHandle)) {
      return epoll.register(handle);
    }
    Socket socket = new Socket(epollHandle);
    Registration registration = new Registration(epoll.register(socket));
    socket.registration = registration;
    return registration;
  }

  @Override
  public void wakeup() {
    epoll.wakeup();
  }

  @Override
  public boolean isCompatible(Class<? extends IoHandle> handleType) {
    return epoll.isCompatible(handleType);
  }

  /**
   * A connection or a listener. An event of a stranger's connection is handled in a turn, and epoll
   * does not report the connection until then: clients do not wait behind thousands of strangers.
   */
  @SuppressWarnings("try") // as Netty declares it
  private static final class Socket implements EpollIoHandle, LaterTurns.Turn {

    private final EpollIoHandle handle;
    private @Nullable Registration registration;
    private @Nullable Connection connection;

    /** The turns among which this waits for its own; null if it waits for none. */
    private @Nullable LaterTurns turns;

    private @Nullable Object client;
    private EpollIoOps happened = EpollIoOps.NONE;

    Socket(EpollIoHandle handle) {
      this.handle = handle;
    }

    @Override
    public FileDescriptor fd() {
      return handle.fd();
    }

    @Override
    public void handle(IoRegistration registered, IoEvent event) {
      EpollIoOps ops = ((EpollIoEvent) event).ops();
      if (ops.contains(EpollIoOps.EPOLLERR) && handle instanceof Channel.Unsafe broken) {
        broken.close(broken.voidPromise()); // no answer would reach the client
      } else if (turns != null) {
        happened = happened.with(ops);
      } else {
        Connection stranger = stranger();
        if (stranger == null) {
          handle.handle(registered, event);
        } else {
          happened = ops;
          await(stranger);
        }
      }
    }

    /** Returns the connection of this if it is one of a stranger. */
    private @Nullable Connection stranger() {
      if (connection == null && handle instanceof Channel.Unsafe open) {
        connection = open.voidPromise().channel().pipeline().get(Connection.class);
      }
      return connection == null || connection.isKnown() ? null : connection;
    }

    private void await(Connection stranger) {
      Objects.requireNonNull(registration).pause();
      client = stranger.network();
      turns = LaterTurns.of(LaterTurns.Kind.EVENT, false);
      turns.add(stranger.loop(), stranger::nanoTime, client, this);
    }

    @Override
    public void take() {
      Registration registered = Objects.requireNonNull(registration);
      turns = null;
      EpollIoOps wanted = registered.wanted(happened);
      try {
        if (!wanted.equals(EpollIoOps.NONE)) {
          EpollIoEvent event = () -> wanted;
          handle.handle(registered.registered, event);
        }
      } finally {
        registered.resume();
      }
    }

    @Override
    public void registered() {
      handle.registered();
    }

    @Override
    public void unregistered() {
      if (turns != null) {
        turns.remove(Objects.requireNonNull(client), this);
        turns = null;
      }
      handle.unregistered();
    }

    @Override
    public void close() throws Exception {
      handle.close();
    }
  }

  private static final class Registration implements IoRegistration {

    private final IoRegistration registered;
    private EpollIoOps asked = EpollIoOps.NONE;
    private boolean paused;

    Registration(IoRegistration registered) {
      this.registered = registered;
    }

    @Override
    @SuppressWarnings("TypeParameterUnusedInFormals") // as Netty declares it
    public <T> T attachment() {
      return registered.attachment();
    }

    /** Waits for no event with a flag that alone stands for none, instead of without any flag. */
    @Override
    public long submit(IoOps ops) {
      asked = ops.equals(EpollIoOps.NONE) ? EpollIoOps.EPOLLET : (EpollIoOps) ops;
      return paused ? asked.value() : registered.submit(asked);
    }

    /** Waits for no event until {@link #resume}. */
    void pause() {
      paused = true;
      registered.submit(EpollIoOps.EPOLLET);
    }

    void resume() {
      paused = false;
      registered.submit(asked);
    }

    /** Returns those of the events that are waited for now. */
    EpollIoOps wanted(EpollIoOps happened) {
      return happened.without(happened.without(asked));
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
