package io.firn.server;

import io.firn.server.Connection.Phase;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.ReferenceCountUtil;
import java.util.List;

/**
 * The requests of one connection, answered one after the other. While an answer is not complete, or
 * the client does not take what it was sent, nothing more is read, and what was read stays bytes:
 * so a connection holds one reading of the socket and one answer above the water mark, however many
 * requests its client sends ahead.
 */
public abstract class Conversation extends ByteToMessageDecoder {

  private final Connection connection;
  private boolean taking;
  private boolean answering;
  private boolean ended;

  /** Makes one for a connection, at whose events it is called. */
  protected Conversation(Connection connection) {
    this.connection = connection;
  }

  /**
   * Takes the next request, or a part of it, or leaves the bytes if there are too few of them.
   *
   * @throws Exception to end the connection
   */
  protected abstract void take(ChannelHandlerContext ctx, ByteBuf in) throws Exception;

  /** Tells that a request has begun, and is not complete. */
  protected final void awaitMore(ChannelHandlerContext ctx) {
    connection.enter(Phase.READING, ctx);
  }

  /** Tells that a request is complete: no other is taken until {@link #answered}. */
  protected final void begin(ChannelHandlerContext ctx) {
    answering = true;
    connection.enter(Phase.ANSWERING, ctx);
  }

  /**
   * Tells that the answer to the request is written.
   *
   * @param granted whether it is what the client asked for
   * @param last whether the connection ends with it
   */
  protected final void answered(ChannelHandlerContext ctx, boolean granted, boolean last) {
    answering = false;
    ended = last;
    connection.answered(1, granted ? 0 : 1, Phase.QUIET, ctx);
    if (last) {
      connection.part(ctx);
    }
    if (!taking) {
      goOn(ctx);
    }
  }

  /** Whether the server is stopping, so that the connection ends with the next answer. */
  protected final boolean isStopping() {
    return connection.isStopping();
  }

  @Override
  protected final void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws Exception {
    if (mayTake(ctx)) {
      taking = true;
      try {
        take(ctx, in);
      } finally {
        taking = false;
      }
    }
  }

  private boolean mayTake(ChannelHandlerContext ctx) {
    return !answering && !ended && ctx.channel().isWritable();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    if (ended) {
      ReferenceCountUtil.release(message);
      return;
    }
    super.channelRead(ctx, message);
    boolean on = ended || mayTake(ctx);
    if (ctx.channel().config().isAutoRead() != on) {
      ctx.channel().config().setAutoRead(on);
    }
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) throws Exception {
    ctx.flush();
    super.channelReadComplete(ctx);
  }

  @Override
  public void channelWritabilityChanged(ChannelHandlerContext ctx) throws Exception {
    goOn(ctx);
    super.channelWritabilityChanged(ctx);
  }

  /** Goes on with what was left undecoded, and sends what became of it. */
  private void goOn(ChannelHandlerContext ctx) {
    if (mayTake(ctx) && !taking) {
      try {
        channelRead(ctx, Unpooled.EMPTY_BUFFER);
      } catch (Exception e) { // as the pipeline does
        ctx.fireExceptionCaught(e);
      }
    }
    ctx.flush();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    ended = true;
    super.channelInactive(ctx);
  }
}
