package io.firn.testkit;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Free TCP ports of the loopback interface. They lie below the range that operating systems assign
 * to outgoing connections, so a port is still free when its server restarts, even while clients
 * keep trying to connect to it. Thread-safe.
 */
public final class FreePort {

  private static final int FIRST = 12_000;
  private static final int COUNT = 18_000;
  private static final int MAX_ATTEMPTS = 100;

  /** Counts on from a random port, so that no two calls in this process return the same one. */
  private static final AtomicInteger NEXT =
      new AtomicInteger((int) TimeSource.system().random(COUNT));

  /** Has a locked byte for each port that a running process was given. */
  private static final Path GIVEN =
      Path.of(
          System.getProperty("java.io.tmpdir"), "firn-ports-" + System.getProperty("user.name"));

  private static final FileChannel LOCKS = open();

  private FreePort() {}

  private static FileChannel open() {
    try {
      return FileChannel.open(GIVEN, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns a port that no process listens on now, and that no earlier call returned, of this
   * process or of another one of this user that runs still.
   *
   * @throws IllegalStateException if a hundred ports in a row are taken
   */
  public static int next() {
    for (int attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
      if (isFree(port) && isGivenToNobody(port)) {
        return port;
      }
    }
    throw new IllegalStateException(
        "No port of "
            + MAX_ATTEMPTS
            + " in "
            + FIRST
            + ".."
            + (FIRST + COUNT - 1)
            + " was free; end what listens there");
  }

  /** Locks the byte of a port until this process ends. */
  private static boolean isGivenToNobody(int port) {
    try {
      return LOCKS.tryLock(port, 1, false) != null;
    } catch (OverlappingFileLockException e) {
      return false;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static boolean isFree(int port) {
    try (ServerSocket socket = new ServerSocket()) {
      socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}
