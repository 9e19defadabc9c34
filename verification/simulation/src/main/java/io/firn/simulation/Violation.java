package io.firn.simulation;

/** Something that must never happen has happened. Passes through production code unharmed. */
final class Violation extends Error {

  private static final long serialVersionUID = 1L;

  private final String text;

  Violation(String text) {
    super(text);
    this.text = text;
  }

  Violation(String text, Throwable cause) {
    super(text, cause);
    this.text = text;
  }

  String text() {
    return text;
  }
}
