package io.firn.cli;

import io.firn.integration.GeneratorSettings.Setting;
import java.nio.file.InvalidPathException;

/** Thrown when a command cannot run with its input; the message is for the user. */
final class BadInput extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadInput(String message) {
    super(message);
  }

  BadInput(IllegalArgumentException cause) {
    super(text(cause), cause);
  }

  /** Returns what is wrong; a JVM describes a path that its locale cannot name in its own words. */
  static String text(IllegalArgumentException cause) {
    return cause instanceof InvalidPathException path
        ? "path: " + path.getInput() + " (expected: characters of the locale, such as C.UTF-8)"
        : Setting.withKeys(String.valueOf(cause.getMessage()));
  }
}
