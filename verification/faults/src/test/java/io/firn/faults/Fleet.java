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
  private final Rules rules;
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
  Fleet(String store, Duration window, int workerBits, Rules rules, Path directory) {
    this.rules = rules;
    this.workerBits = workerBits;
    this.store = store;
    this.window = window;
    this.directory = directory;
  }

  /**
   * The settings that all processes share.
   *
   * @param settle the settling time
   * @param split how long a store that was replaced goes on at most
   * @param hidden whether the identity of the store is hidden from the processes
   */
  record Rules(Duration settle, Duration split, boolean hidden) {}

  record Running(Process process, BufferedReader output, Path log) {}

  /** Starts processes and waits until each has issued IDs. */
  void start(int count) {
    launch(count).forEach(Fleet::awaitReady);
  }

  /** Starts processes, which may find no free worker ID. */
  List<Running> launch(int count) {
    return launch(count, store, window);
  }

  /** Starts processes that use another address, or another window. */
  List<Running> launch(int count, String address, Duration length) {
    List<Running> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(launch(address, length));
    }
    members.addAll(started);
    return started;
  }

  /** Ends the oldest processes cleanly: their worker IDs are free. */
  void retire(int count) {
    List<Running> oldest = members.subList(0, count);
    oldest.forEach(Fleet::askToEnd);
    oldest.forEach(this::awaitEnd);
    oldest.clear();
  }

  private Running launch(String address, Duration length) {
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
                  address,
                  "" + length.toMillis(),
                  ids.toString(),
                  "" + workerBits,
                  "" + rules.settle().toMillis(),
                  "" + rules.split().toMillis(),
                  "" + rules.hidden())
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

  /** Returns the length of a window, unless a process was given another. */
  Duration window() {
    return window;
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
    Running next = launch(store, window);
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
