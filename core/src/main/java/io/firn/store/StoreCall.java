package io.firn.store;

import io.firn.time.TimeSource;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One call to a store and the time that it may take, for the authors of stores. Begins when it is
 * made. Thread-safe.
 */
public final class StoreCall {

  /** More than any chain of causes has that is no circle. */
  private static final int MAX_CAUSES = 20;

  /** The system call with which Netty's native transport begins the message of an error. */
  private static final Pattern NATIVE_CALL =
      Pattern.compile("^\\w+\\(\\.\\.\\) failed with error\\(-\\d+\\): ");

  private static final long MAX_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

  private final TimeSource time = TimeSource.system();
  private final long beginNanos = time.nanoTime();
  private final Object store;
  private final long timeoutNanos;

  /**
   * Begins a call.
   *
   * @param store the store that is called; its {@code toString} is in the messages
   * @param timeout how long the call may take
   */
  public StoreCall(Object store, Duration timeout) {
    this.store = store;
    timeoutNanos = timeout.toNanos();
  }

  /** Returns the nanoseconds that are left; 0 or less if the call has used up its time. */
  public long leftNanos() {
    return timeoutNanos - (time.nanoTime() - beginNanos);
  }

  /** Returns the milliseconds that are left, at least 1: to most APIs 0 means without a limit. */
  public long leftMillis() {
    return Math.max(1, TimeUnit.NANOSECONDS.toMillis(leftNanos()));
  }

  /** Returns whether the call has used up its time. */
  public boolean isOver() {
    return leftNanos() <= 0;
  }

  /** Returns the milliseconds since the call began. */
  public long passedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - beginNanos);
  }

  /** Waits for a random time of at most 5 ms before a contended call is retried. */
  public void pause() {
    time.parkNanos(time.random(MAX_PAUSE_NANOS));
  }

  /**
   * Returns the exception for a call that got no answer, or a refusal, with the innermost reason.
   */
  public StoreException failed(Throwable cause) {
    return failed(reason(cause), cause);
  }

  /** Returns the exception for a call that got no answer, or a refusal. */
  public StoreException failed(@Nullable String reason, Throwable cause) {
    return new StoreException(
        "Store " + store + " failed after " + passedMillis() + " ms: " + reason, cause);
  }

  /**
   * Returns the message for a write that may have been applied: no answer came, or one that does
   * not say.
   */
  public String unknownWrite(String reason) {
    return "Store "
        + store
        + " did not report the outcome of a write in "
        + passedMillis()
        + " ms: "
        + reason;
  }

  /**
   * Returns what the innermost cause that has a message says, on one line: the outer exceptions of
   * network clients say less.
   */
  public static String reason(Throwable failure) {
    String reason = failure.toString();
    Throwable cause = failure;
    for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
      reason = words(cause).orElse(reason);
      cause = cause.getCause();
    }
    return NATIVE_CALL.matcher(reason.strip().replaceAll("\\s+", " ")).replaceFirst("");
  }

  /** Returns what an exception says; some say it with their class alone. */
  private static Optional<String> words(Throwable cause) {
    String message = cause.getMessage();
    if (message == null) {
      return cause instanceof TimeoutException
          ? Optional.of("no answer in time")
          : Optional.empty();
    }
    return Optional.of(
        cause instanceof UnknownHostException && !message.contains(" ")
            ? "the host " + message + " is unknown"
            : message);
  }
}
