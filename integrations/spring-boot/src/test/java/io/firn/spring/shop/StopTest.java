package io.firn.spring.shop;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application on a file of H2 that is stopped by a signal, as an operator does it. */
final class StopTest {

  private static final String CLASS_PATH = System.getProperty("java.class.path");
  private static final int LIMIT_SECONDS = 300;
  private static final String GIVEN_BACK = ".* INFO .* Namespace orders gave worker \\d+ back";
  private static final String NOT_GIVEN_BACK =
      ".* WARN .* Namespace orders could not give worker \\d+ back; it stays taken until .*Z: .+";

  @TempDir Path directory;

  private String url(String parameters) {
    return "jdbc:h2:file:" + directory.resolve("shop") + parameters;
  }

  private List<String> runAndStop(String url) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-XX:MetaspaceSize=128m",
                "-cp",
                CLASS_PATH,
                ShopApplication.class.getName(),
                "--spring.main.web-application-type=none",
                "--spring.main.banner-mode=off",
                "--spring.datasource.url=" + url,
                "--spring.jpa.hibernate.ddl-auto=update",
                "--firn.namespaces=orders",
                "--spring.autoconfigure.exclude=" + ShopTest.REDIS)
            .redirectErrorStream(true)
            .start();
    List<String> lines = new ArrayList<>();
    try (BufferedReader out =
        new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        lines.add(line);
        if (line.contains(" Started ")) {
          process.toHandle().destroy(); // leaves the stream open
        }
      }
      assertThat(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return lines;
  }

  private boolean isHeld() {
    try (RegisterStore store = RegisterStore.open(url(""))) {
      return Namespace.of(store, "orders").workers().stream().anyMatch(WorkerEntry::held);
    }
  }

  @Test
  void workerIsGivenBackWhereH2IsLeftOpenUntilTheApplicationHasStopped() throws Exception {
    List<String> lines = runAndStop(url(";DB_CLOSE_ON_EXIT=FALSE"));
    assertThat(lines).filteredOn(line -> line.matches(GIVEN_BACK)).hasSize(1);
    assertThat(lines).noneMatch(line -> line.matches(NOT_GIVEN_BACK));
    assertThat(isHeld()).isFalse();
  }

  /** H2 and the application stop at the same time; which one is faster is not known. */
  @Test
  void logSaysWhetherTheWorkerWasGivenBackWhereH2ClosesItself() throws Exception {
    List<String> lines = runAndStop(url(""));
    List<String> said =
        lines.stream()
            .filter(line -> line.matches(GIVEN_BACK) || line.matches(NOT_GIVEN_BACK))
            .toList();
    assertThat(said).as(String.join("\n", lines)).hasSize(1);
    // A write may have been kept whose outcome H2 did not report any more.
    assertThat(said.get(0).matches(GIVEN_BACK) && isHeld()).isFalse();
  }
}
