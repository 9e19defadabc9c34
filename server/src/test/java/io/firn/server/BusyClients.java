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
 * waits for the answer to a request, and then sends the next one. With a layout of long ticks, the
 * answers take seconds and cost neither side much.
 */
final class BusyClients {

  /** Few IDs: the server refuses requests whose IDs do not fit into its memory. */
  private static final byte[] REQUEST = "NEXT default COUNT 30\r\n".getBytes(US_ASCII);

  private static final int OPENED_AT_ONCE = 100;
  private static final int ANSWER_BYTES = 4 << 10;

  /** The time between attempts to open connections. */
  private static final long TURN_NANOS = 10_000_000;

  private final InetSocketAddress server;
  private final ByteBuffer answer = ByteBuffer.allocate(ANSWER_BYTES);

  /** True once the server refused or closed a connection. */
  private boolean refused;

  private int opened;

  BusyClients(InetSocketAddress server) {
    this.server = server;
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

  private static void ask(SocketChannel connection) throws IOException {
    connection.write(ByteBuffer.wrap(REQUEST));
  }
}
