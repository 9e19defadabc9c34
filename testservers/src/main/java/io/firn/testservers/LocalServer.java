package io.firn.testservers;

import java.net.InetSocketAddress;

/**
 * A server in a process of its own. It ends with this JVM if it is not closed before. Every method
 * returns when it is done; not thread-safe.
 */
public interface LocalServer extends AutoCloseable {

  /** Returns where it listens: the same through every restart. */
  InetSocketAddress address();

  /** Kills the server and its children with SIGKILL. What it wrote stays. */
  void kill();

  /**
   * Starts it again after {@link #kill}, on the same port and the same data.
   *
   * @throws IllegalStateException if it does not get ready; the message ends with what it wrote
   */
  void restart();

  /** Stops the server and its children in the middle of what they do, with SIGSTOP. */
  void pause();

  /** Lets them continue, with SIGCONT. */
  void resume();

  /** Ends the server and deletes its data. */
  @Override
  void close();
}
