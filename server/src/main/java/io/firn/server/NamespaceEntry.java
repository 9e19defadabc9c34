package io.firn.server;

import io.firn.integration.GeneratorSettings.Setting;
import io.firn.server.config.NamespaceConfig;
import io.firn.time.TimeSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A namespace from the first request for it on: being opened, open, or failed. After a failure, the
 * next attempt begins with the next request, but not before a pause that grows from failure to
 * failure. The failure is the answer to requests until an attempt succeeds.
 */
final class NamespaceEntry {

  private static final Logger LOG = System.getLogger("io.firn.server");

  private static final long FIRST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
  private static final int MAX_DOUBLINGS = 4;

  /** A failure is forgotten if no one tries again for that long after the pause. */
  private static final long MAX_FAILURE_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private final String name;
  private final NamespaceConfig config;
  private final Supplier<OpenNamespace> opener;
  private final TimeSource time;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable CompletableFuture<OpenNamespace> opening;
  private long openingSinceNanos;

  /** The failure of the last attempt that ended; null if it succeeded. */
  private @Nullable RequestException failure;

  private int failures;
  private long retryNanos;
  private boolean logged;
  private @Nullable RequestException closed;
  private volatile @Nullable OpenNamespace open;
  private long usesAtCheck;
  private int unusedChecks;

  NamespaceEntry(
      String name, NamespaceConfig config, Supplier<OpenNamespace> opener, TimeSource time) {
    this.name = name;
    this.config = config;
    this.opener = opener;
    this.time = time;
  }

  String name() {
    return name;
  }

  NamespaceConfig config() {
    return config;
  }

  @Nullable OpenNamespace opened() {
    return open;
  }

  /** Opens it on the executor unless that was done, is being done, or failed a moment ago. */
  CompletableFuture<OpenNamespace> open(Executor executor) {
    lock.lock();
    try {
      long now = time.nanoTime();
      if (opening == null || (hasFailed() && now - retryNanos >= 0)) {
        if (isUnknown(failure) || now - retryNanos >= MAX_FAILURE_AGE_NANOS) {
          failure = null; // says nothing about now
        }
        openingSinceNanos = now;
        opening = CompletableFuture.supplyAsync(this::tryToOpen, executor);
      }
      return opening;
    } finally {
      lock.unlock();
    }
  }

  /** Returns whether an attempt has failed and no later one runs. */
  private boolean hasFailed() {
    return failure != null && opening != null && opening.isDone();
  }

  /** Returns whether the source has answered that it has no such key. */
  private static boolean isUnknown(@Nullable RequestException failure) {
    return failure != null && failure.kind() == RequestException.Kind.NOT_FOUND;
  }

  /**
   * Opens it as {@link #open} does, for a request. Fails at once while the last attempt has failed,
   * or the current one has lasted longer than a request waits.
   */
  CompletableFuture<OpenNamespace> openForRequest(Executor executor) {
    lock.lock();
    try {
      CompletableFuture<OpenNamespace> attempt = open(executor);
      if (attempt.isDone()) {
        return attempt;
      }
      if (failure != null) {
        return CompletableFuture.failedFuture(failure);
      }
      long maxNanos = OpenNamespace.longestWaitNanos(config);
      return time.nanoTime() - openingSinceNanos < maxNanos
          ? attempt
          : CompletableFuture.failedFuture(overdue(maxNanos));
    } finally {
      lock.unlock();
    }
  }

  /** Returns the refusal of a request that came before the namespace was open. */
  RequestException overdue(long waitedNanos) {
    return RequestException.unavailable(
        config,
        "Namespace "
            + name
            + " did not open and answer within "
            + TimeUnit.NANOSECONDS.toMillis(waitedNanos)
            + " ms");
  }

  private OpenNamespace tryToOpen() {
    try {
      OpenNamespace opened = opener.get();
      succeed(opened);
      return opened;
    } catch (RuntimeException | Error e) { // any exception of a store is the client's answer
      throw fail(e);
    }
  }

  private void succeed(OpenNamespace opened) {
    RequestException refusal;
    lock.lock();
    try {
      refusal = closed;
      if (refusal == null) {
        open = opened;
        if (logged) {
          LOG.log(Level.INFO, "namespace " + name + " opened" + describe(opened.status()));
        }
        failures = 0;
        failure = null;
        return;
      }
    } finally {
      lock.unlock();
    }
    opened.close(refusal);
    throw refusal;
  }

  private String describe(NamespaceStatus status) {
    String worker =
        status instanceof SnowflakeStatus snowflake ? ", worker " + snowflake.lease().worker() : "";
    return failures == 0 ? worker : worker + ", after " + failures + " failures";
  }

  private RequestException fail(Throwable e) {
    boolean misconfigured = e instanceof IllegalArgumentException;
    RequestException reason =
        misconfigured
            ? RequestException.unavailable(config, Setting.withKeys(String.valueOf(e.getMessage())))
            : RequestException.of(e);
    lock.lock();
    try {
      long pause = FIRST_PAUSE_NANOS << Math.min(failures++, MAX_DOUBLINGS);
      retryNanos = time.nanoTime() + pause;
      failure =
          new RequestException(
              isUnknown(reason) ? reason.kind() : RequestException.Kind.UNAVAILABLE,
              reason.code(),
              String.valueOf(reason.getMessage()),
              1 + TimeUnit.NANOSECONDS.toSeconds(pause));
      return failure;
    } finally {
      lock.unlock();
    }
  }

  /** Logs later that it has opened, unless it is open. */
  void logOpening() {
    lock.lock();
    try {
      logged |= open == null;
    } finally {
      lock.unlock();
    }
  }

  /** Logs why it is not open, and from then on that it has opened. */
  void logFailure() {
    lock.lock();
    try {
      if (failure != null) {
        logged = true;
        LOG.log(Level.WARNING, "namespace " + name + " not opened: " + failure.getMessage());
      }
    } finally {
      lock.unlock();
    }
  }

  /** Returns the nanoseconds until a failed opening may be retried; negative if it did not fail. */
  long retryInNanos() {
    lock.lock();
    try {
      return hasFailed() ? Math.max(0, retryNanos - time.nanoTime()) : -1;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns for how many calls of this method in a row the namespace has not been used. For one
   * thread.
   */
  int unusedChecks() {
    OpenNamespace now = open;
    long uses = now == null ? 0 : now.uses();
    unusedChecks = uses == usesAtCheck ? unusedChecks + 1 : 0;
    usesAtCheck = uses;
    return unusedChecks;
  }

  NamespaceStatus status() {
    OpenNamespace now = open;
    if (now != null) {
      return now.status();
    }
    lock.lock();
    try {
      return new PendingStatus(
          name, config, Optional.ofNullable(failure).map(RequestException::getMessage));
    } finally {
      lock.unlock();
    }
  }

  /**
   * Closes the namespace, also if it opens later.
   *
   * @param refusal the answer to requests that wait for it
   */
  void close(RequestException refusal) {
    lock.lock();
    try {
      closed = refusal;
    } finally {
      lock.unlock();
    }
    OpenNamespace now = open;
    if (now != null) {
      now.close(refusal);
    }
  }
}
