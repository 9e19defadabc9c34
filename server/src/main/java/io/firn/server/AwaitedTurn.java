package io.firn.server;

import io.netty.channel.ChannelHandlerContext;
import org.jspecify.annotations.Nullable;

/**
 * The later turn that a connection waits for, and the bytes that wait for it. What fails in the
 * turn closes the connection. Used by the connection's event loop.
 */
final class AwaitedTurn {

  private final Connection connection;
  private final Runnable changed;
  private @Nullable Entry entry;

  /** The bytes that are counted as waiting. */
  private int bytes;

  /**
   * Creates it for a connection that waits for no turn.
   *
   * @param changed called when the connection begins to wait, and when it ends
   */
  AwaitedTurn(Connection connection, Runnable changed) {
    this.connection = connection;
    this.changed = changed;
  }

  /** A turn among those of others. Entries are compared by identity, which takes no time. */
  private static final class Entry implements LaterTurns.Turn {

    private final LaterTurns turns;
    private final ChannelHandlerContext ctx;
    private final LaterTurns.Turn turn;

    Entry(LaterTurns turns, ChannelHandlerContext ctx, LaterTurns.Turn turn) {
      this.turns = turns;
      this.ctx = ctx;
      this.turn = turn;
    }

    @Override
    public boolean isDue() {
      try {
        return turn.isDue();
      } catch (RuntimeException | Error e) { // as the pipeline does
        ctx.fireExceptionCaught(e);
        return true;
      }
    }

    @Override
    public void take() {
      RequestHandler.proceed(ctx, turn::take);
    }
  }

  /** Returns whether the connection waits for a turn. */
  boolean isAwaited() {
    return entry != null;
  }

  /** Waits for a turn, which ends the wait. */
  void await(LaterTurns turns, ChannelHandlerContext ctx, LaterTurns.Turn turn) {
    Entry next = new Entry(turns, ctx, turn);
    entry = next;
    changed.run();
    turns.add(ctx.channel().eventLoop(), connection::nanoTime, connection.network(), next);
  }

  /**
   * Counts the bytes that wait for a turn. More can come meanwhile: all records of a reading over
   * TLS, and the rest of what a client has sent that closes its sending side.
   *
   * @return false if they are too many, so that they are better taken now
   */
  boolean count(int now) {
    if (!connection.held().addWaiting(now - bytes)) {
      return false;
    }
    bytes = now;
    return true;
  }

  /** Ends the wait, because the turn has come, or is not needed any longer. */
  void end() {
    Entry before = entry;
    if (before != null) {
      entry = null;
      before.turns.remove(connection.network(), before);
      changed.run();
    }
    connection.held().removeWaiting(bytes);
    bytes = 0;
  }
}
