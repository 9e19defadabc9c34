package io.firn.spring;

import io.firn.FirnException;

/** The generator of a namespace could not start. */
final class GeneratorStartException extends FirnException {

  private static final long serialVersionUID = 1L;

  GeneratorStartException(String namespace, RuntimeException failure) {
    super("namespace " + namespace + ": " + reason(failure), failure);
  }

  /** Returns what Firn says, which Spring may have wrapped. */
  private static String reason(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof FirnException
          || cause instanceof IllegalArgumentException
          || cause instanceof UnsupportedOperationException) {
        return String.valueOf(cause.getMessage());
      }
    }
    return failure.toString();
  }
}
