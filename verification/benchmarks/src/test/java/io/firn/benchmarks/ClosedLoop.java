package io.firn.benchmarks;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;

/**
 * Connections that each send a pipeline of requests, wait for all of its answers, and send the next
 * one: as redis-benchmark does, on one thread. All answers must have the same length.
 */
final class ClosedLoop implements AutoCloseable {

  private static final int MAX_FIRST_MILLIS = 30_000;
  private static final int QUIET_MILLIS = 100;
  private static final int BUFFER_BYTES = 1 << 20;

  private final Selector selector = Selector.open();
  private final ByteBuffer requests;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);
  private final int answerBytes;
  private final int pipeline;
  private final int requestBytes;
  private final int count;
  private int next;
  private long bytes;

  /** The number of answers that a connection still expects. */
  private static final class Due {
    private int bytes;
  }

  ClosedLoop(InetSocketAddress server, int connections, byte[] request, int pipeline)
      throws IOException {
    this(server, connections, List.of(request), pipeline);
  }

  /**
   * Takes the requests in turns.
   *
   * @param each all of them have the same length
   */
  ClosedLoop(InetSocketAddress server, int connections, List<byte[]> each, int pipeline)
      throws IOException {
    answerBytes = answerBytes(server, each.get(0));
    this.pipeline = pipeline;
    requestBytes = each.get(0).length;
    count = each.size();
    requests = ByteBuffer.allocateDirect((count + pipeline) * requestBytes);
    for (int i = 0; i < count + pipeline; i++) {
      requests.put(each.get(i % count));
    }
    for (int i = 0; i < connections; i++) {
      SocketChannel channel = SocketChannel.open(server);
      channel.socket().setTcpNoDelay(true);
      channel.configureBlocking(false);
      channel.register(selector, SelectionKey.OP_READ, new Due());
    }
  }

  /** Returns the length of the answer to a request: all bytes until the connection is silent. */
  static int answerBytes(InetSocketAddress server, byte[] request) throws IOException {
    try (Socket socket = new Socket(server.getAddress(), server.getPort())) {
      socket.setSoTimeout(MAX_FIRST_MILLIS);
      socket.getOutputStream().write(request);
      int length = 0;
      while (true) {
        try {
          if (socket.getInputStream().read() < 0) {
            throw new IOException("connection: closed (expected: an answer)");
          }
        } catch (SocketTimeoutException e) {
          return length;
        }
        socket.setSoTimeout(QUIET_MILLIS);
        length++;
      }
    }
  }

  /** Goes on for so long, and returns the answers a second. */
  double run(Duration duration) throws IOException {
    long begin = System.nanoTime();
    long before = bytes;
    for (SelectionKey key : selector.keys()) {
      if (((Due) key.attachment()).bytes == 0) {
        send(key);
      }
    }
    long end = begin + duration.toNanos();
    while (System.nanoTime() < end) {
      selector.select(this::read, QUIET_MILLIS);
    }
    return (bytes - before) / (double) answerBytes * 1e9 / (System.nanoTime() - begin);
  }

  private void read(SelectionKey key) {
    Due due = (Due) key.attachment();
    try {
      int read = ((SocketChannel) key.channel()).read(buffer.clear());
      bytes += read;
      due.bytes -= read;
      if (read < 0 || due.bytes < 0) {
        throw new IOException("answers: not of " + answerBytes + " bytes (expected: all of them)");
      }
      if (due.bytes == 0) {
        send(key);
      }
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private void send(SelectionKey key) {
    try {
      requests.limit((next + pipeline) * requestBytes).position(next * requestBytes);
      next = (next + pipeline) % count;
      ((SocketChannel) key.channel()).write(requests);
      if (requests.hasRemaining()) {
        throw new IOException(
            "requests: " + pipeline * requestBytes + " bytes (expected: fewer at once)");
      }
      ((Due) key.attachment()).bytes = pipeline * answerBytes;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : selector.keys()) {
      key.channel().close();
    }
    selector.close();
  }
}
