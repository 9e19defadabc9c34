package io.firn;

import org.jspecify.annotations.Nullable;

/**
 * The root of everything that Firn throws at run time. A wrong argument is an {@link
 * IllegalArgumentException}.
 */
public class FirnException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** Creates an exception with a message for the operator. */
  public FirnException(String message) {
    super(message);
  }

  /** Creates an exception with a message for the operator and what caused it, if that is known. */
  public FirnException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
