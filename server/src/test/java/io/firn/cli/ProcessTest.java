package io.firn.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The program in a process of its own, with real streams. */
final class ProcessTest {

  @Test
  void issuesRealIdsOfRightNow() throws Exception {
    long before = System.currentTimeMillis();
    Process firn = start("next", "-n", "5", "--worker", "3");
    List<String> lines;
    try (BufferedReader out = firn.inputReader(UTF_8)) {
      lines = out.lines().toList();
    }
    assertThat(exitCode(firn)).isZero();
    assertThat(lines).hasSize(5);
    assertThat(IdLayout.CLASSIC.parse(Long.parseLong(lines.get(0))).instant().toEpochMilli())
        .isBetween(before, System.currentTimeMillis());
  }

  @Test
  void endsQuietlyWhenItsReaderHasEnough() throws Exception {
    Process firn = start("next", "-n", "9223372036854775807", "--worker", "3");
    try (BufferedReader out = firn.inputReader(UTF_8)) {
      assertThat(out.readLine()).isNotBlank();
    }
    String err;
    try (BufferedReader errors = firn.errorReader(UTF_8)) {
      err = errors.lines().collect(Collectors.joining("\n"));
    }
    assertThat(err).isEmpty();
    assertThat(exitCode(firn)).isZero();
  }

  /** As by Ctrl-C. */
  @Test
  void givesItsWorkerIdBackWhenItIsStopped(@TempDir Path directory) throws Exception {
    String address = "file:" + directory;
    Process firn = start("next", "-n", "9223372036854775807", "--store", address);
    try (BufferedReader out = firn.inputReader(UTF_8);
        BufferedReader errors = firn.errorReader(UTF_8)) {
      assertThat(out.readLine()).isNotBlank();
      firn.toHandle().destroy();
      while (out.readLine() != null) {
        // reads on, so that it is not held up
      }
      assertThat(errors.lines()).isEmpty();
    }
    assertThat(exitCode(firn)).isNotZero();
    try (RegisterStore store = RegisterStore.open(address)) {
      assertThat(Namespace.of(store, "classic").workers())
          .singleElement()
          .satisfies(worker -> assertThat(worker.held()).isFalse());
    }
  }

  private static Process start(String... args) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-cp");
    command.add(
        Stream.of(Main.class, IdLayout.class, CommandLine.class)
            .map(ProcessTest::home)
            .collect(Collectors.joining(File.pathSeparator)));
    command.add(Main.class.getName());
    command.addAll(List.of(args));
    return new ProcessBuilder(command).start();
  }

  private static String home(Class<?> type) {
    return new File(type.getProtectionDomain().getCodeSource().getLocation().getPath()).getPath();
  }

  private static int exitCode(Process firn) throws InterruptedException {
    assertThat(firn.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return firn.exitValue();
  }
}
