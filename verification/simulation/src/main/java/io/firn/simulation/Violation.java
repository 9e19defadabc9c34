package io.firn.simulation;

/** Something that must never happen has happened. Passes through production code unharmed. */
final class Violation extends Error {

  private static final long serialVersionUID = 1L;

  Violation(String message) {
    super(message);
  }

  Violation(String message, Throwable cause) {
    super(message, cause);
  }
}
