package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.time.TimeSource;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.netty.channel.group.ChannelGroup;
import io.netty.channel.group.DefaultChannelGroup;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.net.InetSocketAddress;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Listens, accepts clients, and stops in order: accepts no more connections, answers pending
 * requests, gives the leases back. Thread-safe.
 */
public final class Server implements AutoCloseable {

  private static final int BACKLOG = 1024;

  /** The connections that wait to be accepted, with some that come while these are accepted. */
  private static final int MAX_WAITING = 2 * BACKLOG;

  /** The part of the grace in which clients end the scopes that they have open. */
  private static final int SCOPES_SHARE = 2;

  /** The part of the grace that is kept for giving the leases back. */
  private static final int RELEASE_SHARE = 4;

  /** The time that this has at least, also if the grace is shorter. */
  private static final long MIN_RELEASE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  /** The part of what is left before, that connections have after the drain. */
  private static final int CONNECTIONS_SHARE = 3;

  private final Service service;
  private final Connections connections;
  private final Map<Protocol, Channel> listeners = new LinkedHashMap<>();
  private final AtomicBoolean closed = new AtomicBoolean();
  private volatile boolean started;

  private Server(Service service, Optional<TlsCertificate> tls) {
    this.service = service;
    connections = new Connections(service, tls);
    CurrentConfig current = service.current();
    tls.ifPresent(files -> current.addPart(config -> files.prepare(config.tls().orElseThrow())));
    current.addPart(config -> () -> service.callers().update(config));
    current.addPart(this::namespaces);
    current.addPart(config -> () -> connections.update(config));
  }

  /**
   * Starts a server: it accepts clients on return, and opens its namespaces meanwhile.
   *
   * @param protocols makes the protocols; one that the configuration has off is left out
   * @throws IllegalArgumentException if there is no such store, no such files for TLS, or a
   *     namespace could never be opened
   * @throws io.firn.FirnException if the store cannot be opened, or an address is taken
   */
  public static Server start(
      ServerConfig config, TimeSource time, Function<Service, List<Protocol>> protocols) {
    Optional<TlsCertificate> tls = config.tls().map(files -> new TlsCertificate(files, time));
    AuditLog audit = new AuditLog(time);
    RegisterStore store = RegisterStore.open(config.store());
    EventLoops loops = EventLoops.ofMachine(time);
    Server server =
        new Server(
            new Service(
                new CurrentConfig(config, time),
                new Namespaces(config, store, audit, loops, time),
                new Callers(config, audit, time),
                audit,
                () -> tls.map(TlsCertificate::end),
                traffic(config),
                loops,
                new Reports("firn-report"),
                new Reports("firn-operator"),
                time,
                time.nanoTime()),
            tls);
    try {
      server.service.namespaces().check(config);
      server.listen(protocols.apply(server.service));
      server.started = true;
    } catch (RuntimeException | Error e) {
      server.closeAfter(e);
      throw e;
    }
    return server;
  }

  private Runnable namespaces(ServerConfig newest) {
    service.namespaces().check(newest);
    return () -> service.namespaces().update(newest);
  }

  private void closeAfter(Throwable failure) {
    try {
      close();
    } catch (IllegalStateException e) {
      failure.addSuppressed(e);
    }
  }

  private static Map<String, Traffic> traffic(ServerConfig config) {
    return config.listen().keySet().stream()
        .collect(Collectors.toUnmodifiableMap(Function.identity(), protocol -> new Traffic()));
  }

  private void listen(List<Protocol> protocols) {
    for (Protocol protocol : protocols) {
      InetSocketAddress address = service.config().listen().get(protocol.name());
      if (address != null) {
        listeners.put(protocol, bind(protocol, address));
      }
    }
  }

