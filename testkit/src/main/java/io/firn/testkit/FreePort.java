package io.firn.testkit;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/**
 * Free TCP ports of the loopback interface, below the range that operating systems assign to
 * outgoing connections: a proxy that refuses connections for a while gets its port back.
 */
final class FreePort {

  private FreePort() {}

  /** Returns a random port that no process listens on now. */
  static int next() {
    while (true) { // ends: 18,000 ports, of which few are taken
      int port = 12_000 + (int) TimeSource.system().random(18_000);
      try (ServerSocket socket = new ServerSocket()) {
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        return port;
      } catch (IOException e) {
        // taken
      }
    }
  }
}
