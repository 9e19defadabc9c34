package io.firn.faults;

import io.firn.testkit.IdHistory;
import io.firn.time.TimeSource;
import java.io.BufferedReader;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Processes that issue IDs from one store. For one thread. */
final class Fleet implements AutoCloseable {

  /**
   * The outcome of a run.
   *
   * @param ids how many IDs all processes issued together
   * @param duplicates how many of them had been issued before
   * @param longestStallMillis the longest time that one process issued none after its first
   */
  record Result(long ids, long duplicates, long longestStallMillis) {

    /** Returns the result that was written as {@link #text}. */
    static Result of(String text) {
      String[] numbers = text.split(" ", -1);
      return new Result(
          Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), Long.parseLong(numbers[2]));
    }

    String text() {
      return ids + " " + duplicates + " " + longestStallMillis;
    }
  }

  private static final String READY = "ready";
  private static final Duration MAX_START = Duration.ofMinutes(5);
  private static final Duration MAX_END = Duration.ofMinutes(5);
  private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
  private static final int BUFFER_BYTES = 1 << 16;

  private final String store;
  private final Duration window;
  private final int workerBits;
  private final Path directory;
  private final List<Path> files = new ArrayList<>();
  private final List<Running> members = new ArrayList<>();
  private long longestStallMillis;

  /**
   * A fleet without processes.
   *
   * @param workerBits how many worker IDs there are, as a power of two
   * @param directory where the processes write
   */
  Fleet(String store, Duration window, int workerBits, Path directory) {
    this.workerBits = workerBits;
    this.store = store;
    this.window = window;
    this.directory = directory;
  }

  record Running(Process process, BufferedReader output, Path log) {}

  /** Starts processes and waits until each has issued IDs. */
  void start(int count) {
    launch(count).forEach(Fleet::awaitReady);
  }

  /** Starts processes, which may find no free worker ID. */
  List<Running> launch(int count) {
    List<Running> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(launch());
    }
    members.addAll(started);
    return started;
  }

  private Running launch() {
    Path ids = directory.resolve("ids-" + files.size());
    Path log = directory.resolve("log-" + files.size());
    files.add(ids);
    try {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx64m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  Member.class.getName(),
                  store,
                  "" + window.toMillis(),
                  ids.toString(),
                  "" + workerBits)
              .redirectError(log.toFile())
              .start();
      return new Running(process, process.inputReader(StandardCharsets.UTF_8), log);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void awaitReady(Running member) {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    try {
      while (!member.output().ready()) {
        if (!member.process().isAlive() || time.nanoTime() - begin > MAX_START.toNanos()) {
          throw new IllegalStateException(
              "A process issued no ID in " + MAX_START + ":\n" + Files.readString(member.log()));
        }
        time.parkNanos(POLL_NANOS);
      }
      member.output().readLine();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how many processes there are. */
  int size() {
    return members.size();
  }

  /** Sends a signal to a process. */
  void signal(int member, String name) {
    try {
      new ProcessBuilder("kill", "-" + name, "" + members.get(member).process().pid())
          .start()
          .onExit()
          .join();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Kills a process with SIGKILL and starts another in its place. */
  void replace(int member) {
    signal(member, "KILL");
    members.get(member).process().onExit().join();
    Running next = launch();
    members.set(member, next);
    awaitReady(next);
  }

  /** Ends all processes, and compares all IDs. */
  Result end() {
    members.forEach(Fleet::askToEnd);
    members.forEach(this::awaitEnd);
    try (IdHistory history = new IdHistory(files.size(), 256L << 20)) {
      files.forEach(file -> read(file, history.newWriter()));
      IdHistory.Report report = history.finish();
      return new Result(report.count(), report.duplicates(), longestStallMillis);
    }
  }

  private static void askToEnd(Running member) {
    try {
      member.process().getOutputStream().write('\n');
      member.process().getOutputStream().flush();
    } catch (IOException e) {
      // It has ended.
    }
  }

  private void awaitEnd(Running member) {
    try {
      if (!member.process().waitFor(MAX_END.toSeconds(), TimeUnit.SECONDS)) {
        throw new IllegalStateException("A process did not end in " + MAX_END);
      }
      String stall = member.output().readLine();
      if (READY.equals(stall)) {
        stall = member.output().readLine();
      }
      if (stall == null) {
        throw new IllegalStateException("A process failed:\n" + Files.readString(member.log()));
      }
      longestStallMillis = Math.max(longestStallMillis, Long.parseLong(stall));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", e);
    }
  }

  private static void read(Path file, IdHistory.Writer writer) {
    if (!Files.exists(file)) {
      return;
    }
    try (DataInputStream in =
        new DataInputStream(
            new java.io.BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES))) {
      while (true) {
        writer.add(in.readLong());
      }
    } catch (EOFException e) {
      // The last ID of a killed process may be cut off.
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public void close() {
    members.forEach(member -> member.process().destroyForcibly());
  }
}
