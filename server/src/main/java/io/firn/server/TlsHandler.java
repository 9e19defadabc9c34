package io.firn.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

/**
 * Decrypts what a client sends, and reports the memory of what cannot be decrypted yet. The
 * computations of a handshake, which take a millisecond, wait among the {@link LaterTurns}.
 */
final class TlsHandler extends SslHandler {

  /**
   * The most records in a row that have no data of the client. A handshake has a few. For each, the
   * engine copies the part of a message that came before it.
   */
  static final int MAX_EMPTY_RECORDS = 128;

  /** The type, the version and the length of a record. */
  private static final int HEADER_BYTES = 5;

  /**
   * The most bytes of the records of a hello: one full record. Clients send less than half, even
   * with a session ticket that has a chain of certificates. Java takes 32 KiB, whose longest lists
   * are computed for 15 ms.
   */
  static final int MAX_HELLO_BYTES = HEADER_BYTES + (16 << 10);

  /** The bytes of the objects that the engine makes of a byte of a hello, for its longest lists. */
  private static final int OBJECT_BYTES = 15;

  /** The bytes of the objects of a connection, most of them those of the engine. */
  private static final int CONNECTION_BYTES = 9 << 10;

  /** The connections that fill half of the heap. Requests, answers and all else have the rest. */
  static final int MAX_CONNECTIONS =
      (int) Math.min(Integer.MAX_VALUE, Runtime.getRuntime().maxMemory() / 2 / CONNECTION_BYTES);

  private final Connection connection;

  /** The turn in which the handshake is computed. */
  private final AwaitedTurn turn;

  /** The number of records since the last data, or the end of the handshake. */
  private int emptyRecords;

  /** The bytes of those records. The engine keeps them while a message is not complete. */
  private int emptyBytes;

  /** Those of them that the engine has made objects of, and keeps until the handshake ends. */
  private int computedBytes;

  /** True if the newest record had data, or ended the handshake. */
  private boolean progressed;

  /** True if the client has closed its sending side while the handshake was computed. */
  private boolean ended;

  /** Creates the handler of a connection, for its pipeline. */
  TlsHandler(SSLEngine engine, ChannelPipeline pipeline, Connection connection) {
    super(engine, computation -> compute(pipeline.context(TlsHandler.class), computation));
    this.connection = connection;
    turn = new AwaitedTurn(connection, this::reportWaiting);
    setHandshakeTimeout(connection.requestNanos(), TimeUnit.NANOSECONDS);
  }

  @Override
  public void handlerAdded(ChannelHandlerContext ctx) throws Exception {
    super.handlerAdded(ctx);
    ctx.pipeline().addAfter(ctx.name(), null, new Progress());
  }

  private void reportWaiting() {
    connection.waitsForServer(turn.isAwaited());
  }

  /** Has a part of a handshake computed in a turn, unless the client leaves before. */
  private static void compute(ChannelHandlerContext ctx, Runnable computation) {
    TlsHandler handler = (TlsHandler) ctx.handler();
    handler.turn.await(
        LaterTurns.of(LaterTurns.Kind.LONG_STEP, handler.connection.isKnown()),
        ctx,
        () -> {
          handler.turn.end();
          computation.run();
          handler.computed();
        });
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) throws Exception {
    turn.end();
    super.channelInactive(ctx);
  }

  /** Notices data of the client, and the end of the handshake. */
  private final class Progress extends ChannelInboundHandlerAdapter {

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object data) {
      progress();
      ctx.fireChannelRead(data);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
      if (event instanceof SslHandshakeCompletionEvent handshake) {
        if (handshake.cause() instanceof SslHandshakeTimeoutException) {
          connection.count(Traffic.Closing.SLOW);
        }
        progress();
      }
      ctx.fireUserEventTriggered(event);
    }
  }

  private void progress() {
    progressed = true;
    emptyRecords = 0;
    emptyBytes = 0;
    computedBytes = 0;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
    super.channelRead(ctx, message);
    reportHeld();
    if (ended && !isComputing()) {
      super.userEventTriggered(ctx, ChannelInputShutdownEvent.INSTANCE);
    }
  }

  /** Records that the engine has computed the messages that have come. */
  private void computed() {
    computedBytes = emptyBytes;
    reportHeld();
  }

  private void reportHeld() {
    ByteBuf part = internalBuffer();
    int bytes =
        (part.isReadable() ? part.capacity() : 0) + emptyBytes + OBJECT_BYTES * computedBytes;
    connection.holdEncrypted(bytes);
  }

  /** Decrypts a record, unless the connection was closed for what the ones before it held. */
  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out)
      throws SSLException {
    if (!ctx.channel().isActive()) {
      in.skipBytes(in.readableBytes());
      return;
    }
    if (isHello() && emptyBytes + recordBytes(in) > MAX_HELLO_BYTES) {
      connection.close(Traffic.Closing.SLOW);
      in.skipBytes(in.readableBytes());
      return;
    }
    progressed = false;
    int before = in.readableBytes();
    super.decode(ctx, in, out);
    int taken = before - in.readableBytes();
    if (!progressed && taken > 0) {
      emptyRecords++;
      emptyBytes += taken;
      if (emptyRecords > MAX_EMPTY_RECORDS) {
        connection.close(Traffic.Closing.SLOW);
      }
    }
  }

  /**
   * Passes events on. While the handshake is computed, the end of what the client sends waits, so
   * that all that has come before is decrypted first. Netty reads on after each computation. If the
   * client has ended with its hello, it cannot answer what would be computed.
   */
  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) throws Exception {
    if (event == ChannelInputShutdownEvent.INSTANCE && isComputing()) {
      if (isHello()) {
        connection.close();
      } else {
        ended = true;
      }
    } else {
      super.userEventTriggered(ctx, event);
    }
  }

  /** Returns whether the next record is the hello, or a part of it. */
  private boolean isHello() {
    return computedBytes == 0 && !handshakeFuture().isDone();
  }

  /** Returns the length of the next record, with its header, or 0 if that has not come. */
  private static int recordBytes(ByteBuf in) {
    return in.readableBytes() < HEADER_BYTES
        ? 0
        : HEADER_BYTES + in.getUnsignedShort(in.readerIndex() + HEADER_BYTES - 2);
  }

  private boolean isComputing() {
    return engine().getHandshakeStatus() == HandshakeStatus.NEED_TASK;
  }
}
