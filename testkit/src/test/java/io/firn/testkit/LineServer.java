package io.firn.testkit;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;

/** A server that answers a line with a line, or closes the connection if the answer is null. */
final class LineServer implements AutoCloseable {

  private final InetSocketAddress address =
      new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.next());
  private final Set<Socket> connections = ConcurrentHashMap.newKeySet();
  private final UnaryOperator<String> answer;
  private ServerSocket listener;
  private Thread acceptor;

  LineServer(UnaryOperator<String> answer) {
    this.answer = answer;
    start();
  }

  InetSocketAddress address() {
    return address;
  }

  /** Listens again after {@link #close}. */
  void start() {
    try {
      ServerSocket socket = new ServerSocket();
      socket.setReuseAddress(true);
      socket.bind(address);
      listener = socket;
      acceptor =
          run(
              () -> {
                while (true) {
                  Socket connection = socket.accept();
                  run(() -> serve(connection));
                }
              });
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void serve(Socket connection) throws IOException {
    connections.add(connection);
    try (connection) {
      BufferedReader in = reader(connection);
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        String reply = answer.apply(line);
        if (reply == null) {
          return;
        }
        send(connection, reply);
      }
    } finally {
      connections.remove(connection);
    }
  }

  static BufferedReader reader(Socket socket) throws IOException {
    return new BufferedReader(
        new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  static void send(Socket socket, String line) throws IOException {
    socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
  }

  private interface Task {
    void run() throws IOException;
  }

  private static Thread run(Task task) {
    Thread thread =
        new Thread(
            () -> {
              try {
                task.run();
              } catch (IOException e) {
                // the end of the connection or of the server
              }
            });
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() throws IOException {
    listener.close();
    try {
      acceptor.join(); // until then the port is in use
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    for (Socket connection : connections) {
      connection.close();
    }
  }
}