  private Channel bind(Protocol protocol, InetSocketAddress address) {
    var bound =
        Transport.listener()
            .group(service.loops().acceptor())
            .option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true)
            .handler(connections.acceptor(protocol))
            .bind(address)
            .awaitUninterruptibly();
    if (!bound.isSuccess()) {
      throw new RequestException(
          RequestException.Kind.UNAVAILABLE,
          "Cannot listen at "
              + address.getHostString()
              + ":"
              + address.getPort()
              + " (listen."
              + protocol.name()
              + "): "
              + StoreCall.reason(bound.cause()));
    }
    return bound.channel();
  }

  /** Sets how the settings are read again on request. */
  public void reloadFrom(Supplier<ServerConfig> reader) {
    service.current().readFrom(reader);
  }

  /** Returns what the protocols work with. */
  public Service service() {
    return service;
  }

  /** Opens the namespaces without which the server is not ready; done when all were tried once. */
  public CompletableFuture<Void> openNamespaces() {
    return service.namespaces().openRequired();
  }

  /** Returns the protocols that are served. */
  public Set<Protocol> protocols() {
    return Collections.unmodifiableSet(listeners.keySet());
  }

  /** Returns where each protocol is served, by its name, with the port that a port of 0 became. */
  public Map<String, InetSocketAddress> addresses() {
    Map<String, InetSocketAddress> addresses = new LinkedHashMap<>();
    listeners.forEach(
        (protocol, channel) ->
            addresses.put(protocol.name(), (InetSocketAddress) channel.localAddress()));
    return Collections.unmodifiableMap(addresses);
  }

  /**
   * Asks the clients to leave, and load balancers to choose other servers.
   *
   * @param nanos the time that is left for this and for what connections do after it
   */
  private void drain(long nanos) {
    long time =
        Math.min(service.config().effectiveDrain().toNanos(), nanos - nanos / CONNECTIONS_SHARE);
    if (!started || time <= 0 || listeners.keySet().stream().noneMatch(Protocol::announcesClose)) {
      return;
    }
    listeners.forEach(
        (protocol, listener) -> {
          if (!protocol.announcesClose()) {
            close(listener);
          }
        });
    connections.drain();
    await(time);
  }

  /** Returns after that time, or when the thread is interrupted. */
  private void await(long nanos) {
    TimeSource time = service.time();
    long begin = time.nanoTime();
    long left = nanos;
    while (left > 0 && !Thread.currentThread().isInterrupted()) {
      time.parkNanos(left);
      left = nanos - (time.nanoTime() - begin);
    }
  }

  /**
   * Accepts the connections that wait for that, and closes the listener: the system resets those
   * that wait then.
   */
  private static void close(Channel listener) {
    listener
        .eventLoop()
        .execute(
            () -> {
              Transport.acceptWaiting(listener, MAX_WAITING);
              listener.close();
            });
  }

  /** Returns once no more connection is accepted. */
  private void closeListeners() {
    ChannelGroup all = new DefaultChannelGroup(GlobalEventExecutor.INSTANCE);
    all.addAll(listeners.values());
    all.forEach(Server::close);
    all.newCloseFuture().awaitUninterruptibly(1, TimeUnit.SECONDS);
  }

  /**
   * Stops within the grace of the configuration. Whatever is not done by then is cut off.
   *
   * @throws IllegalStateException if a step failed; the others were taken
   */
  @Override
  public void close() {
    if (!closed.compareAndSet(false, true)) {
      return;
    }
    TimeSource time = service.time();
    long grace = service.config().grace().toNanos();
    long deadline = time.nanoTime() + grace;
    long release = deadline - grace / RELEASE_SHARE;
    StopSteps steps = new StopSteps();
    steps.take(service.namespaces()::drain);
    steps.take(() -> service.namespaces().awaitScopes(grace / SCOPES_SHARE));
    steps.take(() -> drain(release - time.nanoTime()));
    steps.take(this::closeListeners);
    steps.take(() -> connections.stop(Math.max(0, release - time.nanoTime())));
    service.namespaces().close(steps, Math.max(MIN_RELEASE_NANOS, deadline - time.nanoTime()));
    steps.take(service.loops()::close);
    steps.end();
  }
}
