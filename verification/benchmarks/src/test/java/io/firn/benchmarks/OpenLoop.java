package io.firn.benchmarks;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * Requests at fixed moments, whether those before are answered or not, each timed from the moment
 * at which it was due: what a wait costs those behind it is not left out (coordinated omission).
 */
final class OpenLoop implements AutoCloseable {

  private static final long MAX_MICROS = 60_000_000;

  private final Selector selector = Selector.open();
  private final List<SelectionKey> keys = new ArrayList<>();
  private final ByteBuffer request;
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(1 << 16);
  private final int answerBytes;
  private Histogram micros = new Histogram(MAX_MICROS, 3);

  /** The due times of the unanswered requests of a connection, oldest first. */
  private static final class Waiting {
    private final ArrayDeque<Long> due = new ArrayDeque<>();
    private int bytes;
  }

  OpenLoop(InetSocketAddress server, int connections, byte[] request) throws IOException {
    answerBytes = ClosedLoop.answerBytes(server, request);
    this.request = ByteBuffer.allocateDirect(request.length).put(request);
    for (int i = 0; i < connections; i++) {
      SocketChannel channel = SocketChannel.open(server);
      channel.socket().setTcpNoDelay(true);
      channel.configureBlocking(false);
      keys.add(channel.register(selector, SelectionKey.OP_READ, new Waiting()));
    }
  }

  /** Sends so many requests a second for so long, and returns the times of the answers in µs. */
  Histogram run(int requestsPerSecond, Duration duration) throws IOException {
    micros = new Histogram(MAX_MICROS, 3);
    long interval = 1_000_000_000L / requestsPerSecond;
    long begin = System.nanoTime();
    long count = duration.toNanos() / interval;
    for (long sent = 0; sent < count; ) {
      long due = begin + sent * interval;
      if (System.nanoTime() - due >= 0) {
        send(keys.get((int) (sent++ % keys.size())), due);
      } else {
        selector.selectNow(this::read);
      }
    }
    while (micros.getTotalCount() < count) {
      selector.select(this::read);
    }
    return micros;
  }

  private void send(SelectionKey key, long due) throws IOException {
    request.rewind();
    ((SocketChannel) key.channel()).write(request);
    ((Waiting) key.attachment()).due.add(due);
  }

  private void read(SelectionKey key) {
    Waiting waiting = (Waiting) key.attachment();
    try {
      int read = ((SocketChannel) key.channel()).read(buffer.clear());
      if (read < 0) {
        throw new IOException("connection: closed (expected: open)");
      }
      waiting.bytes += read;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    long now = System.nanoTime();
    for (; waiting.bytes >= answerBytes; waiting.bytes -= answerBytes) {
      micros.recordValue(Math.min(MAX_MICROS, (now - waiting.due.remove()) / 1000));
    }
  }

  @Override
  public void close() throws IOException {
    for (SelectionKey key : keys) {
      key.channel().close();
    }
    selector.close();
  }
}
