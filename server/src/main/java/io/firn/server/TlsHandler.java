package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandler;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * Decrypts what a client sends, and reports the memory of what cannot be decrypted yet. The
 * computations of a handshake, which take a millisecond, wait among the {@link LaterTurns}.
 */
final class TlsHandler extends SslHandler {

  private final IntConsumer held;
  private boolean reported;

  /** True if the client has closed its sending side while the handshake was computed. */
  private boolean ended;

  /**
   * Creates the handler of a connection.
   *
   * @param computations runs those of a handshake
   * @param held takes how many bytes the part of a record takes that is not complete
   */
  TlsHandler(SSLEngine engine, Executor computations, IntConsumer held) {
    super(engine, computations);
    this.held = held;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    super.channelRead(ctx, message);
    ByteBuf part = internalBuffer();
    int bytes = part.isReadable() ? part.capacity() : 0;
    if (bytes > 0 || reported) {
      reported = bytes > 0;
      held.accept(bytes);
    }
    if (ended && !isComputing()) {
      super.userEventTriggered(ctx, ChannelInputShutdownEvent.INSTANCE);
    }
  }

  /** Decrypts a record, unless the connection was closed for what the ones before it held. */
  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws SSLException {
    if (ctx.channel().isActive()) {
      super.decode(ctx, in, out);
    } else {
      in.skipBytes(in.readableBytes());
    }
  }

  /**
   * Passes events on. While the handshake is computed, the end of what the client sends waits, so
   * that all that has come before is decrypted first. Netty reads on after each computation.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == ChannelInputShutdownEvent.INSTANCE && isComputing()) {
      ended = true;
    } else {
      super.userEventTriggered(ctx, event);
    }
  }

  private boolean isComputing() {
    return engine().getHandshakeStatus() == HandshakeStatus.NEED_TASK;
  }
}
