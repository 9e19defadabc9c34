package io.firn.server.redis;

import io.firn.server.Connection;
import io.firn.server.RequestHandler;
import io.firn.server.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Reads the commands of one connection. Their replies are collected in one buffer for a turn. */
final class RedisHandler extends RequestHandler {

  /** The longest request of a client that has not presented a token, as in Redis 6.2.6. */
  static final int MAX_BYTES_BEFORE_TOKEN = 16 << 10;

  /** Replies are sent at the latest when they have this many bytes. */
  private static final int BATCH_BYTES = 32 << 10;

  /** Replies are about as long as the commands, and at least this long. */
  private static final int MIN_OUT_BYTES = 64;

  private final RedisCommands commands;
  private final RedisSession session;
  private final RespDecoder decoder;
  private final RespDecoder queued;
  private final RespWriter writer;
  private final int maxBytes;
  private @Nullable ByteBuf out;

  /** The transaction that is executed. */
  private @Nullable Transaction executing;

  RedisHandler(
      RedisCommands commands,
      RedisSession session,
      Connection connection,
      RespWriter writer,
      Limits limits) {
    super(connection, limits);
    this.commands = commands;
    this.session = session;
    this.writer = writer;
    maxBytes = limits.requestBytes();
    decoder = new RespDecoder(maxBytes);
    queued = new RespDecoder(RespDecoder.mostEncoded(maxBytes));
  }

  @Override
  protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
    decoder.limit(session.caller() == null ? Math.min(maxBytes, MAX_BYTES_BEFORE_TOKEN) : maxBytes);
    try {
      return decoder.decode(in) ? execute(ctx, in, most) : 0;
    } catch (ProtocolError e) {
      begin();
      writer(ctx, in.readableBytes()).error("ERR " + e.getMessage());
      answered(ctx, 1, writer.takeErrors(this::refused), true);
      return 1;
    }
  }

  /** Executes a command, together with the repeats of it that follow, and returns how many. */
  private int execute(ChannelHandlerContext ctx, ByteBuf in, int most) {
    begin();
    RespWriter to = writer(ctx, in.readableBytes());
    int increments = commands.increment(decoder, in, session, to, most);
    if (increments == 0) {
      commands.execute(decoder, session, to);
    }
    int run = Math.max(1, increments);
    decoder.reset();
    Transaction transaction = session.takeExecuting();
    RedisSession.Later<?> later = session.takeLater();
    if (transaction != null) {
      executeQueued(ctx, transaction);
    } else if (later == null) {
      answered(ctx, run, writer.takeErrors(this::refused), session.isOver());
    } else {
      await(
          ctx,
          later,
          run,
          () -> {
            flushLong(ctx);
            answered(ctx, run, writer.takeErrors(this::refused), session.isOver());
          });
    }
    flushLong(ctx);
    return run;
  }

  /** Executes the commands of a transaction that are left. */
  private void executeQueued(ChannelHandlerContext ctx, Transaction transaction) {
    executing = transaction;
    RespWriter to = writer(ctx, 0);
    long begin = turnBegin();
    while (queued.decode(transaction.queue())) {
      int increments =
          commands.increment(queued, transaction.queue(), session, to, transaction.commands());
      if (increments == 0) {
        commands.execute(queued, session, to);
      }
      int run = Math.max(1, increments);
      RedisSession.Later<?> later = session.takeLater();
      if (later != null) {
        flushLong(ctx);
        await(ctx, later, run, () -> executeQueued(ctx, transaction));
        return;
      }
      if (transaction.queue().isReadable() && isTurnOver(begin)) {
        flushLong(ctx);
        goOnLater(ctx, () -> executeQueued(ctx, transaction));
        return;
      }
    }
    queued.reset();
    executing = null;
    answered(ctx, 1, Math.min(1, writer.takeErrors(this::refused)), false);
  }

  private RespWriter writer(ChannelHandlerContext ctx, int unread) {
    if (out == null) {
      out = ctx.alloc().buffer(Math.max(MIN_OUT_BYTES, unread));
      writer.to(out);
    }
    return writer;
  }

  /** Goes on with a command when its result is there, and then with what follows it. */
  private <T> void await(
      ChannelHandlerContext ctx, RedisSession.Later<T> later, int run, Runnable following) {
    whenDone(
        ctx,
        later.result(),
        (result, failure) -> {
          RespWriter to = writer(ctx, 0);
          if (result != null) {
            later.next().accept(result);
          } else {
            RedisCommands.refuse(to, Objects.requireNonNull(failure), run);
          }
          following.run();
        });
  }

  /** Sends long answers at once, so that they count as unsent. */
  private void flushLong(ChannelHandlerContext ctx) {
    if (out != null && out.readableBytes() >= BATCH_BYTES) {
      flush(ctx);
    }
  }

  @Override
  protected long keptBytes() {
    Transaction transaction = executing == null ? session.transaction() : executing;
    long queue = transaction == null ? 0 : transaction.queue().capacity();
    int places = decoder.keptBytes() + queued.keptBytes();
    return queue + places + (out == null ? 0 : out.capacity());
  }

  @Override
  protected void flush(ChannelHandlerContext ctx) {
    ByteBuf answers = out;
    if (answers != null) {
      out = null; // before a write, which may end a wait for the client and flush again
      ctx.writeAndFlush(fitted(ctx, answers), ctx.voidPromise());
    }
  }

  /** Copies short answers out of a long buffer, of which only they are counted. */
  private static ByteBuf fitted(ChannelHandlerContext ctx, ByteBuf answers) {
    int bytes = answers.readableBytes();
    if (answers.capacity() <= 2 * bytes + MIN_OUT_BYTES) {
      return answers;
    }
    try {
      return ctx.alloc().buffer(bytes).writeBytes(answers);
    } finally {
      answers.release();
    }
  }

  @Override
  protected void discard() {
    if (out != null) {
      out.release();
      out = null;
    }
  }
}
