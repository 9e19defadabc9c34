package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import io.firn.testservers.RedisServer;
import io.firn.time.TimeSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import redis.clients.jedis.Jedis;

/**
 * Two regions of one namespace, each with a store of its own: one store is flushed while its
 * processes issue, the other is taken back to an old backup between processes that were killed.
 */
class RegionsProcessTest {

  private static final int PROCESSES = Sizes.deep(2, 8);
  private static final int MAX_WAIT_SECONDS = 120;

  private static final TimeSource TIME = TimeSource.system();

  @TempDir Path folder;

  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
  }

  @Test
  void regionsIssueNothingTwiceWhateverTheirStoresLose() throws Exception {
    Path directory = folder.resolve("us");
    Path backup = folder.resolve("backup");
    String us = "file:" + directory;
    try (RedisServer redis = RedisServer.start();
        Jedis admin = new Jedis("127.0.0.1", redis.port())) {
      String eu = "redis://127.0.0.1:" + redis.port() + "?timeout=2s";
      String patient = eu.replace("2s", "30s"); // this process has not loaded the client yet
      List<Process> old = new ArrayList<>();
      for (int i = 0; i < PROCESSES; i++) {
        issue(eu, 0);
        old.add(issue(us, 1));
        if (i == 0) { // of before the others
          awaitIds();
          copy(directory, backup);
        }
      }
      awaitIds();

      awaitSettled(patient);
      admin.flushAll();
      for (int i = 0; i < PROCESSES; i++) {
        issue(eu, 0);
      }
      for (Process process : old) {
        process.destroyForcibly().waitFor();
      }
      Instant fence = lastFence(directory);
      delete(directory);
      copy(backup, directory);
      awaitTime(fence);
      for (int i = 0; i < PROCESSES; i++) {
        issue(us, 1);
      }
      awaitIds();
      processes.forEach(Process::destroyForcibly);

      assertThat(duplicates()).isZero();
      assertThat(datacenters()).containsExactlyInAnyOrder("redis 0", "file 1");
      Session session = new Session();
      assertThat(session.run("regions", patient, us)).as(session.out() + session.err()).isZero();
    }
  }

  /** A second loss right after the first is not borne by new processes that begin ahead. */
  private static void awaitSettled(String address) {
    try (RegisterStore store = RegisterStore.open(address)) {
      awaitTime(Namespace.of(store, "orders").mark().orElseThrow().settledAt());
    }
  }

  private static void awaitTime(Instant time) {
    while (!Instant.ofEpochMilli(TIME.currentTimeMillis()).isAfter(time)) {
      TIME.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
    }
  }

  private static Instant lastFence(Path directory) {
    try (RegisterStore store = FileRegisterStore.open(directory)) {
      return Namespace.of(store, "orders").workers().stream()
          .map(WorkerEntry::fence)
          .max(Instant::compareTo)
          .orElseThrow();
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    try (Stream<Path> files = Files.walk(from)) {
      for (Path file : files.sorted().toList()) {
        Files.copy(file, to.resolve(from.relativize(file).toString()));
      }
    }
  }

  private static void delete(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted((a, b) -> b.compareTo(a)).toList()) {
        Files.delete(file);
      }
    }
  }

  // The processes.

  private Process issue(String store, int datacenter) throws IOException {
    Path output = output(processes.size(), store);
    Process process =
        JavaProcess.builder(RegionProcess.class, output, store, "" + datacenter).start();
    processes.add(process);
    return process;
  }

  private Path output(int process, String store) {
    return folder.resolve("ids-" + process + "-" + store.replaceFirst(":.*", ""));
  }

  /** Waits until every process has issued IDs, and more of them if it still runs. */
  private void awaitIds() throws Exception {
    long begin = TIME.nanoTime();
    for (Path file : outputs()) {
      int number = Integer.parseInt(file.getFileName().toString().split("-", -1)[1]);
      long before = Files.size(file);
      while (Files.size(file) == 0
          || (processes.get(number).isAlive() && Files.size(file) == before)) {
        assertThat(TimeUnit.NANOSECONDS.toSeconds(TIME.nanoTime() - begin))
            .as(() -> file + errors())
            .isLessThan(MAX_WAIT_SECONDS);
        assertThat(processes.get(number).isAlive() || Files.size(file) > 0)
            .as(this::errors)
            .isTrue();
        TIME.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
      }
    }
  }

  private String errors() {
    return JavaProcess.errors(folder);
  }

  private List<Path> outputs() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.filter(file -> file.getFileName().toString().startsWith("ids-")).toList();
    }
  }

  private long duplicates() throws IOException {
    List<Path> outputs = outputs();
    assertThat(outputs).hasSize(4 * PROCESSES);
    try (IdHistory history = new IdHistory(outputs.size(), 64L << 20, folder)) {
      for (Path file : outputs) {
        history.newWriter().addDecimals(new ByteArrayInputStream(JavaProcess.wholeLines(file)));
      }
      IdHistory.Report report = history.finish();
      assertThat(report.count()).isGreaterThan(outputs.size());
      return report.duplicates();
    }
  }

  /** Returns each kind of store with the datacenter of its IDs. */
  private List<String> datacenters() throws IOException {
    List<String> found = new ArrayList<>();
    for (Path file : outputs()) {
      String store = file.getFileName().toString().split("-", -1)[2];
      new String(JavaProcess.wholeLines(file), StandardCharsets.US_ASCII)
          .lines()
          .map(id -> store + " " + RegionProcess.LAYOUT.parse(Long.parseLong(id)).datacenter())
          .distinct()
          .filter(each -> !found.contains(each))
          .forEach(found::add);
    }
    return found;
  }
}
