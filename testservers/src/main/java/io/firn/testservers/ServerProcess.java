package io.firn.testservers;

import io.firn.testkit.FreePort;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A server that is a child process, with children of its own perhaps, and writes a line when it is
 * ready. Its output is in its directory.
 */
abstract class ServerProcess implements LocalServer {

  private static final Duration MAX_START = Duration.ofMinutes(5);
  private static final Duration MAX_END = Duration.ofSeconds(5);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
  private static final int TAIL_LINES = 30;

  private final int port = FreePort.next();
  private final ScratchDirectory directory;
  private final String readyWords;
  private final String endSignal;
  private @Nullable Process process;

  /**
   * Starts nothing yet.
   *
   * @param name of its directory
   * @param readyWords what the process writes when it is ready
   * @param endSignal what ends it at once and without a trace outside its directory
   */
  ServerProcess(String name, String readyWords, String endSignal) {
    directory = ScratchDirectory.create(name);
    this.readyWords = readyWords;
    this.endSignal = endSignal;
  }

  /** The program and its arguments. */
  abstract List<String> command();

  /**
   * Changes the environment variables that the process is given; those of this one unless changed.
   */
  void arrange(Map<String, String> environment) {}

  final ScratchDirectory directory() {
    return directory;
  }

  /** Returns the port that it listens on, at 127.0.0.1. */
  public final int port() {
    return port;
  }

  @Override
  public final InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  /** Does what starts the server, and leaves nothing behind if that fails. */
  final void orClosed(Runnable start) {
    try {
      start.run();
    } catch (RuntimeException e) {
      close();
      throw e;
    }
  }

  /** Starts the process and does not wait. */
  final void launch() {
    if (process != null && process.isAlive()) {
      throw new IllegalStateException(this + " runs already; kill it first");
    }
    AtExit.close(this);
    process = start(command(), ProcessBuilder.Redirect.PIPE);
  }

  /** Runs another program in the same directory to its end. */
  final void run(List<String> command, ProcessBuilder.Redirect input) {
    int exit = start(command, input).onExit().join().exitValue();
    if (exit != 0) {
      throw failed("could not run " + command.get(0) + ", which ended with " + exit);
    }
  }

  private Process start(List<String> command, ProcessBuilder.Redirect input) {
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(directory.path().toFile())
            .redirectInput(input)
            .redirectErrorStream(true)
            .redirectOutput(outputFile().toFile());
    arrange(builder.environment());
    try {
      return builder.start();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final void awaitReady() {
    awaitOutput(readyWords);
  }

  /** Waits until the process, since it was started last, has written that. */
  final void awaitOutput(String words) {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (!output().contains(words)) {
      if (!running().isAlive()) {
        throw failed("ended with " + running().exitValue() + " before it wrote: " + words);
      }
      if (time.nanoTime() - begin > MAX_START.toNanos()) {
        throw failed("did not write in " + MAX_START.toSeconds() + " s: " + words);
      }
      if (Thread.currentThread().isInterrupted()) {
        throw failed("was interrupted before it wrote: " + words);
      }
      time.parkNanos(POLL_NANOS);
    }
  }

  private IllegalStateException failed(String what) {
    List<String> lines = output().lines().toList();
    List<String> tail = lines.subList(Math.max(0, lines.size() - TAIL_LINES), lines.size());
    return new IllegalStateException(
        this + " " + what + "; the end of its output:\n" + String.join("\n", tail));
  }

  private Path outputFile() {
    return directory.resolve("output");
  }

  /** Returns what the process has written since it was started last. */
  public final String output() {
    try {
      return Files.readString(outputFile(), StandardCharsets.ISO_8859_1);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  final Process running() {
    if (process == null) {
      throw new IllegalStateException(this + " was not started; start it first");
    }
    return process;
  }

  @Override
  public final void kill() {
    end("KILL");
  }

  @Override
  public final void restart() {
    launch();
    awaitReady();
  }

  @Override
  public final void pause() {
    signal("STOP", settledFamily());
  }

  @Override
  public final void resume() {
    signal("CONT", family());
  }

  @Override
  public final void close() {
    AtExit.forget(this);
    if (process != null) {
      resume();
      end(endSignal);
      kill();
    }
    directory.close();
  }

  private void end(String signal) {
    List<ProcessHandle> family = settledFamily();
    signal(signal, family);
    signal("CONT", family);
    await(family);
  }

  /** Stops the process, so that it starts no more children, and returns it with those it has. */
  private List<ProcessHandle> settledFamily() {
    ProcessHandle root = running().toHandle();
    if (root.isAlive()) {
      signal("STOP", List.of(root));
    }
    return family();
  }

  /** Returns the process if it runs, and the children that it has now. */
  final List<ProcessHandle> family() {
    return Stream.concat(Stream.of(running().toHandle()), running().descendants())
        .filter(ServerProcess::isRunning)
        .toList();
  }

  /** Returns whether a process has not ended. One that no parent has reaped yet counts as alive. */
  private static boolean isRunning(ProcessHandle process) {
    return process.isAlive() && !isZombie(Path.of("/proc/" + process.pid() + "/stat"));
  }

  /** Reads the state, which stands behind the name of the program; there is none but on Linux. */
  private static boolean isZombie(Path stat) {
    try {
      String text = Files.readString(stat, StandardCharsets.ISO_8859_1);
      return text.startsWith(" Z", text.lastIndexOf(')') + 1);
    } catch (IOException e) {
      return false;
    }
  }

  private static void signal(String name, List<ProcessHandle> family) {
    if (family.isEmpty()) {
      return;
    }
    List<String> command = new ArrayList<>(List.of("kill", "-" + name));
    family.forEach(member -> command.add("" + member.pid()));
    try {
      new ProcessBuilder(command).redirectErrorStream(true).start().onExit().join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Waits for a limited time, because zombies may count as alive. */
  private void await(List<ProcessHandle> ending) {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while ((running().isAlive() || ending.stream().anyMatch(ServerProcess::isRunning))
        && time.nanoTime() - begin < MAX_END.toNanos()) {
      time.parkNanos(POLL_NANOS);
    }
  }

  @Override
  public final String toString() {
    return getClass().getSimpleName() + " in " + directory.path();
  }
}
