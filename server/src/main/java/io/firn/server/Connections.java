package io.firn.server;

import io.firn.server.config.Limits;
import io.firn.server.config.ProtocolKind;
import io.firn.server.config.ServerConfig;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.channel.socket.SocketChannel;
import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import javax.net.ssl.SSLHandshakeException;
import org.jspecify.annotations.Nullable;

/** All connections: how many there may be, and what ends them. Thread-safe. */
final class Connections {

  /** The interval of the search for connections that take too long. */
  private static final long MAX_CHECK_MILLIS = 1000;

  /** The checks in a time limit: a connection exceeds its limit by at most this part of it. */
  private static final long CHECKS_PER_LIMIT = 4;

  /** A loop serves its clients after this number of checks. */
  private static final int CHECKED_AT_ONCE = 128;

  /** Operators, their probes and their monitoring. */
  private static final int MAX_ADMIN_CONNECTIONS = 100;

  /** Those that are open for a moment, so that their clients read why they are not accepted. */
  private static final int MAX_REJECTED_CONNECTIONS = 32;

  /** The time that a loop has to take the connections that were accepted before a stop. */
  private static final long MAX_TAKE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  /** The time that all loops have to take those and to close the others. */
  private static final long MAX_TAKE_ALL_MILLIS = 1_000;

