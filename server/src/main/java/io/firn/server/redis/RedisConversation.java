package io.firn.server.redis;

import io.firn.server.Connection;
import io.firn.server.Connection.Phase;
import io.firn.server.Refusal;
import io.firn.server.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The commands of one connection, answered in their order. The answers to all that came together
 * leave together.
 *
 * <p>Nothing is read while an answer is not there yet, while the client does not take what it was
 * sent, and while others have their turn after a long pipeline. So a connection holds no more than
 * one reading of the socket and one answer above the water mark, whatever its client does.
 */
final class RedisConversation extends ChannelInboundHandlerAdapter {

  /** Answers leave at the latest when there are so many bytes of them. */
  private static final int BATCH_BYTES = 32 << 10;

  /** Answers are about as long as the commands, and at least this. */
  private static final int MIN_OUT_BYTES = 64;

  /** A piece of a command is kept in a buffer of about its size, not in one for a whole reading. */
  private static final int MAX_SLACK_BYTES = 1 << 10;

  private final RedisCommands commands;
  private final RedisSession session;
  private final Connection connection;
  private final RespDecoder decoder;
  private final RespWriter writer;
  private final int pipeline;

  /** Commands since the connection is answering, which are not told to it. */
  private int untold;

  private ByteBuf in = Unpooled.EMPTY_BUFFER;
  private @Nullable ByteBuf out;
  private boolean taking;
  private boolean answering;
  private boolean ended;

  RedisConversation(
      RedisCommands commands,
      RedisSession session,
      Connection connection,
      RespWriter writer,
      Limits limits) {
    this.commands = commands;
    this.session = session;
    this.connection = connection;
    this.writer = writer;
    decoder = new RespDecoder(limits.requestBytes());
    pipeline = limits.pipeline();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    ByteBuf read = (ByteBuf) message;
    if (ended || connection.isParted()) {
      read.release();
      return;
    }
    append(ctx, read);
    takeTurn(ctx);
  }

  private void append(ChannelHandlerContext ctx, ByteBuf read) {
    if (!in.isReadable()) {
      in.release();
      in = read;
      return;
    }
    if (in.writableBytes() < read.readableBytes()) {
      moveTo(ctx.alloc().buffer(2 * (in.readableBytes() + read.readableBytes())));
    }
    in.writeBytes(read);
    read.release();
  }

  private void moveTo(ByteBuf buffer) {
    buffer.writeBytes(in);
    in.release();
    in = buffer;
  }

  /** Answers what can be answered now; after a whole pipeline others have their turn first. */
  private void takeTurn(ChannelHandlerContext ctx) {
    if (ended) {
      return;
    }
    int answered = 0;
    boolean more = true;
    taking = true;
    try {
      while (mayTake(ctx) && answered < pipeline && more) {
        more = decoder.decode(in);
        answered += more ? execute(ctx, pipeline - answered) : 0;
      }
    } catch (ProtocolError e) {
      begin(ctx).error("ERR " + e.getMessage());
      untold++;
      session.end();
    }
    send(ctx);
    taking = false;
    if (session.isOver()) {
      ended = true;
      release();
      enter(Phase.QUIET, ctx);
      connection.part(ctx);
    } else {
      endTurn(ctx, more);
    }
  }

  private boolean mayTake(ChannelHandlerContext ctx) {
    return !answering && !session.isOver() && ctx.channel().isWritable();
  }

  /** Executes a command, with those like it that follow, and returns how many. */
  private int execute(ChannelHandlerContext ctx, int most) {
    int run = commands.increment(decoder, in, session, begin(ctx), most);
    if (run == 0) {
      commands.execute(decoder, session, writer);
      run = 1;
    }
    untold += run;
    CompletableFuture<Reply> later = session.takeLater();
    if (later != null) {
      await(ctx, later);
    }
    if (out != null && out.readableBytes() >= BATCH_BYTES) {
      send(ctx);
    }
    return run;
  }

  private RespWriter begin(ChannelHandlerContext ctx) {
    if (untold == 0) {
      connection.enter(Phase.ANSWERING, ctx);
    }
    if (out == null) {
      out = ctx.alloc().buffer(Math.max(MIN_OUT_BYTES, in.readableBytes()));
      writer.to(out);
    }
    return writer;
  }

  private void send(ChannelHandlerContext ctx) {
    if (out != null) {
      ctx.writeAndFlush(out, ctx.voidPromise());
      out = null;
    }
  }

  private void await(ChannelHandlerContext ctx, CompletableFuture<Reply> later) {
    answering = true;
    later.whenCompleteAsync((reply, failure) -> resume(ctx, reply, failure), ctx.executor());
  }

  private void resume(
      ChannelHandlerContext ctx, @Nullable Reply reply, @Nullable Throwable failure) {
    answering = false;
    if (ended) {
      return; // the client is gone, and its answer with it
    }
    if (reply != null) {
      reply.write(begin(ctx));
    } else if (failure != null) {
      RedisCommands.refuse(begin(ctx), Refusal.of(failure));
    }
    takeTurn(ctx);
  }

  private void endTurn(ChannelHandlerContext ctx, boolean more) {
    boolean blocked = !mayTake(ctx);
    boolean yields = !blocked && more && in.isReadable();
    ctx.channel().config().setAutoRead(!blocked && !yields);
    if (answering) {
      return; // the time goes on
    }
    if (blocked || yields) {
      enter(Phase.ANSWERING, ctx);
      if (yields) {
        ctx.executor().execute(() -> takeTurn(ctx));
      }
    } else if (in.isReadable()) {
      enter(Phase.READING, ctx);
      if (in.capacity() > 2 * in.readableBytes() + MAX_SLACK_BYTES) {
        moveTo(ctx.alloc().buffer(in.readableBytes()));
      }
    } else {
      release();
      enter(Phase.QUIET, ctx);
    }
  }

  /** Tells the connection what it has answered, and what it is at now. */
  private void enter(Phase next, ChannelHandlerContext ctx) {
    if (untold == 0) {
      connection.enter(next, ctx);
    } else {
      connection.answered(untold, writer.takeErrors(), next, ctx);
      untold = 0;
    }
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) {
    if (!taking && ctx.channel().isWritable()) {
      takeTurn(ctx);
    }
    ctx.fireChannelWritabilityChanged();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    ended = true;
    release();
    ctx.fireChannelInactive();
  }

  private void release() {
    in.release();
    in = Unpooled.EMPTY_BUFFER;
    if (out != null) {
      out.release();
      out = null;
    }
  }
}
