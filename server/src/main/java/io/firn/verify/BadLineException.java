package io.firn.verify;

/** Thrown at a line that has no ID; the message names the line. */
public final class BadLineException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadLineException(String message) {
    super(message);
  }
}
