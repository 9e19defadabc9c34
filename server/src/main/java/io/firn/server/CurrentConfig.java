package io.firn.server;

import io.firn.server.config.ServerConfig;
import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The settings of a running server. They are read again on request: then all of the new ones apply,
 * or none. Thread-safe.
 */
public final class CurrentConfig {

  private static final Logger LOG = System.getLogger("io.firn.audit");

  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private final List<Function<ServerConfig, Runnable>> parts = new ArrayList<>();
  private volatile ServerConfig config;
  private volatile Supplier<ServerConfig> reader;
  private volatile long beginNanos;

  /** True while a reload waits for another one. */
  private final AtomicBoolean requested = new AtomicBoolean();

  CurrentConfig(ServerConfig config, TimeSource time) {
    this.time = time;
    this.config = config;
    reader = () -> config;
  }

  /** Returns the settings that apply now. */
  ServerConfig latest() {
    return config;
  }

  /** Sets how the settings are read again. */
  void readFrom(Supplier<ServerConfig> newReader) {
    reader = newReader;
  }

  /**
   * Adds a part of the server that changes with its settings.
   *
   * @param part prepares the part for new settings, or throws an {@link IllegalArgumentException};
   *     the returned action applies them, and cannot fail
   */
  void addPart(Function<ServerConfig, Runnable> part) {
    parts.add(part);
  }

  /**
   * Reads the settings again, and applies them. Does not wait for another reload, which may read a
   * file on a disk that does not answer.
   *
   * @throws RequestException if they cannot be read, need a restart, or another reload has not
   *     ended; the message says why, and nothing has changed
   */
  public void reload() {
    try {
      reloadOnce();
    } catch (RequestException e) {
      LOG.log(Level.WARNING, "configuration not reloaded, nothing has changed: " + e.getMessage());
      throw e;
    }
    LOG.log(Level.INFO, "configuration reloaded");
  }

  /**
   * Reloads once no other reload runs, which may have read the settings before they changed. One
   * call waits at a time, for all that come meanwhile. The reason of a failure is in the log.
   */
  public void reloadLater() {
    if (!requested.compareAndSet(false, true)) {
      return;
    }
    if (!lock.tryLock()) {
      LOG.log(
          Level.INFO,
          "configuration read again when the reload that began " + age() + " s ago has ended");
      lock.lock();
    }
    try {
      requested.set(false);
      reload();
    } catch (RequestException e) {
      return;
    } finally {
      lock.unlock();
    }
  }

  private void reloadOnce() {
    if (!lock.tryLock()) {
      throw busy();
    }
    try {
      beginNanos = time.nanoTime();
      RequestException.read(this::prepare).forEach(Runnable::run);
    } finally {
      lock.unlock();
    }
  }

  /** Reads the settings, and returns the actions that apply them. */
  private List<Runnable> prepare() {
    ServerConfig next = reader.get();
    config.checkReload(next);
    List<Runnable> prepared = parts.stream().map(part -> part.apply(next)).toList();
    config = next;
    return prepared;
  }

  private RequestException busy() {
    return new RequestException(
        RequestException.Kind.UNAVAILABLE,
        "A reload that began " + age() + " s ago has not ended; retry when it has ended");
  }

  /** Returns for how many seconds the latest reload has run. */
  private long age() {
    return TimeUnit.NANOSECONDS.toSeconds(time.nanoTime() - beginNanos);
  }
}
