package io.firn.server.thrift;

import io.firn.server.Connection;
import io.firn.server.RequestException;
import io.firn.server.RequestHandler;
import io.firn.server.config.Limits;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/** Reads the calls of one connection, each in a frame that begins with its length. */
final class ThriftHandler extends RequestHandler {

  private static final int LENGTH_BYTES = Integer.BYTES;

  private final SnowflakeCalls calls;
  private final int mostBytes;

  /** The length of a frame whose end has not come, in bytes; 0 if there is none. */
  private long frameBytes;

  ThriftHandler(SnowflakeCalls calls, Connection connection, Limits limits) {
    super(connection, limits);
    this.calls = calls;
    mostBytes = limits.requestBytes();
  }

  @Override
  protected int take(ChannelHandlerContext ctx, ByteBuf in, int most) {
    int length = in.readableBytes() < LENGTH_BYTES ? 0 : in.getInt(in.readerIndex());
    frameBytes = 0;
    if (length < 0 || length > mostBytes) {
      refuseFrame(ctx, in, length);
    } else if (in.readableBytes() < LENGTH_BYTES + length) {
      frameBytes = (long) LENGTH_BYTES + length;
      return 0;
    } else {
      begin();
      answer(ctx, in.skipBytes(LENGTH_BYTES).readSlice(length));
    }
    return 1;
  }

  @Override
  protected long knownBytes() {
    return frameBytes;
  }

  /** Closes the connection, because the beginning of the next frame is unknown. */
  private void refuseFrame(ChannelHandlerContext ctx, ByteBuf in, int length) {
    in.skipBytes(in.readableBytes());
    begin();
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
      calls.call(message, frame, new Answer(ctx, message));
    } catch (ThriftException e) {
      refuse(ctx, message, e, false);
    } catch (IndexOutOfBoundsException e) {
      ThriftException cut = protocolError("frame: cut short (expected: a whole call)");
      refuse(ctx, message, cut, false);
    } catch (RuntimeException e) { // an unexpected failure is answered too
      refuse(ctx, message, internalError(e), false);
    }
  }

  /** The answer to one call. */
  private final class Answer implements SnowflakeCalls.Answer {

    private final ChannelHandlerContext ctx;
    private final ThriftMessage message;

    Answer(ChannelHandlerContext ctx, ThriftMessage message) {
      this.ctx = ctx;
      this.message = message;
    }

    @Override
    public void send(long value) {
      if (message.type() != ThriftMessage.ONEWAY) {
        ByteBuf out = ctx.alloc().buffer();
        message.writeReply(out, value);
        ctx.write(out, ctx.voidPromise());
      }
      answered(ctx, 1, 0, isStopping());
    }

    @Override
    public <T> void whenDone(CompletableFuture<T> result, Consumer<T> next) {
      ThriftHandler.this.whenDone(
          ctx,
          result,
          (value, failure) -> {
            if (value == null) {
              refuse(ctx, message, internalError(Objects.requireNonNull(failure)), false);
            } else {
              next.accept(value);
            }
          });
    }
  }

  private void refuse(
      ChannelHandlerContext ctx, ThriftMessage message, ThriftException reason, boolean last) {
    if (message.type() != ThriftMessage.ONEWAY) {
      ByteBuf out = ctx.alloc().buffer();
      message.writeException(out, reason);
      ctx.write(out, ctx.voidPromise());
    }
    answered(ctx, 1, 1, last || isStopping());
  }

  private static ThriftException protocolError(String message) {
    return new ThriftException(ThriftException.Kind.PROTOCOL_ERROR, message);
  }

  private static ThriftException internalError(Throwable failure) {
    return new ThriftException(
        ThriftException.Kind.INTERNAL_ERROR,
        String.valueOf(RequestException.of(failure).getMessage()));
  }
}
