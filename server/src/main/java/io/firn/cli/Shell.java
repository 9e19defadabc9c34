package io.firn.cli;

import io.firn.server.ErrorText;
import io.firn.server.config.Sources;
import io.firn.time.TimeSource;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.OptionalInt;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/**
 * The environment of a command in the process that runs it.
 *
 * @param in the standard input
 * @param out the standard output; a failed write is an exception, unlike with {@code System.out}
 * @param err the standard error, flushed at each line
 * @param time the clock
 * @param state where things are kept from one run to the next; null if the user has no home
 * @param zone the zone of local times; reading the zones of the system takes milliseconds
 * @param ansi whether to color
 * @param trace whether an unexpected exception shows its stack
 * @param environment the environment variables
 * @param terminal whether input and output are a terminal
 */
record Shell(
    InputStream in,
    OutputStream out,
    PrintWriter err,
    TimeSource time,
    @Nullable Path state,
    Supplier<ZoneId> zone,
    Ansi ansi,
    boolean trace,
    Map<String, String> environment,
    boolean terminal) {

  private static final Pattern SIZE = Pattern.compile("[1-9][0-9]{0,4}");

  static Shell ofProcess() {
    return new Shell(
        System.in,
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        TimeSource.system(),
        stateDirectory(System.getenv(), System.getProperty("user.home")),
        ZoneId::systemDefault,
        hasColors() ? Ansi.ON : Ansi.OFF,
        "1".equals(System.getenv("FIRN_TRACE")),
        System.getenv(),
        Terminal.isThere());
  }

  /** Returns how many columns the output has, and for how many lines it has room. */
  Terminal.Size size() {
    OptionalInt columns = set("COLUMNS");
    OptionalInt rows = set("LINES");
    Terminal.Size reported =
        terminal && (columns.isEmpty() || rows.isEmpty()) ? Terminal.size() : Terminal.Size.UNKNOWN;
    return new Terminal.Size(columns.orElse(reported.columns()), rows.orElse(reported.rows()));
  }

  private OptionalInt set(String variable) {
    String value = environment.getOrDefault(variable, "");
    return SIZE.matcher(value).matches()
        ? OptionalInt.of(Integer.parseInt(value))
        : OptionalInt.empty();
  }

  /** Returns how many columns the output has. */
  int columns() {
    return size().columns();
  }

  /**
   * Returns {@code ~/.local/state/firn} unless XDG_STATE_HOME is set. The home is HOME, as for a
   * shell, or else that of the user in the system's list. As the XDG base directory specification
   * says, a relative path is ignored in both variables: processes in two directories would lease
   * the same worker ID. A JVM says that the home of a user ID that has no name is {@code ?}.
   *
   * @param home the home of the user in the system's list
   * @return null if the user has no home, or one that the locale cannot name
   */
  static @Nullable Path stateDirectory(Map<String, String> environment, String home) {
    try {
      Path base = Path.of(environment.getOrDefault("XDG_STATE_HOME", ""));
      if (base.isAbsolute()) {
        return base.resolve("firn");
      }
      Path own = Path.of(environment.getOrDefault("HOME", ""));
      Path known = own.isAbsolute() ? own : Path.of(home.equals("?") ? "" : home);
      return known.toString().isEmpty() ? null : known.resolve(".local/state/firn");
    } catch (InvalidPathException e) {
      return null;
    }
  }

  /**
   * Returns where things are kept from one run to the next.
   *
   * @throws BadInput if the user has no home
   */
  @Override
  public Path state() {
    if (state == null) {
      throw new BadInput(Sources.NO_STORE);
    }
    return state;
  }

  /** Returns the address of the store where none is given; null if the user has no home. */
  @Nullable String defaultStore() {
    return state == null ? null : "file:" + state;
  }

  private static boolean hasColors() {
    return Ansi.AUTO.enabled() && !"dumb".equals(System.getenv("TERM"));
  }

  Instant now() {
    return Instant.ofEpochMilli(time.currentTimeMillis());
  }

  void print(String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
  }

  /** Says on a terminal that the command waits for IDs. */
  void announceInput(String form) {
    if (terminal) {
      err.println("Reading IDs from the terminal, " + form + "; Ctrl-D ends the input.");
    }
  }

  /** Shows what is wrong with an input, in one line, whatever the input is. */
  void refuse(String message) throws IOException {
    complain(ErrorText.printable(ErrorText.shorten(message)));
  }

  /** Shows an error after everything that was printed before it. */
  void complain(String message) throws IOException {
    out.flush();
    err.println("firn: " + message);
  }
}
