package io.firn.cli;

import java.util.regex.Pattern;

/** Writes arguments of the commands that a message recommends. */
final class ShellWord {

  /** A text that each shell reads as itself. */
  private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:,@%+=-]+");

  private ShellWord() {}

  /** Returns a text as one word of a POSIX shell. */
  static String quoted(String text) {
    return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
