package io.firn.testservers;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks Redis in the form that people type, for answers of one line. */
final class RedisClient implements AutoCloseable {

  private final Socket socket = new Socket();
  private final BufferedReader in;

  RedisClient(InetSocketAddress server) throws IOException {
    socket.connect(server, 5_000);
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
  }

  static String ask(InetSocketAddress server, String command) throws IOException {
    try (RedisClient client = new RedisClient(server)) {
      return client.ask(command);
    }
  }

  String ask(String command) throws IOException {
    return ask(command, 5_000);
  }

  /** The first line of the answer, or of the value that comes after the line with its length. */
  String ask(String command, int maxMillis) throws IOException {
    socket.setSoTimeout(maxMillis);
    socket.getOutputStream().write((command + "\r\n").getBytes(StandardCharsets.UTF_8));
    String line = in.readLine();
    return line.startsWith("$") && !line.equals("$-1") ? in.readLine() : line;
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
