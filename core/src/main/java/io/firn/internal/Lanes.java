package io.firn.internal;

import io.firn.time.TimeSource;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;
import org.jspecify.annotations.Nullable;

/**
 * A scheduler of background work with one {@link Lane} for each store, so that a store that hangs
 * delays the work of no other. Thread-safe.
 */
public final class Lanes {

  private final TimeSource time;
  private final @Nullable ThreadFactory threadFactory;
  private final Lane timer;
  private final Lane listeners;
  private final Map<Key, Lane> stores = new ConcurrentHashMap<>();
  private final ReferenceQueue<Object> collected = new ReferenceQueue<>();

  private Lanes(
      TimeSource time, @Nullable ThreadFactory threadFactory, Lane timer, Lane listeners) {
    this.time = time;
    this.threadFactory = threadFactory;
    this.timer = timer;
    this.listeners = listeners;
  }

  /** Creates lanes of daemon threads with that name. */
  public static Lanes ofThreads(String threadName) {
    TimeSource time = TimeSource.system();
    return new Lanes(
        time,
        Lane.daemons(threadName),
        new Lane(time, Lane.daemons(threadName + "-timer")),
        new Lane(time, Lane.daemons(threadName + "-listener")));
  }

  /** Creates one lane without threads, for a simulated clock: the caller runs {@link #runDue}. */
  public static Lanes manual(TimeSource time) {
    Lane one = new Lane(time, null);
    return new Lanes(time, null, one, one);
  }

  /** Returns the lane of a store, by identity. */
  public Lane of(Object store) {
    if (threadFactory == null) {
      return timer;
    }
    for (Object key = collected.poll(); key != null; key = collected.poll()) {
      stores.remove(key);
    }
    return stores.computeIfAbsent(new Key(store, collected), key -> new Lane(time, threadFactory));
  }

  /** Returns the lane of work that calls no store and never blocks. */
  public Lane timer() {
    return timer;
  }

  /** Returns the lane of code that may block, as listeners and log handlers. */
  public Lane listeners() {
    return listeners;
  }

  /**
   * Runs every task of a manual scheduler that is due.
   *
   * @return in how many nanoseconds the next one is due; at most a minute
   */
  public long runDue() {
    return timer.runDue();
  }

  /** A store by identity, which the map does not keep from being collected. */
  private static final class Key extends WeakReference<Object> {

    private final int hash;

    Key(Object store, ReferenceQueue<Object> queue) {
      super(store, queue);
      hash = System.identityHashCode(store);
    }

    @Override
    public boolean equals(@Nullable Object other) {
      return this == other || (other instanceof Key key && get() != null && get() == key.get());
    }

    @Override
    public int hashCode() {
      return hash;
    }
  }
}
