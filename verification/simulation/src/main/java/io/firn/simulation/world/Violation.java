package io.firn.simulation.world;

/** Something that must never happen has happened. Passes through production code unharmed. */
public final class Violation extends Error {

  private static final long serialVersionUID = 1L;

  private final String text;

  public Violation(String text) {
    super(text);
    this.text = text;
  }

  public Violation(String text, Throwable cause) {
    super(text, cause);
    this.text = text;
  }

  public String text() {
    return text;
  }
}