  /** The time that clients have to get the refusals of requests that wait at the end of a stop. */
  private static final long MAX_REFUSAL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);

  /** The part of the time of a stop that this takes at most. */
  private static final long REFUSAL_SHARE = 4;

  private final Service service;
  private final Optional<TlsCertificate> tls;
  private final HeldBytes held;
  private final ConnectionLimit publicLimit;
  private final ConnectionLimit adminLimit =
      new ConnectionLimit(MAX_ADMIN_CONNECTIONS, "the limit of listen.admin");
  private final LatestConnections reserved = new LatestConnections(MAX_ADMIN_CONNECTIONS);
  private final LatestConnections rejected = new LatestConnections(MAX_REJECTED_CONNECTIONS);
  private final AddressLimit addresses;
  private final KnownAddresses knownAddresses = new KnownAddresses();
  private volatile boolean draining;
  private volatile boolean stopping;
  private volatile long stoppedNanos;

  /** The loops whose last check is not done: another one would only wait behind it. */
  private final Set<EventLoop> checking = ConcurrentHashMap.newKeySet();

  private final ChannelGroup open = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE, true);

  Connections(Service service, Optional<TlsCertificate> tls) {
    this.service = service;
    this.tls = tls;
    held = HeldBytes.ofProcess(service.audit());
    Limits limits = service.config().limits();
    addresses = new AddressLimit(limits.connectionsPerAddress());
    int most = service.mostConnections();
    publicLimit = new ConnectionLimit(most, nameOf(most, limits));
    scheduleCheck();
  }

  /** Schedules the next check, after an interval that fits the limits as they are now. */
  private void scheduleCheck() {
    Limits limits = service.config().limits();
    long least = Math.min(limits.idle().toMillis(), limits.requestTime().toMillis());
    long delay = Math.min(MAX_CHECK_MILLIS, least / CHECKS_PER_LIMIT);
    service
        .loops()
        .acceptor()
        .schedule(
            () -> {
              PeriodicWork.run(this::check);
              scheduleCheck();
            },
            delay,
            TimeUnit.MILLISECONDS);
  }

  private static String nameOf(int most, Limits limits) {
    if (most == limits.connections()) {
      return "its limit (limits.connections)";
    }
    return most == TlsHandler.MAX_CONNECTIONS
        ? "the limit of its heap, with TLS"
        : "the limit of its open files";
  }

  /** Returns the handler of a protocol's listener, which is run by the loop that accepts. */
  Acceptor acceptor(Protocol protocol) {
    Traffic traffic = Objects.requireNonNull(service.traffic().get(protocol.name()));
    return new Acceptor(
        channel -> {
          Connection connection = connection(channel, protocol, traffic);
          register(channel, connection, open(channel, protocol, traffic, connection));
        });
  }

  /**
   * Gives a connection to its loop. A loop of clients takes new ones in turns: thousands that come
   * at once do not delay those that it has.
   */
  private void register(SocketChannel channel, Connection connection, EventLoop loop) {
    if (loop.inEventLoop()) {
      loop.register(channel);
      return;
    }
    Object client = connection.network();
    AtomicReference<@Nullable Channel> waiting = connection.waitForLoop();
    LaterTurns.Turn turn = () -> take(waiting, loop);
    try {
      loop.execute(() -> newConnections().add(loop, service.time()::nanoTime, client, turn));
    } catch (RejectedExecutionException e) { // the loop has ended
      channel.unsafe().closeForcibly();
    }
  }

  /** Returns the turns of new connections in the current event loop. */
  private static LaterTurns newConnections() {
    return LaterTurns.of(LaterTurns.Kind.NEW_CONNECTION, false);
  }

  private void take(AtomicReference<@Nullable Channel> waiting, EventLoop loop) {
    Channel channel = waiting.getAndSet(null);
    if (channel == null) {
      return; // the loop that accepts has closed it
    }
    if (stopping && service.time().nanoTime() - stoppedNanos > MAX_TAKE_NANOS) {
      channel.unsafe().closeForcibly();
    } else {
      loop.register(channel);
    }
  }

  /**
   * Sets up a connection, or rejects it, once its loop has it. Clients have loops of their own; all
   * others are served by the loop that accepts, so that they do not wait for clients.
   */
  private EventLoop open(
      SocketChannel channel, Protocol protocol, Traffic traffic, Connection connection) {
    traffic.opened();
    channel.closeFuture().addListener(closed -> traffic.closed());
    boolean operator = isAdmin(protocol);
    ConnectionLimit limit = operator ? adminLimit : publicLimit;
    EventLoops loops = service.loops();
    boolean fewOfAddress = operator || addresses.add(connection);
    if (fewOfAddress && limit.add(connection)) {
      channel.closeFuture().addListener(closed -> limit.remove(connection));
      onceRegistered(connection, channel, () -> accept(channel, protocol, connection));
      return operator ? loops.acceptor() : loops.next(connection.isFromKnown());
    }
    RequestException refusal = fewOfAddress ? limit.refusal() : addresses.refusal();
    if (protocol.hasReserved()) {
      reserved.add(connection);
      channel.closeFuture().addListener(closed -> reserved.remove(connection));
      onceRegistered(
          connection, channel, () -> acceptReserved(channel, protocol, connection, refusal));
    } else {
      onceRegistered(connection, channel, () -> reject(channel, protocol, connection, refusal));
    }
    return loops.acceptor();
  }

  /** Sets up a connection once a loop has it, unless it is to be closed, or its client has left. */
  private static void onceRegistered(
      Connection connection, SocketChannel channel, Runnable action) {
    channel
        .pipeline()
        .addLast(
            new ChannelInitializer<>() {
              @Override
              protected void initChannel(Channel registered) {
                if (connection.isEnded() || Transport.isReset(registered)) {
                  registered.close();
                } else {
                  action.run();
                }
              }
            });
  }

  /** Takes other limits, which hold for new connections. */
  void update(ServerConfig config) {
    addresses.most(config.limits().connectionsPerAddress());
    int most = service.mostConnections();
    publicLimit.most(most, nameOf(most, config.limits()));
  }

  private void check() {
    Map<EventLoop, Deque<Channel>> perLoop = new HashMap<>();
    for (Channel channel : open) {
      perLoop.computeIfAbsent(channel.eventLoop(), loop -> new ArrayDeque<>()).add(channel);
    }
    perLoop.forEach(
        (loop, channels) -> {
          if (checking.add(loop)) {
            PeriodicWork.run(() -> loop.execute(() -> check(loop, channels)));
          }
        });
    PeriodicWork.run(service.audit()::flush);
  }

  /** Checks some connections, and lets the loop serve its clients before the others. */
  private void check(EventLoop loop, Deque<Channel> channels) {
    for (int i = 0; i < CHECKED_AT_ONCE && !channels.isEmpty(); i++) {
      PeriodicWork.run(() -> run(channels.remove(), Connection::check));
    }
    if (channels.isEmpty()) {
      checking.remove(loop);
      publicLimit.checked();
      adminLimit.checked();
    } else {
      LaterTurns.of(LaterTurns.Kind.CHECK, true)
          .add(loop, service.time()::nanoTime, this, () -> check(loop, channels));
    }
  }

  private Connection connection(SocketChannel channel, Protocol protocol, Traffic traffic) {
    return new Connection(
        channel,
        protocol.announcesClose(),
        service.config().limits(),
        service.callers().anonymous(),
        traffic,
        held,
        knownAddresses,
        service.loops().acceptor(),
        service.time());
  }

  private static boolean isAdmin(Protocol protocol) {
    return protocol.name().equals(ProtocolKind.ADMIN.label());
  }

  /**
   * Sends a client the reason why it is not accepted, unless it expects TLS. What the client sends
   * is not read.
   */
  private void reject(
      SocketChannel channel, Protocol protocol, Connection connection, RequestException refusal) {
    connection.rejected(refusal.kind());
    if (tls.isPresent()) {
      channel.close();
      return;
    }
    rejected.add(connection);
    channel.closeFuture().addListener(closed -> rejected.remove(connection));
    channel.config().setAutoRead(false);
    channel.pipeline().addLast(connection);
    channel.write(protocol.rejection(refusal));
    connection.closeGracefully();
  }

  private void accept(SocketChannel channel, Protocol protocol, Connection connection) {
    addTls(channel, protocol, connection);
    protocol.open(channel.pipeline(), connection);
    open(channel, connection);
    if (stopping) {
      connection.stop();
    } else if (draining) {
      connection.drain();
    }
  }

  /** Accepts a connection that ends with its first answer. */
  private void acceptReserved(
      SocketChannel channel, Protocol protocol, Connection connection, RequestException refusal) {
    addTls(channel, protocol, connection);
    protocol.openReserved(channel.pipeline(), connection, refusal);
    open(channel, connection);
    connection.drain();
  }

  private void open(SocketChannel channel, Connection connection) {
    channel.pipeline().addLast(connection);
    open.add(channel);
    connection.opened();
  }

  private void addTls(SocketChannel channel, Protocol protocol, Connection connection) {
    boolean operator = isAdmin(protocol);
    tls.ifPresent(
        files -> {
          TlsHandler handler = files.newHandler(channel, operator, connection);
          channel.pipeline().addLast(handler);
          if (handler.engine().getNeedClientAuth()) {
            handler.handshakeFuture().addListener(done -> audit(connection, done.cause()));
          }
        });
  }

  private void audit(Connection connection, @Nullable Throwable handshake) {
    if (handshake instanceof SSLHandshakeException failure) {
      service.audit().failedHandshake(connection.address(), failure);
    }
  }

  private void each(Consumer<Connection> action) {
    for (Channel channel : open) {
      channel.eventLoop().execute(() -> run(channel, action));
    }
  }

  private static void run(Channel channel, Consumer<Connection> action) {
    Connection connection = channel.pipeline().get(Connection.class);
    if (connection != null) {
      action.accept(connection);
    }
  }

  /**
   * Ends connections of clients that cannot be asked to leave, and ends the others with their next
   * answer, new ones too.
   */
  void drain() {
    draining = true;
    each(Connection::drain);
  }

  /**
   * Ends each connection when nothing is under way. Shortly before that time is over, refuses the
   * requests that still wait. After it, closes all connections that are left.
   */
  void stop(long nanos) {
    stoppedNanos = service.time().nanoTime();
    stopping = true;
    takeAll();
    each(Connection::stop);
    long refusals = Math.max(0, Math.min(MAX_REFUSAL_NANOS, nanos / REFUSAL_SHARE));
    if (!open.newCloseFuture().awaitUninterruptibly(nanos - refusals, TimeUnit.NANOSECONDS)) {
      each(Connection::endGrace);
      open.newCloseFuture().awaitUninterruptibly(refusals, TimeUnit.NANOSECONDS);
    }
    open.close().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }

  /**
   * Takes the connections that wait for their turns, each in its loop; closes them if it is late.
   */
  private void takeAll() {
    List<CompletableFuture<Void>> taken = new ArrayList<>();
    for (EventExecutor loop : service.loops().ofClients()) {
      taken.add(CompletableFuture.runAsync(Connections::takeNew, loop));
    }
    CompletableFuture.allOf(taken.toArray(CompletableFuture[]::new))
        .completeOnTimeout(null, MAX_TAKE_ALL_MILLIS, TimeUnit.MILLISECONDS)
        .exceptionally(failure -> null)
        .join();
  }

  private static void takeNew() {
    newConnections().runAll();
  }
}
