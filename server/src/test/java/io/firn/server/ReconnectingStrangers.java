package io.firn.server;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Connections from many hosts that each send the same bytes, read nothing, and connect again when
 * the server disconnects them. One thread has them all.
 */
final class ReconnectingStrangers implements AutoCloseable {

  private final InetSocketAddress server;
  private final int hosts;
  private final ByteBuffer[] left;
  private final @Nullable SocketChannel[] connections;
  private final CompletableFuture<Void> end;
  private volatile boolean closed;
  private final AtomicInteger disconnected = new AtomicInteger();

  /** Starts so many, from so many hosts, and sends the bytes on each. */
  ReconnectingStrangers(InetSocketAddress server, int hosts, int count, byte[] bytes) {
    this.server = server;
    this.hosts = hosts;
    connections = new SocketChannel[count];
    left = new ByteBuffer[count];
    for (int i = 0; i < count; i++) {
      left[i] = ByteBuffer.wrap(bytes);
    }
    end = CompletableFuture.runAsync(this::run, task -> new Thread(task, "strangers").start());
  }

  /** Returns how many connections the server has closed so far. */
  int disconnected() {
    return disconnected.get();
  }

  private void run() {
    ByteBuffer answer = ByteBuffer.allocate(1 << 10);
    while (!closed) {
      for (int i = 0; i < connections.length && !closed; i++) {
        if (!goOn(i, answer)) {
          disconnect(i);
          disconnected.incrementAndGet();
        }
      }
    }
    for (int i = 0; i < connections.length; i++) {
      disconnect(i);
    }
  }

  /** Returns false if the server has closed the connection. */
  private boolean goOn(int i, ByteBuffer answer) {
    try {
      SocketChannel connection = connections[i];
      if (connection == null) {
        connection = Strangers.connectFrom(i % hosts, server);
        connections[i] = connection;
        left[i].rewind();
      }
      if (left[i].hasRemaining()) {
        connection.write(left[i]);
      }
      return connection.read(answer.clear()) >= 0;
    } catch (IOException e) {
      return false;
    }
  }

  private void disconnect(int i) {
    SocketChannel connection = connections[i];
    connections[i] = null;
    if (connection != null) {
      try {
        connection.close();
      } catch (IOException e) {
        // closed anyway
      }
    }
  }

  @Override
  public void close() {
    closed = true;
    end.join();
  }
}
