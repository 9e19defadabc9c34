package io.firn.testkit;

import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A TCP proxy on the loopback interface that breaks the connections to a server as a network does,
 * when the test says so:
 *
 * <ul>
 *   <li>{@link #cutReplies}: the server executes the request, and the client gets no reply;
 *   <li>{@link #stall}: no bytes pass, and the request may still arrive later;
 *   <li>{@link #refuse}: the request never reaches the server.
 * </ul>
 *
 * A reply is what the server sends first, or after bytes of the client, up to the client's next
 * bytes. The methods that change the proxy are for one thread at a time.
 */
public final class CuttingProxy implements AutoCloseable {

  private static final int BUFFER_BYTES = 1 << 16;

  private enum Mode {
    FORWARD,
    CUT,
    STALL,
    REFUSE,
    CLOSED
  }

  private volatile InetSocketAddress server;
  private final InetSocketAddress address;
  private final AtomicLong requests = new AtomicLong();
  private final AtomicLong cuts = new AtomicLong();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Set<Connection> connections = new HashSet<>();
  private Mode mode = Mode.FORWARD;
  private int repliesToPass;
  private boolean cutsOnce;
  private volatile long delayNanos;
  private @Nullable Acceptor acceptor;

  private CuttingProxy(InetSocketAddress server) {
    this.server = server;
    address = new InetSocketAddress(InetAddress.getLoopbackAddress(), FreePort.next());
  }

  /** Starts a proxy that passes everything on. */
  public static CuttingProxy to(InetSocketAddress server) {
    CuttingProxy proxy = new CuttingProxy(server);
    proxy.heal();
    return proxy;
  }

  /** Returns the address that clients connect to; it does not change. */
  public InetSocketAddress address() {
    return address;
  }

  /** Returns how many replies began so far, including those that were cut. */
  public long requests() {
    return requests.get();
  }

  /** Returns how many replies were cut so far. */
  public long cuts() {
    return cuts.get();
  }

  /**
   * Passes requests on from now on, and closes the connection on both sides before the first byte
   * of a reply.
   */
  public void cutReplies() {
    cut(0, false);
  }

  /**
   * Cuts one reply as {@link #cutReplies} does, after the given number of complete replies on all
   * connections, and passes everything on again. A test can so cut an exchange at every point.
   */
  public void cutReplyAfter(int replies) {
    cut(replies, true);
  }

  private void cut(int replies, boolean once) {
    lock.lock();
    try {
      repliesToPass = replies;
      cutsOnce = once;
      change(Mode.CUT);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Accepts and keeps connections from now on but passes no byte on, until {@link #heal} passes on
   * what has arrived.
   */
  public void stall() {
    change(Mode.STALL);
  }

  /** Closes every connection and refuses new ones. */
  public void refuse() {
    change(Mode.REFUSE);
    disconnect();
  }

  /** Passes new connections on to another server, and closes those that are open. */
  public void moveTo(InetSocketAddress next) {
    refuse();
    server = next;
    heal();
  }

  /** Delays every reply from now on. */
  public void delay(Duration delay) {
    delayNanos = delay.toNanos();
  }

  /** Passes everything on again, at once. Connections that were closed stay closed. */
  public void heal() {
    lock.lock();
    try {
      delayNanos = 0;
      change(Mode.FORWARD);
      if (acceptor == null) {
        acceptor = new Acceptor();
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void close() {
    change(Mode.CLOSED);
    disconnect();
  }

  private void change(Mode next) {
    lock.lock();
    try {
      if (mode == Mode.CLOSED && next != Mode.CLOSED) {
        throw new IllegalStateException("The proxy is closed; start another one");
      }
      mode = next;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void disconnect() {
    Acceptor last;
    lock.lock();
    try {
      last = acceptor;
      acceptor = null;
      List.copyOf(connections).forEach(Connection::close);
    } finally {
      lock.unlock();
    }
    if (last != null) {
      last.close();
    }
  }

  /** Returns whether bytes may pass, after the end of a stall. */
  private boolean mayPass(boolean beginsReply) {
    lock.lock();
    try {
      while (mode == Mode.STALL) {
        changed.awaitUninterruptibly();
      }
      if (mode == Mode.CUT && beginsReply && repliesToPass-- <= 0) {
        cuts.incrementAndGet();
        mode = cutsOnce ? Mode.FORWARD : Mode.CUT;
        return false;
      }
      return mode == Mode.FORWARD || mode == Mode.CUT;
    } finally {
      lock.unlock();
    }
  }

  private void holdBack() {
    TimeSource time = TimeSource.system();
    long end = time.nanoTime() + delayNanos;
    for (long left = delayNanos; left > 0; left = end - time.nanoTime()) {
      time.parkNanos(left);
    }
  }

  private Thread run(String what, Runnable task) {
    Thread thread = new Thread(task, "cutting-proxy-" + address.getPort() + "-" + what);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private final class Acceptor {

    private final ServerSocket listener;
    private final Thread thread;

    Acceptor() {
      try {
        listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(address);
      } catch (IOException e) {
        throw new UncheckedIOException("address: " + address + " (expected: free)", e);
      }
      thread = run("accept", this::accept);
    }

    private void accept() {
      try {
        while (true) {
          Connection connection = new Connection(listener.accept());
          if (admit(connection)) {
            run("request", connection::passRequests);
          } else {
            connection.close();
          }
        }
      } catch (IOException e) {
        // closed
      }
    }

    private boolean admit(Connection connection) {
      lock.lock();
      try {
        return this == acceptor && connections.add(connection);
      } finally {
        lock.unlock();
      }
    }

    /** Waits for the thread, because a connection may succeed until it has left the socket. */
    void close() {
      try {
        listener.close();
        thread.join();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A client's connection and the connection to the server for it. */
  private final class Connection {

    private final Socket client;
    private final Socket upstream = new Socket();

    /** True if the server's next byte begins a reply, also for the greeting of a server. */
    private final AtomicBoolean asked = new AtomicBoolean(true);

    Connection(Socket client) {
      this.client = client;
    }

    /** Closes the client's connection if the server does not listen. */
    void passRequests() {
      try {
        client.setTcpNoDelay(true);
        upstream.setTcpNoDelay(true);
        upstream.connect(server);
        run("reply", this::passReplies);
        InputStream in = client.getInputStream();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = in.read(buffer); read > 0 && mayPass(false); read = in.read(buffer)) {
          asked.set(true);
          upstream.getOutputStream().write(buffer, 0, read);
        }
        upstream.shutdownOutput();
      } catch (IOException e) {
        close();
      }
    }

    private void passReplies() {
      try {
        InputStream in = upstream.getInputStream();
        byte[] buffer = new byte[BUFFER_BYTES];
        for (int read = in.read(buffer); read > 0 && mayPassReply(); read = in.read(buffer)) {
          holdBack();
          client.getOutputStream().write(buffer, 0, read);
        }
      } catch (IOException e) {
        // the end of the connection, as the end of the stream is
      } finally {
        close();
      }
    }

    private boolean mayPassReply() {
      boolean begins = asked.getAndSet(false);
      if (begins) {
        requests.incrementAndGet();
      }
      return mayPass(begins);
    }

    void close() {
      lock.lock();
      try (client;
          upstream) {
        connections.remove(this);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      } finally {
        lock.unlock();
      }
    }
  }
}
