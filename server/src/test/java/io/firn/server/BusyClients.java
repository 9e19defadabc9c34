package io.firn.server;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Clients of the Redis protocol that take all connections of a server and keep them busy: each
 * waits for the answer to a request, and then sends the next one. With a layout of long ticks,
 * answers take seconds, or are refusals at once if too many wait.
 */
final class BusyClients {

  private static final int OPENED_AT_ONCE = 100;
  private static final int ANSWER_BYTES = 4 << 10;

  /** The time between attempts to open connections. */
  private static final long TURN_NANOS = 10_000_000;

  private final InetSocketAddress server;
  private final byte[] request;
  private final ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);

  /** True once the server refused or closed a connection. */
  private boolean refused;

  private int opened;

  /**
   * Creates clients that are not connected yet.
   *
   * @param count how many IDs each asks for
   */
  BusyClients(InetSocketAddress server, int count) {
    this.server = server;
    request = ("NEXT default COUNT " + count + "\r\n").getBytes(US_ASCII);
  }

  /** Keeps the connections busy, and opens others for those that the server closes. */
  void run(AtomicBoolean over) throws IOException {
    try (Selector selector = Selector.open()) {
      try {
        for (long next = System.nanoTime(); !over.get(); ) {
          if (System.nanoTime() - next >= 0) {
            next += TURN_NANOS;
            for (int i = refused ? 1 : OPENED_AT_ONCE; i > 0; i--) {
              open(selector);
            }
          }
          selector.select(this::askAgain, 1);
        }
      } finally {
        for (SelectionKey key : selector.keys()) {
          key.channel().close();
        }
      }
    }
  }

  private void open(Selector selector) {
    try {
      SocketChannel connection = Strangers.connect(server, opened++);
      connection.register(selector, SelectionKey.OP_READ);
      ask(connection);
    } catch (IOException e) {
      refused = true;
    }
  }

  private void askAgain(SelectionKey key) {
    SocketChannel connection = (SocketChannel) key.channel();
    try {
      if (connection.read(answer.clear()) < 0) {
        refused = true;
        connection.close();
      } else {
        ask(connection);
      }
    } catch (IOException e) {
      refused = true;
      key.cancel();
    }
  }

  private void ask(SocketChannel connection) throws IOException {
    connection.write(ByteBuffer.wrap(request));
  }
}
