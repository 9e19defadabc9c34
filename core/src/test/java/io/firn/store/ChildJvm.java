package io.firn.store;

import io.firn.testkit.Sizes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** A JVM of its own, with a main class of these tests, that is spoken to in lines. */
public final class ChildJvm implements AutoCloseable {

  private static final long MAX_SECONDS = 300;

  private final Process process;
  private final BufferedReader out;
  private final Writer in;

  private ChildJvm(List<String> command) throws IOException {
    process = new ProcessBuilder(command).redirectErrorStream(true).start();
    out = process.inputReader(StandardCharsets.UTF_8);
    in = process.outputWriter(StandardCharsets.UTF_8);
  }

  public static ChildJvm start(Class<?> main, Object... arguments) throws IOException {
    return new ChildJvm(command(main, arguments));
  }

  /** Starts one that can make no file longer than so many blocks of 512 or 1,024 bytes. */
  public static ChildJvm startWithFileLimit(int blocks, Class<?> main, Object... arguments)
      throws IOException {
    List<String> command =
        new ArrayList<>(List.of("sh", "-c", "ulimit -f " + blocks + "; exec \"$@\"", "sh"));
    command.addAll(command(main, arguments));
    return new ChildJvm(command);
  }

  private static List<String> command(Class<?> main, Object... arguments) {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData",
                "-Xmx64m",
                "-D" + Sizes.DEEP_PROPERTY + "=" + Sizes.isDeep(),
                "-cp",
                System.getProperty("java.class.path"),
                main.getName()));
    for (Object argument : arguments) {
      command.add(argument.toString());
    }
    return command;
  }

  /** The next line that it prints; null at the end. */
  public String line() throws IOException {
    return out.readLine();
  }

  /** The next line that begins so; what comes before is passed over. */
  public String lineThatBegins(String beginning) throws IOException {
    return lineThatBegins(beginning, MAX_SECONDS);
  }

  /** Kills the process if the line is not there in time: that ends a read that would wait. */
  String lineThatBegins(String beginning, long maxSeconds) throws IOException {
    AtomicBoolean late = new AtomicBoolean();
    CompletableFuture<Void> deadline =
        CompletableFuture.runAsync(
            () -> {
              late.set(true); // before the kill, which ends the read
              process.destroyForcibly();
            },
            CompletableFuture.delayedExecutor(maxSeconds, TimeUnit.SECONDS));
    StringBuilder all = new StringBuilder();
    try {
      for (String line = line(); line != null; line = line()) {
        if (line.startsWith(beginning)) {
          return line;
        }
        all.append(line).append('\n');
      }
    } catch (IOException e) { // killed during a read
      if (!late.get()) {
        throw e;
      }
    } finally {
      deadline.cancel(false);
    }
    throw new AssertionError(
        (late.get()
                ? "no line \"" + beginning + "\" in " + maxSeconds + " s"
                : "ended without \"" + beginning + "\"")
            + ":\n"
            + all);
  }

  public void send(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /** Kills the process; its earlier output can still be read. */
  public void kill9() throws IOException, InterruptedException {
    signal("KILL");
    process.waitFor();
  }

  public void signal(String name) throws IOException, InterruptedException {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).inheritIO().start().waitFor();
  }

  public int end() throws InterruptedException {
    if (!process.waitFor(MAX_SECONDS, TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new AssertionError("did not end in " + MAX_SECONDS + " s");
    }
    return process.exitValue();
  }

  @Override
  public void close() {
    process.destroyForcibly().onExit().join();
  }
}
