package io.firn.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Two processes with the host name of one pod of a StatefulSet. */
class OrdinalProcessTest {

  private static final int MAX_WAIT_SECONDS = 120;
  private static final String LAYOUT = "41t+7w+6s@2026-01-01T00:00:00Z/1ms";
  private static final TimeSource TIME = TimeSource.system();

  @TempDir Path folder;

  private final List<Process> processes = new ArrayList<>();

  @AfterEach
  void end() {
    processes.forEach(Process::destroyForcibly);
  }

  @Test
  void podThatIsStartedTwiceIssuesNothingTwice() throws Exception {
    Process first = start("orders-3", "6s");
    awaitIds(0);
    signal(first, "STOP"); // as on a node that hangs
    start("orders-3", "6s");
    awaitIds(1);
    signal(first, "CONT");
    awaitIds(1);
    processes.forEach(Process::destroyForcibly);
    for (Process process : processes) {
      process.waitFor();
    }

    Set<Long> ids = new HashSet<>();
    int count = 0;
    for (int i = 0; i < 2; i++) {
      for (long id : ids(i)) {
        assertThat(IdLayout.of(LAYOUT).parse(id).worker()).isEqualTo(3);
        ids.add(id);
        count++;
      }
    }
    assertThat(ids).hasSize(count);
  }

  @Test
  void secondPodIsRefusedWhileTheFirstOneRenews() throws Exception {
    start("orders-5", "10m");
    awaitIds(0);
    Process second = start("orders-5", "1m");

    assertThat(second.waitFor(MAX_WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    assertThat(second.exitValue()).isEqualTo(1);
    assertThat(errors()).contains("Worker 5 of orders is leased to ").contains("; it is free at ");
    assertThat(ids(1)).isEmpty();
  }

  @Test
  void hostNameThatIsNoPodsIsRefused() throws Exception {
    for (String host : List.of("web", "orders-128")) {
      Process process = start(host, "2s");
      assertThat(process.waitFor(MAX_WAIT_SECONDS, TimeUnit.SECONDS)).isTrue();
      assertThat(process.exitValue()).isEqualTo(2);
    }
    assertThat(errors())
        .contains("worker: ordinal (expected: a number in POD_INDEX, or at the end of POD_NAME or")
        .contains("; HOSTNAME is web)")
        .contains("worker: ordinal 128 (expected: 0..127, the layout has 7 worker bits)");
  }

  private Process start(String host, String window) throws IOException {
    ProcessBuilder builder =
        JavaProcess.builder(
            Main.class,
            output(processes.size()),
            "next",
            "-n",
            "" + Long.MAX_VALUE,
            "--store=file:" + folder.resolve("store"),
            "--namespace=orders",
            "--layout=" + LAYOUT,
            "--window=" + window,
            "--worker=ordinal");
    builder.environment().keySet().removeAll(List.of("POD_INDEX", "POD_NAME"));
    builder.environment().put("HOSTNAME", host);
    Process process = builder.start();
    processes.add(process);
    return process;
  }

  private static void signal(Process process, String signal) throws Exception {
    Process kill = new ProcessBuilder("kill", "-" + signal, "" + process.pid()).start();
    assertThat(kill.waitFor()).isZero();
  }

  private Path output(int process) {
    return folder.resolve("ids-" + process);
  }

  private String errors() {
    return JavaProcess.errors(folder);
  }

  /** Waits until a process has issued more IDs. */
  private void awaitIds(int process) throws Exception {
    long begin = TIME.nanoTime();
    long before = Files.size(output(process));
    while (Files.size(output(process)) == before) {
      assertThat(processes.get(process).isAlive()).as(errors()).isTrue();
      assertThat(TimeUnit.NANOSECONDS.toSeconds(TIME.nanoTime() - begin))
          .as(errors())
          .isLessThan(MAX_WAIT_SECONDS);
      TIME.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
    }
  }

  private List<Long> ids(int process) throws IOException {
    return new String(JavaProcess.wholeLines(output(process)), US_ASCII)
        .lines()
        .map(Long::valueOf)
        .toList();
  }
}
