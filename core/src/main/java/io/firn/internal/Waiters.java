package io.firn.internal;

import io.firn.time.TimeSource;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Threads that wait for a condition. Thread-safe. */
public final class Waiters {

  /** The longest time that one park takes, whether or not another thread ends it. */
  private static final long MAX_PARK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Queue<Thread> threads = new ConcurrentLinkedQueue<>();

  /**
   * Parks until the condition holds, the time is over, or the thread is interrupted (the interrupt
   * status stays set).
   *
   * @return whether the condition holds
   */
  public boolean await(BooleanSupplier condition, TimeSource time, long maxNanos) {
    Thread me = Thread.currentThread();
    long begin = time.nanoTime();
    threads.add(me);
    try {
      while (!condition.getAsBoolean()) {
        long left = maxNanos - (time.nanoTime() - begin);
        if (left <= 0 || me.isInterrupted()) {
          return false;
        }
        time.parkNanos(Math.min(MAX_PARK_NANOS, left));
      }
      return true;
    } finally {
      threads.remove(me);
    }
  }

  /**
   * Waits as {@link #await} does, and continues waiting when the thread is interrupted (the
   * interrupt status is set again at the end).
   *
   * @return whether the condition holds
   */
  public boolean awaitUninterruptibly(BooleanSupplier condition, TimeSource time, long maxNanos) {
    long begin = time.nanoTime();
    boolean interrupted = false;
    try {
      while (true) {
        interrupted |= Thread.interrupted();
        long left = maxNanos - (time.nanoTime() - begin);
        if (await(condition, time, left)) {
          return true;
        }
        if (left <= 0) {
          return false;
        }
      }
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Returns whether no thread waits. */
  public boolean isEmpty() {
    return threads.isEmpty();
  }

  /** Wakes every waiting thread, which checks its condition again. */
  public void wake() {
    threads.forEach(LockSupport::unpark);
  }
}
