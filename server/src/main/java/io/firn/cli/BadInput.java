package io.firn.cli;

import io.firn.integration.GeneratorSettings.Setting;

/** Thrown when a command cannot run with its input; the message is for the user. */
final class BadInput extends RuntimeException {

  private static final long serialVersionUID = 1L;

  BadInput(String message) {
    super(message);
  }

  BadInput(IllegalArgumentException cause) {
    super(Setting.withKeys(String.valueOf(cause.getMessage())), cause);
  }
}
