package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslHandler;
import java.util.function.IntConsumer;
import javax.net.ssl.SSLEngine;

/** Decrypts what a client sends, and reports the memory of what cannot be decrypted yet. */
final class TlsHandler extends SslHandler {

  private final IntConsumer held;
  private boolean reported;

  /**
   * Creates the handler of a connection.
   *
   * @param held takes how many bytes the part of a record takes that is not complete
   */
  TlsHandler(SSLEngine engine, IntConsumer held) {
    super(engine);
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
