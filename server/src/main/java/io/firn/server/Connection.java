package io.firn.server;

import io.firn.server.Traffic.Closing;
import io.firn.server.config.Limits;
import io.firn.time.TimeSource;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * The connection of one caller. It measures the time in each phase, and closes when a phase takes
 * too long, when the client does not read its answers, or when the server stops and no request is
 * in progress. The {@link RequestHandler} reports the phases; all calls are made by the
 * connection's event loop unless a method says otherwise.
 */
public final class Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = System.getLogger("io.firn.server");

  /** The time that a new client has for its first request when the server stops. */
  private static final long FIRST_REQUEST_NANOS = TimeUnit.SECONDS.toNanos(1);

  private static final int MAX_CLIENT_NAME = 100;

  /** The part of the request time after which a client is waited for. */
  private static final long WAITING_SHARE = 10;

  /** The event after which requests that wait are refused. */
  static final Object GRACE_END = new Object();

  /** The state of a connection. */
  public enum Phase {
    /** All requests are answered. */
    QUIET,
    /** A request has begun to come in. */
    READING,
    /** A request is complete, its answer is not. */
    ANSWERING
  }

  private final Channel channel;

  /**
   * The channel while it waits for its loop. The loop that empties this registers the channel: its
   * own loop in a turn, or the accepting loop, which closes it before that turn. A turn that is
   * still queued then holds nothing.
   */
  private final AtomicReference<@Nullable Channel> waitingForLoop = new AtomicReference<>();

  private final EventLoop acceptor;
  private final ReadSizes readSizes;
  private final boolean announcesClose;

  /**
   * The caller whose token the client has presented; null until then, or if it left. Read by other
   * loops.
   */
  private volatile @Nullable Caller caller;

  /** The caller of a client without a token; null if clients needed one. */
  private final @Nullable Caller anonymous;

  private @Nullable Runnable onceKnownOrClosed;
  private final long openedNanos;
  private final long ageNanos;
  private final Traffic traffic;
  private final HeldBytes held;
  private final KnownAddresses known;
  private final boolean fromKnown;
  private final TimeSource time;
  private final long idleNanos;
  private final long requestNanos;
  private final PhaseTime phases;

  /**
   * The time at which the newest bytes were read. All requests that are not answered yet are older.
   */
  private volatile long readNanos;

  /** The name that the client gives itself; empty if it does not, or has left. */
  private String clientName = "";

  private boolean answered;
  private boolean stopping;
  private boolean closing;

  /** True once the connection is to be closed at once, also if no loop has it yet. */
  private volatile boolean ended;

  /** True once it is counted why the server closes the connection. */
  private final AtomicBoolean counted = new AtomicBoolean();

  /** The bytes of an incomplete request that have come. Read by other loops. */
  private volatile long receivedBytes;

  /** The size in bytes of the part of a TLS record that is not complete. Read by other loops. */
  private volatile long encryptedBytes;

  /** The bytes that the server held for the client when they were last recorded. */
  private long recordedBytes;

  /** Since when the connection waits for its client, at the last check. Read by other loops. */
  private volatile long waitingSinceNanos;

  private volatile boolean waiting;
  private boolean sending;
  private long sendingSinceNanos;

  Connection(
      Channel channel,
      boolean announcesClose,
      Limits limits,
      Optional<Caller> anonymous,
      Traffic traffic,
      HeldBytes held,
      KnownAddresses known,
      EventLoop acceptor,
      TimeSource time) {
    this.channel = channel;
    this.acceptor = acceptor;
    readSizes = new ReadSizes(() -> hasTls() ? HeldBytes.MAX_READING_BYTES : held.mostToRead(this));
    channel.config().setRecvByteBufAllocator(readSizes);
    this.announcesClose = announcesClose;
    this.anonymous = anonymous.orElse(null);
    this.traffic = traffic;
    this.held = held;
    this.known = known;
    fromKnown = known.contains(network());
    this.time = time;
    idleNanos = limits.idle().toNanos();
    requestNanos = limits.requestTime().toNanos();
    ageNanos = limits.connectionAge().map(Duration::toNanos).orElse(Long.MAX_VALUE);
    openedNanos = time.nanoTime();
    readNanos = openedNanos;
    phases = new PhaseTime(time, requestNanos);
  }

  /** Begins to wait for a loop, which takes the channel from what is returned. */
  AtomicReference<@Nullable Channel> waitForLoop() {
    waitingForLoop.set(channel);
    return waitingForLoop;
  }

  /**
   * Returns whether the client has left before a loop had the connection. Any thread may call it.
   */
  boolean hasLeft() {
    Channel waits = waitingForLoop.get();
    return waits != null && Transport.isReset(waits);
  }

  /**
   * Reports that the loop has the connection, which may have waited for it. The time of the client
   * begins.
   */
  void opened() {
    enter(phases.phase(), time.nanoTime());
    if (ended) {
      close();
    }
  }

  /** Sets what the client calls itself. */
  public void clientName(String given) {
    String name = given.length() > MAX_CLIENT_NAME ? given.substring(0, MAX_CLIENT_NAME) : given;
    if (!name.equals(clientName)) {
      traffic.renamed(clientName, name);
      clientName = name;
    }
  }

  /** Returns for how long the connection has been open. Any thread may call it. */
  public Duration age() {
    return Duration.ofNanos(time.nanoTime() - openedNanos);
  }

  /** Returns the time at which the newest bytes were read. */
  long readNanos() {
    return readNanos;
  }

  /** Returns for how long the client has sent nothing. Any thread may call it. */
  public Duration idle() {
    return Duration.ofNanos(Math.max(0, time.nanoTime() - readNanos));
  }

  /** Reports that bytes were read. */
  void read() {
    readNanos = time.nanoTime();
  }

  long nanoTime() {
    return time.nanoTime();
  }

  EventLoop loop() {
    return channel.eventLoop();
  }

  /**
   * Returns a time that stands still while the client waits for the server, but for no longer than
   * a request may take. Any thread may call it.
   */
  long clientNanos() {
    return phases.clientNanos();
  }

  /** Returns how long a request may take, or a handshake. */
  long requestNanos() {
    return requestNanos;
  }

  /** Sets the phase. Time in {@link Phase#READING} counts from its start. */
  void enter(Phase next) {
    if (next != Phase.READING || phases.phase() != Phase.READING) {
      enter(next, time.nanoTime());
    }
  }

  private void enter(Phase next, long nowNanos) {
    phases.enter(next, nowNanos);
    if (next == Phase.ANSWERING && waiting) {
      waiting = false; // the request has come since the last check
    }
    if (stopping && next == Phase.QUIET) {
      closeGracefully();
    }
  }

  /**
   * Reports that requests are answered. Each took the time since its last byte was read.
   *
   * @param count how many
   * @param refusals how many of them were refused
   * @param next the phase now; time in {@link Phase#READING} begins
   */
  void answered(int count, int refusals, Phase next) {
    answered = true;
    long now = time.nanoTime();
    traffic.answered(count, refusals, now - readNanos);
    enter(next, now);
  }

  /** Reports why a request was refused. */
  void refused(RequestException.Kind reason) {
    traffic.refused(reason);
  }

  /**
   * Reports the end of a turn, in which requests were read and answered.
   *
   * @param received how many bytes of an incomplete request have come
   */
  void turnEnded(long received) {
    receivedBytes = received;
    recordHeld();
    watchSending();
  }

  ReadSizes readSizes() {
    return readSizes;
  }

  void waitsForServer(boolean now) {
    phases.waitsForServer(now);
  }

  /**
   * Counts the last wait as time of the client, because its turn found next to nothing. Otherwise,
   * a client that sends a few bytes after each turn would wait for the server all the time.
   */
  void countLastWait() {
    phases.countLastWait();
  }

  /** Returns whether the client waits for its turn or for IDs. */
  boolean waitsForServer() {
    return phases.waitsForServer();
  }

  /** Returns what the server holds for all its clients. */
  HeldBytes held() {
    return held;
  }

  /** Reports how many bytes the part of a TLS record takes that is not complete. */
  void holdEncrypted(long bytes) {
    encryptedBytes = bytes;
    recordHeld();
  }

  private void recordHeld() {
    long bytes = heldBytes();
    if (bytes > 0 || recordedBytes > 0) {
      recordedBytes = bytes;
      held.record(this, bytes);
    }
  }

  /** Returns how many bytes the server holds for the client. Any thread may call it. */
  public long heldBytes() {
    return receivedBytes + encryptedBytes + unsentBytes();
  }

  /**
   * Returns how many bytes of an answer are sent of which the rest is not. The memory of all of it
   * is held until then. Any thread may call it.
   */
  long sentBytes() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent == null ? 0 : unsent.currentProgress();
  }

  private long unsentBytes() {
    ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
    return unsent == null ? 0 : unsent.totalPendingWriteBytes();
  }

  /** Measures how long it takes to send what is unsent now. */
  private void watchSending() {
    if (!sending && unsentBytes() > 0) {
      sending = true;
      sendingSinceNanos = time.nanoTime();
      channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> sending = false);
    }
  }

  /** Returns whether the server is stopping, so that this connection ends with its next answer. */
  boolean isStopping() {
    return stopping;
  }

  /**
   * Ends the connection with its next answer, if that informs the client; otherwise as soon as no
   * request is in progress.
   */
  void drain() {
    if (announcesClose) {
      stopping = true;
    } else {
      stop();
    }
  }

  /**
   * Closes the connection as soon as no request is in progress. A client that has just connected is
   * about to send its first one, which is answered.
   */
  void stop() {
    stopping = true;
    if (phases.phase() != Phase.QUIET) {
      return;
    }
    long left = answered ? 0 : FIRST_REQUEST_NANOS - (time.nanoTime() - phases.sinceNanos());
    if (left > 0) {
      channel.eventLoop().schedule(this::stop, left, TimeUnit.NANOSECONDS);
    } else {
      closeGracefully();
    }
  }

  /** Has requests that still wait refused, because the server stops. */
  void endGrace() {
    channel.pipeline().fireUserEventTriggered(GRACE_END);
  }

  /**
   * Reports that the client presented the token of a caller.
   *
   * @throws RequestException if that caller has as many connections as it may have
   */
  public void authenticate(Caller presented) {
    if (!presented.equals(caller)) {
      presented.connect();
      leaveCaller();
      caller = presented;
      known.add(network(), presented);
      runOnce();
    }
  }

  /** Runs an action once, when the client presents a token or the connection is closed. */
  void onceKnownOrClosed(Runnable action) {
    onceKnownOrClosed = action;
    channel.closeFuture().addListener(closed -> runOnce());
  }

  private void runOnce() {
    Runnable action = onceKnownOrClosed;
    onceKnownOrClosed = null;
    if (action != null) {
      action.run();
    }
  }

  private void leaveCaller() {
    Caller before = caller;
    if (before != null) {
      before.disconnect();
      caller = null;
    }
  }

  /**
   * Returns whether the client needs no token, or has presented one that is not removed. Any thread
   * may call it.
   */
  boolean isAuthenticated() {
    Caller client = client();
    return client != null && !client.isRevoked();
  }

  /**
   * Returns whether a client of its address had presented a token when it was accepted. Any thread
   * may call it.
   */
  boolean isFromKnown() {
    return fromKnown;
  }

  /**
   * Returns whether its turns are not among those of strangers: it is {@linkplain
   * #isAuthenticated() authenticated}, or is yet to be and {@linkplain #isFromKnown() comes from
   * where clients are}. Any thread may call it.
   */
  boolean isKnown() {
    return fromKnown || isAuthenticated();
  }

  /** Returns whether the client may not use the server any longer: its token was removed. */
  private boolean isRevoked() {
    Caller client = client();
    return client != null && client.isRevoked();
  }

  private @Nullable Caller client() {
    Caller presented = caller;
    return presented == null ? anonymous : presented;
  }

  /**
   * Returns whether the connection may be closed for a new one: the client must present a token and
   * has not, its token was removed, or its request had not come for a while at the last check.
   */
  boolean isWaiting() {
    return waiting || !isAuthenticated();
  }

  /** Returns since when the server waits for a request of the client, or for its token. */
  long waitingSinceNanos() {
    return isAuthenticated() ? waitingSinceNanos : openedNanos;
  }

  /** Returns the address and port of the client, and those of the server, as text. */
  public List<String> ends() {
    return Stream.of(channel.remoteAddress(), channel.localAddress())
        .map(ClientAddress::text)
        .toList();
  }

  /** Returns the address of the client. */
  public InetAddress address() {
    return ClientAddress.of(channel);
  }

  /** Returns the {@link ClientAddress#network(Channel) network} of the client. */
  Object network() {
    return ClientAddress.network(channel);
  }

  /**
   * Closes the connection if a phase, or sending, took too long. Ends it if its token was removed:
   * a client with a pool of connections presents its new token on the next one.
   */
  void check() {
    long now = time.nanoTime();
    Phase phase = phases.phase();
    waitingSinceNanos = sending ? sendingSinceNanos : phases.sinceNanos();
    waiting =
        (sending || phase != Phase.ANSWERING)
            && now - waitingSinceNanos > requestNanos / WAITING_SHARE;
    long age = now - openedNanos;
    if (age > ageNanos || isRevoked()) {
      drain();
    }
    boolean authenticated = isAuthenticated();
    long allowed =
        phase == Phase.READING || !authenticated ? Math.min(requestNanos, idleNanos) : idleNanos;
    if (sending && now - sendingSinceNanos > requestNanos) {
      close(Closing.UNREAD);
    } else if (phases.silentNanos(now) > allowed) {
      count(phase == Phase.QUIET && authenticated ? Closing.IDLE : Closing.SLOW);
      channel.close();
    } else if (age - requestNanos > ageNanos) {
      stop();
    } else {
      turnEnded(receivedBytes);
    }
  }

  /** Closes the connection as {@link #close()} does, and counts it. Any thread may call it. */
  void close(Closing reason) {
    count(reason);
    close();
  }

  /** Counts why the server closes the connection, the first time. Any thread may call it. */
  void count(Closing reason) {
    if (counted.compareAndSet(false, true)) {
      traffic.closes(reason);
    }
  }

  /** Counts that the server closes the connection because there is no room for it. */
  public void countRejected() {
    count(Closing.REJECTED);
  }

  /** Counts that the server refuses the connection. */
  void rejected(RequestException.Kind reason) {
    countRejected();
    traffic.refusedConnection(reason);
  }

  /**
   * Closes the connection without the end of TLS, which would wait for the client. Any thread may
   * call it.
   */
  public void close() {
    ended = true;
    if (waitingForLoop.getAndSet(null) != null) {
      acceptor.register(channel); // which closes it: its own loop may be busy
    }
    if (!channel.isRegistered()) {
      return; // closed once a loop has it
    }
    ChannelHandlerContext first = channel.pipeline().firstContext();
    if (first != null) {
      first.close();
    }
  }

  /** Returns whether the connection is to be closed at once. Any thread may call it. */
  boolean isEnded() {
    return ended;
  }

  /** Ends the connection once all answers are sent, as {@link GracefulClose} does. */
  void closeGracefully() {
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls != null && !tls.handshakeFuture().isDone()) {
      close(); // nothing can be sent before the end of the handshake
    } else if (!closing) {
      closing = true;
      new GracefulClose(this, channel, requestNanos).begin();
      watchSending();
    }
  }

  boolean hasTls() {
    return channel.pipeline().get(SslHandler.class) != null;
  }

  /** Returns whether the last answer was written, so that no request is answered any more. */
  boolean isClosing() {
    return closing;
  }

  /** Closes the connection when the client closes its side last. */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event == ChannelInputShutdownEvent.INSTANCE
        && channel instanceof DuplexChannel duplex
        && duplex.isOutputShutdown()) {
      ctx.executor().execute(ctx::close); // later, because the channel is in use
    }
    ctx.fireUserEventTriggered(event);
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    receivedBytes = 0;
    encryptedBytes = 0;
    held.record(this, 0);
    clientName("");
    leaveCaller();
    ctx.fireChannelInactive();
  }

  /** Closes the connection after an unexpected failure. It is no failure that a client left. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException || cause.getCause() instanceof SSLException)) {
      LOG.log(Level.WARNING, "Closed the connection of " + channel.remoteAddress(), cause);
    }
    ctx.close();
  }
}
