package io.firn.server.thrift;

import io.firn.server.Connection;
import io.firn.server.Conversation;
import io.firn.server.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The calls of one connection, each in a frame that its length stands before. */
final class ThriftConversation extends Conversation {

  private static final int LENGTH_BYTES = Integer.BYTES;

  private final SnowflakeCalls calls;
  private final int mostBytes;

  ThriftConversation(SnowflakeCalls calls, Connection connection, int mostBytes) {
    super(connection);
    this.calls = calls;
    this.mostBytes = mostBytes;
  }

  @Override
  protected void take(ChannelHandlerContext ctx, ByteBuf in) {
    int length = in.readableBytes() < LENGTH_BYTES ? 0 : in.getInt(in.readerIndex());
    if (length < 0 || length > mostBytes) {
      refuseFrame(ctx, in, length);
    } else if (in.readableBytes() < LENGTH_BYTES + length) {
      awaitMore(ctx);
    } else {
      begin(ctx);
      answer(ctx, in.skipBytes(LENGTH_BYTES).readSlice(length));
    }
  }

  /** A frame is no longer told from the next one: the connection ends. */
  private void refuseFrame(ChannelHandlerContext ctx, ByteBuf in, int length) {
    in.skipBytes(in.readableBytes());
    begin(ctx);
    refuse(
        ctx,
        ThriftMessage.UNREAD,
        protocolError(
            "frame: "
                + Integer.toUnsignedString(length)
                + " bytes (expected: at most "
                + mostBytes
                + ", in framed transport)"),
        true);
  }

  private void answer(ChannelHandlerContext ctx, ByteBuf frame) {
    ThriftMessage message = ThriftMessage.UNREAD;
    try {
      message = ThriftMessage.read(frame);
      answer(ctx, message, calls.call(message, frame));
    } catch (ThriftException e) {
      refuse(ctx, message, e, false);
    } catch (IndexOutOfBoundsException e) {
      ThriftException cut = protocolError("frame: cut short (expected: a whole call)");
      refuse(ctx, message, cut, false);
    } catch (RuntimeException e) { // also a bug is the client's answer, and nobody else's trouble
      refuse(ctx, message, internalError(e), false);
    }
  }

  private void answer(
      ChannelHandlerContext ctx, ThriftMessage message, CompletableFuture<Long> result) {
    if (result.isDone() && !result.isCompletedExceptionally()) {
      reply(ctx, message, result.join(), null);
    } else {
      result.whenCompleteAsync(
          (value, failure) -> reply(ctx, message, value, failure), ctx.executor());
    }
  }

  private void reply(
      ChannelHandlerContext ctx,
      ThriftMessage message,
      @Nullable Long value,
      @Nullable Throwable failure) {
    if (value == null) {
      refuse(ctx, message, internalError(Objects.requireNonNull(failure)), false);
      return;
    }
    if (message.type() != ThriftMessage.ONEWAY) {
      ByteBuf out = ctx.alloc().buffer();
      message.writeReply(out, value);
      ctx.write(out, ctx.voidPromise());
    }
    answered(ctx, true, isStopping());
  }

  private void refuse(
      ChannelHandlerContext ctx, ThriftMessage message, ThriftException reason, boolean last) {
    if (message.type() != ThriftMessage.ONEWAY) {
      ByteBuf out = ctx.alloc().buffer();
      message.writeException(out, reason);
      ctx.write(out, ctx.voidPromise());
    }
    answered(ctx, false, last || isStopping());
  }

  private static ThriftException protocolError(String message) {
    return new ThriftException(ThriftException.Kind.PROTOCOL_ERROR, message);
  }

  private static ThriftException internalError(Throwable failure) {
    return new ThriftException(
        ThriftException.Kind.INTERNAL_ERROR, String.valueOf(Refusal.of(failure).getMessage()));
  }
}
