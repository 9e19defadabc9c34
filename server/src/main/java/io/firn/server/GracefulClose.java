package io.firn.server;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.TimeUnit;

/**
 * Sends all answers of a connection, then closes its sending side, and closes the connection when
 * the client has closed its own or sends nothing more. Closing at once would discard what the
 * client has sent meanwhile, and with it, on many systems, answers that the client has not read
 * yet. Used by the connection's event loop.
 */
final class GracefulClose {

  /**
   * The time that the client has to close its side, once it has all answers, or to send more of
   * what is not read any more. It pauses for a round trip while it waits for acknowledgments.
   */
  private static final long DELAY_NANOS = TimeUnit.SECONDS.toNanos(1);

  /** The same while the server stops. */
  private static final long STOP_DELAY_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

  private final Connection connection;
  private final Channel channel;
  private final long requestNanos;

  /**
   * Creates the end of a connection.
   *
   * @param requestNanos the longest time from the last answer to the end, in nanoseconds
   */
  GracefulClose(Connection connection, Channel channel, long requestNanos) {
    this.connection = connection;
    this.channel = channel;
    this.requestNanos = requestNanos;
  }

  /** Closes the connection once all answers are sent. */
  void begin() {
    channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> closeSent());
  }

  private void closeSent() {
    if (!(channel instanceof DuplexChannel duplex) || duplex.isInputShutdown()) {
      channel.close();
      return;
    }
    SslHandler tls = channel.pipeline().get(SslHandler.class);
    if (tls == null) {
      duplex.shutdownOutput();
    } else {
      tls.closeOutbound()
          .addListener(sent -> channel.eventLoop().execute(() -> closeOutputOfTls(duplex, tls)));
    }
    closeWhenSilent(connection.nanoTime());
  }

  /** The bytes that still come are not decrypted: TLS 1.2 has no half-closed connections. */
  private void closeOutputOfTls(DuplexChannel duplex, SslHandler tls) {
    if (connection.hasTls()) { // it has not when the client has left
      channel.pipeline().remove(tls);
    }
    connection.holdEncrypted(0);
    duplex.shutdownOutput();
  }

  /**
   * Closes the connection once nothing has come for a while: a client may send the rest of a long
   * request that was refused before it reads the answer. It has as long as for any request.
   */
  private void closeWhenSilent(long sentNanos) {
    if (!channel.isOpen()) { // the client has closed its side
      return;
    }
    long now = connection.nanoTime();
    long silent =
        connection.waitsForServer() ? 0 : now - Math.max(sentNanos, connection.readNanos());
    long most = connection.isStopping() ? STOP_DELAY_NANOS : requestNanos;
    long left = Math.min(DELAY_NANOS - silent, most - (now - sentNanos));
    if (left > 0) {
      channel
          .eventLoop()
          .schedule(
              () -> closeWhenSilent(sentNanos),
              Math.min(left, STOP_DELAY_NANOS), // the server may stop meanwhile
              TimeUnit.NANOSECONDS);
    } else {
      channel.close();
    }
  }
}
