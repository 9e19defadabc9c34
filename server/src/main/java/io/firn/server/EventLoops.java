package io.firn.server;

import io.firn.time.TimeSource;
import io.netty.channel.EventLoop;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.util.concurrent.EventExecutor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The event loops of a server. Each runs a task once a second that records the time, so that a loop
 * that hangs or has died is noticed. Thread-safe.
 *
 * <p>Clients of known addresses have loops of their own. Their threads sleep most of the time, so
 * the system runs them soon, also while strangers keep the other loops busy. One loop more accepts
 * connections, and serves operators and their probes: on a thread of its own, it gets its share of
 * a processor that all other connections keep busy.
 */
public final class EventLoops {

  /** More would wait for the same atomic word. */
  private static final int MAX_LOOPS = 8;

  private static final long BEAT_SECONDS = 1;
  private static final Duration MAX_SILENCE = Duration.ofSeconds(10);

  private final TimeSource time;
  private final EventLoopGroup group;
  private final EventLoopGroup ofKnown;
  private final EventLoop acceptor;
  private final List<AtomicLong> beats = new ArrayList<>();

  /**
   * Starts loops.
   *
   * @param count how many for clients of known addresses, and as many for others
   */
  EventLoops(int count, TimeSource time) {
    this.time = time;
    group = group(count, "firn-loop");
    group.forEach(this::addBeat);
    ofKnown = group(count, "firn-loop-known");
    ofKnown.forEach(this::addBeat);
    acceptor = group(1, "firn-acceptor").next();
    addBeat(acceptor);
  }

  private static EventLoopGroup group(int count, String threads) {
    return new MultiThreadIoEventLoopGroup(
        count, DaemonThreads.named(threads), Transport.ioHandlers());
  }

  private void addBeat(EventExecutor loop) {
    AtomicLong beat = new AtomicLong(time.nanoTime());
    beats.add(beat);
    loop.scheduleWithFixedDelay(() -> beat.set(time.nanoTime()), 0, BEAT_SECONDS, TimeUnit.SECONDS);
  }

  /**
   * Returns loops for this machine. A loop is at its best when it never sleeps: each time that it
   * wakes more has come. The other half of the cores has the network, the clients on this machine,
   * and the compiler.
   */
  static EventLoops ofMachine(TimeSource time) {
    int cores = Runtime.getRuntime().availableProcessors();
    return new EventLoops(Math.max(1, Math.min(MAX_LOOPS, cores / 2)), time);
  }

  /** Returns the loops that serve clients of addresses that are not known. */
  EventLoopGroup group() {
    return group;
  }

  /**
   * Returns a loop for a client.
   *
   * @param known whether its address is known
   */
  EventLoop next(boolean known) {
    return (known ? ofKnown : group).next();
  }

  /** Returns all loops that serve clients. */
  List<EventExecutor> ofClients() {
    List<EventExecutor> loops = new ArrayList<>();
    group.forEach(loops::add);
    ofKnown.forEach(loops::add);
    return loops;
  }

  /** Returns the loop that accepts connections and serves operators. */
  EventLoop acceptor() {
    return acceptor;
  }

  /** Returns which loop does not run; empty if all run. */
  public Optional<String> outage() {
    long now = time.nanoTime();
    for (int i = 0; i < beats.size(); i++) {
      Duration silence = Duration.ofNanos(now - beats.get(i).get());
      if (silence.compareTo(MAX_SILENCE) > 0) {
        return Optional.of(
            "Event loop " + (i + 1) + " has not run for " + silence.toSeconds() + " s");
      }
    }
    return Optional.empty();
  }

  void close() {
    group.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
    ofKnown.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
    acceptor.shutdownGracefully(0, 0, TimeUnit.NANOSECONDS);
  }
}
