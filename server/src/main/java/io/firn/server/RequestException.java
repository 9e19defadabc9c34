package io.firn.server;

import io.firn.FirnException;
import io.firn.block.BlockShapeException;
import io.firn.segment.SegmentUnavailableException;
import io.firn.segment.UnknownKeyException;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SegmentConfig;
import io.firn.store.StoreClosedException;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Supplier;

/**
 * Thrown when a request is not granted. The message is for the caller. Has no stack trace, because
 * it is no error of the server.
 */
public final class RequestException extends FirnException {

  private static final long serialVersionUID = 1L;

  private static final Logger LOG = System.getLogger("io.firn.server");

  /** The reasons that protocols distinguish. */
  public enum Kind {
    /** The request is wrong, and stays wrong. */
    BAD_REQUEST,
    /** The caller is unknown. */
    UNAUTHENTICATED,
    /** The caller may not use that namespace. */
    FORBIDDEN,
    /** The object that the request names does not exist. */
    NOT_FOUND,
    /** The request contradicts what was agreed before. */
    CONFLICT,
    /** The caller asks for more than it may. */
    TOO_MANY,
    /** The request cannot be answered now. */
    UNAVAILABLE
  }

  private final Kind kind;
  private final String code;
  private final long retrySeconds;

  /** Creates an exception with a message for the caller, who may retry in a second. */
  public RequestException(Kind kind, String message) {
    this(kind, message, 1);
  }

  /**
   * Creates an exception with a message for the caller.
   *
   * @param retrySeconds when to try again, where that may help
   */
  RequestException(Kind kind, String message, long retrySeconds) {
    this(kind, kind.name().toLowerCase(Locale.ROOT), message, retrySeconds);
  }

  /**
   * Creates an exception with a message for the caller.
   *
   * @param code the reason, for programs
   * @param retrySeconds when to try again, where that may help
   */
  RequestException(Kind kind, String code, String message, long retrySeconds) {
    super(message);
    this.kind = kind;
    this.code = code;
    this.retrySeconds = retrySeconds;
  }

  /** Returns the reason. */
  public Kind kind() {
    return kind;
  }

  /**
   * Returns the reason for programs: the kind, or of a failure the name of its exception, such as
   * {@code no_free_worker}. It stays the same from release to release.
   */
  public String code() {
    return code;
  }

  /** Returns in how many seconds to try again; empty if that does not help. */
  public OptionalLong retrySeconds() {
    return kind == Kind.TOO_MANY || kind == Kind.UNAVAILABLE
        ? OptionalLong.of(retrySeconds)
        : OptionalLong.empty();
  }

  /** Does nothing: the stack trace would have no reader. */
  @Override
  public Throwable fillInStackTrace() {
    return this;
  }

  /**
   * Reads a part of a request.
   *
   * @throws RequestException with the reader's message if the reader does not accept it
   */
  public static <T> T read(Supplier<T> reader) {
    try {
      return reader.get();
    } catch (IllegalArgumentException e) {
      throw new RequestException(Kind.BAD_REQUEST, String.valueOf(e.getMessage()));
    }
  }

  /** Returns what to answer when a namespace issues nothing now, with a second until a retry. */
  static RequestException unavailable(NamespaceConfig config, String message) {
    String code = config instanceof SegmentConfig ? "segment_unavailable" : "unavailable";
    return new RequestException(Kind.UNAVAILABLE, code, message, 1);
  }

  /** Returns what to answer to the requests that are under way when the server stops. */
  static RequestException stopping() {
    return new RequestException(
        Kind.UNAVAILABLE, "stopping", "This server is stopping; retry with another server", 1);
  }

  /** Returns what to answer to the requests that wait for a namespace when it is closed. */
  static RequestException closed(String namespace) {
    return new RequestException(
        Kind.UNAVAILABLE,
        "Namespace " + namespace + " was closed, by a reload or because it was not used; retry");
  }

  /** Returns what to answer when a request fails. A failure that is an error is also logged. */
  public static RequestException of(Throwable failure) {
    if (failure instanceof RequestException expected) {
      return expected;
    }
    Throwable cause = failure.getCause();
    if (cause != null
        && (failure instanceof CompletionException || failure instanceof ExecutionException)) {
      return of(cause);
    }
    if (failure instanceof UnknownKeyException) {
      return new RequestException(
          Kind.NOT_FOUND, code(failure), String.valueOf(failure.getMessage()), 1);
    }
    if (failure instanceof BlockShapeException) {
      return new RequestException(
          Kind.CONFLICT, code(failure), String.valueOf(failure.getMessage()), 1);
    }
    if (failure instanceof SegmentUnavailableException && cause instanceof UnknownKeyException) {
      return of(cause);
    }
    if (failure instanceof FirnException) {
      return new RequestException(
          Kind.UNAVAILABLE, code(failure), String.valueOf(failure.getMessage()), 1);
    }
    if (failure instanceof RejectedExecutionException || failure instanceof StoreClosedException) {
      return stopping();
    }
    LOG.log(Level.ERROR, "A request failed because of an unexpected error", failure);
    return new RequestException(
        Kind.UNAVAILABLE,
        "The request failed because of an unexpected error, which the server logged: " + failure);
  }

  /** Returns the code of a failure: of {@code NoFreeWorkerException} {@code no_free_worker}. */
  private static String code(Throwable failure) {
    String name = failure.getClass().getSimpleName().replaceFirst("Exception$", "");
    return name.replaceAll("(?<=[a-z])(?=[A-Z])", "_").toLowerCase(Locale.ROOT);
  }
}
