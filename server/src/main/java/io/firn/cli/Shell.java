package io.firn.cli;

import io.firn.time.TimeSource;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import java.util.regex.Pattern;
import picocli.CommandLine.Help.Ansi;

/**
 * What a command meets in the process that runs it.
 *
 * @param in the standard input
 * @param out the standard output; a failed write is an exception, unlike with {@code System.out}
 * @param err the standard error, flushed at each line
 * @param time the clock
 * @param state where things are kept from one run to the next
 * @param zone the zone of local times
 * @param ansi whether to colour
 * @param trace whether an unexpected exception shows its stack
 * @param environment the environment variables
 * @param terminal whether input and output are a terminal
 */
record Shell(
    InputStream in,
    OutputStream out,
    PrintWriter err,
    TimeSource time,
    Path state,
    ZoneId zone,
    Ansi ansi,
    boolean trace,
    Map<String, String> environment,
    boolean terminal) {

  /** The width where there is no terminal that tells its own. */
  private static final int WIDE = 100;

  private static final Pattern COLUMNS = Pattern.compile("[1-9][0-9]{0,4}");

  static Shell ofProcess() {
    return new Shell(
        System.in,
        new BufferedOutputStream(new FileOutputStream(FileDescriptor.out)),
        new PrintWriter(System.err, true, StandardCharsets.UTF_8),
        TimeSource.system(),
        stateDirectory(),
        ZoneId.systemDefault(),
        hasColors() ? Ansi.ON : Ansi.OFF,
        "1".equals(System.getenv("FIRN_TRACE")),
        System.getenv(),
        Terminal.isThere());
  }

  /** Returns how many columns the output has. */
  int columns() {
    String set = environment.getOrDefault("COLUMNS", "");
    if (COLUMNS.matcher(set).matches()) {
      return Integer.parseInt(set);
    }
    return terminal ? Terminal.columns().orElse(WIDE) : WIDE;
  }

  /** As the XDG base directory specification says: {@code ~/.local/state/firn} unless set. */
  private static Path stateDirectory() {
    String base = System.getenv("XDG_STATE_HOME");
    return base == null || base.isEmpty()
        ? Path.of(System.getProperty("user.home"), ".local", "state", "firn")
        : Path.of(base, "firn");
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

  /** Shows an error after everything that was printed before it. */
  void complain(String message) throws IOException {
    out.flush();
    err.println("firn: " + message);
  }
}
