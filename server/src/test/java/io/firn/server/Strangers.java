package io.firn.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;

/** Connections of clients from other hosts: from 127.0.0.2 and up, where the system has these. */
final class Strangers {

  private static final int HOSTS = 8;

  private static final boolean HAS_ALL_OF_LOOPBACK =
      System.getProperty("os.name").startsWith("Linux");

  private Strangers() {}

  /**
   * Connects from one of a few hosts, without waiting for anything else.
   *
   * @param number which host it is, by turns
   */
  static SocketChannel connect(InetSocketAddress server, int number) throws IOException {
    return connectFrom(number % HOSTS, server);
  }

  /**
   * Connects from a host, without waiting for anything else.
   *
   * @param number which host it is
   */
  static SocketChannel connectFrom(int number, InetSocketAddress server) throws IOException {
    SocketChannel connection = SocketChannel.open();
    try {
      if (HAS_ALL_OF_LOOPBACK) {
        int last = 2 + number;
        byte[] host = {127, (byte) (last >> 16), (byte) (last >> 8), (byte) last};
        connection.bind(new InetSocketAddress(InetAddress.getByAddress(host), 0));
      }
      connection.connect(server);
      connection.configureBlocking(false);
      return connection;
    } catch (IOException e) {
      connection.close();
      throw e;
    }
  }
}
