package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.firn.testkit.ManualTimeSource;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Map;
import picocli.CommandLine.Help.Ansi;

/** Runs commands in this process, at a fixed time and place, and keeps what they say. */
final class Session {

  static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  final ManualTimeSource time = new ManualTimeSource(NOW);
  final ByteArrayOutputStream captured = new ByteArrayOutputStream();

  /** Below a file, where nothing can be kept: a test that needs a place names one. */
  private Path state = Path.of("pom.xml", "state");

  private final StringWriter errors = new StringWriter();
  private InputStream in = InputStream.nullInputStream();
  private OutputStream out = captured;
  private Ansi ansi = Ansi.OFF;
  private boolean trace;
  private boolean terminal;
  private Map<String, String> environment = Map.of();

  Session in(String text) {
    return in(new ByteArrayInputStream(text.getBytes(UTF_8)));
  }

  Session in(InputStream in) {
    this.in = in;
    return this;
  }

  Session out(OutputStream out) {
    this.out = out;
    return this;
  }

  Session state(Path directory) {
    state = directory;
    return this;
  }

  Session colored() {
    ansi = Ansi.ON;
    return this;
  }

  Session environment(Map<String, String> variables) {
    environment = variables;
    return this;
  }

  Session terminal() {
    terminal = true;
    return this;
  }

  Session traced() {
    trace = true;
    return this;
  }

  int run(String... args) {
    return new Cli(shell()).run(args);
  }

  /** Returns the output of {@code decode} for an input. */
  String decoded(String option) {
    run("decode", option);
    return out();
  }

  Shell shell() {
    PrintWriter err = new PrintWriter(errors, true);
    return new Shell(
        in,
        out,
        err,
        time,
        state,
        () -> ZoneId.of("Europe/Zurich"),
        ansi,
        trace,
        environment,
        terminal);
  }

  String out() {
    return captured.toString(UTF_8);
  }

  String err() {
    return errors.toString();
  }
}
