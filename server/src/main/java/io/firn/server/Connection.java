package io.firn.server;

import io.firn.server.config.Limits;
import io.firn.time.TimeSource;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.io.IOException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/**
 * The connection of one caller. It measures the time in each phase, and closes when a phase takes
 * too long, or when the server stops and no request is in progress. The {@link RequestHandler}
 * reports the phases; all calls are made by the connection's event loop.
 */
public final class Connection extends ChannelInboundHandlerAdapter {

  private static final Logger LOG = System.getLogger("io.firn.server");

  /** How long the client has to close its side, once it has all answers. */
  private static final long CLOSE_DELAY_MILLIS = 200;

  /** What a connection is at. */
  public enum Phase {
    /** All requests are answered. */
    QUIET,
    /** A request has begun to come in. */
    READING,
    /** A request is complete, its answer is not. */
    ANSWERING
  }

  private final Traffic traffic;
  private final TimeSource time;
  private final long idleNanos;
  private final long requestNanos;
  private Phase phase = Phase.QUIET;
  private long sinceNanos;
  private boolean stopping;
  private boolean closing;

  Connection(Limits limits, Traffic traffic, TimeSource time) {
    this.traffic = traffic;
    this.time = time;
    idleNanos = limits.idle().toNanos();
    requestNanos = limits.requestTime().toNanos();
    sinceNanos = time.nanoTime();
  }

  /** Tells what the connection is at now. Time in {@link Phase#READING} counts from its begin. */
  public void enter(Phase next, ChannelHandlerContext ctx) {
    if (next != Phase.READING || phase != Phase.READING) {
      enter(next, time.nanoTime(), ctx);
    }
  }

  private void enter(Phase next, long nowNanos, ChannelHandlerContext ctx) {
    sinceNanos = nowNanos;
    phase = next;
    if (stopping && next == Phase.QUIET) {
      closeGracefully(ctx);
    }
  }

  /**
   * Tells that requests are answered, each since it entered {@link Phase#ANSWERING}.
   *
   * @param count how many
   * @param refusals how many of them are not granted, which is an answer as well
   * @param next what the connection is at now; time in {@link Phase#READING} begins
   */
  public void answered(int count, int refusals, Phase next, ChannelHandlerContext ctx) {
    long now = time.nanoTime();
    traffic.answered(count, refusals, now - sinceNanos);
    enter(next, now, ctx);
  }

  /** Whether the server is stopping, so that this connection ends with its next answer. */
  public boolean isStopping() {
    return stopping;
  }

  /** Has the connection end as soon as nothing is under way. */
  void stop(ChannelHandlerContext ctx) {
    stopping = true;
    if (phase == Phase.QUIET) {
      closeGracefully(ctx);
    }
  }

  /** Ends the connection if it took too long over what it is at. */
  void check(ChannelHandlerContext ctx) {
    long allowed = phase == Phase.READING ? requestNanos : idleNanos;
    if (time.nanoTime() - sinceNanos > allowed) {
      ctx.close();
    }
  }

  /**
   * Sends everything and says that no more follows. Closing at once would throw away what the
   * client has sent meanwhile, and with it, on many systems, answers that it has not read yet.
   */
  public void closeGracefully(ChannelHandlerContext ctx) {
    if (closing) {
      return;
    }
    closing = true;
    ctx.channel().flush();
    if (ctx.pipeline().get(SslHandler.class) != null
        || !(ctx.channel() instanceof DuplexChannel channel)) {
      ctx.channel().close();
      return;
    }
    channel.shutdownOutput();
    ctx.executor().schedule(() -> ctx.close(), CLOSE_DELAY_MILLIS, TimeUnit.MILLISECONDS);
  }

  /** Whether the last word is said: nothing that comes in is answered any more. */
  public boolean isClosing() {
    return closing;
  }

  /** What no handler expected ends the connection; that a client went away is nothing to tell. */
  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    if (!(cause instanceof IOException || cause.getCause() instanceof SSLException)) {
      LOG.log(Level.WARNING, "closed the connection of " + ctx.channel().remoteAddress(), cause);
    }
    ctx.close();
  }
}
