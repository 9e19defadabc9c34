package io.firn.cli;

/** A command cannot run with what it was given; the message is for the user. */
final class BadInput extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadInput(String message) {
    super(message);
  }

  BadInput(IllegalArgumentException cause) {
    super(cause.getMessage(), cause);
  }
}
