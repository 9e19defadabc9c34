package io.firn.server;

import io.firn.FirnException;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/** A request that is not granted; the message is for the client. Has no stack trace. */
public final class Refusal extends FirnException {

  private static final long serialVersionUID = 1L;

  /** Why, as far as a protocol tells one from another. */
  public enum Kind {
    /** The request is wrong, and stays wrong. */
    BAD_REQUEST,
    /** The client did not say who it is. */
    UNAUTHENTICATED,
    /** The client may not use that namespace. */
    FORBIDDEN,
    /** There is no such thing. */
    NOT_FOUND,
    /** The client asks for more than it may. */
    TOO_MANY,
    /** It cannot be done now. */
    UNAVAILABLE
  }

  private final Kind kind;

  /** A refusal with a message of the form {@code name: value (expected: rule)}. */
  public Refusal(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** Why. */
  public Kind kind() {
    return kind;
  }

  /** Nobody looks for a bug: not filled in. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }

  /**
   * Reads what a client wrote.
   *
   * @throws Refusal with the reader's words if it is not what the reader takes
   */
  public static <T> T read(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException e) {
      throw new Refusal(Kind.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  /** What any failure of a request tells the client. */
  public static Refusal of(Throwable failure) {
    if (failure instanceof Refusal refusal) {
      return refusal;
    }
    Throwable cause = failure.getCause();
    if (cause != null
        && (failure instanceof CompletionException || failure instanceof ExecutionException)) {
      return of(cause);
    }
    return new Refusal(Kind.UNAVAILABLE, message(failure));
  }

  private static String message(Throwable failure) {
    if (failure instanceof FirnException) {
      return String.valueOf(failure.getMessage());
    }
    return failure instanceof RejectedExecutionException || failure instanceof IllegalStateException
        ? "server: stopping (expected: running)"
        : "server: " + failure + " (expected: no such failure)";
  }
}
