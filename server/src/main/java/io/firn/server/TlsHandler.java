package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Executor;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLEngine;

/**
 * Decrypts what a client sends, and reports the memory of what cannot be decrypted yet. The
 * computations of a handshake, which take a millisecond, wait among the {@link LaterTurns}.
 */
final class TlsHandler extends SslHandler {

  private final IntConsumer held;
  private boolean reported;

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
  }
}
