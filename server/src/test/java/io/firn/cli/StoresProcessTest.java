package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.servers.EtcdServers;
import io.firn.servers.MariaDbServer;
import io.firn.servers.PostgresServer;
import io.firn.servers.RedisServer;
import io.firn.servers.ZooKeeperServers;
import io.firn.testkit.IdHistory;
import java.io.ByteArrayInputStream;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code firn next} from twenty processes at once on each store, some of them killed in the middle,
 * and {@code firn workers} after them.
 */
class StoresProcessTest {

  private static final int PROCESSES = 20;

  /** More than a pipe holds and less than a test should wait for. */
  private static final int COUNT = 100_000;

  @TempDir Path folder;

  static boolean etcdIsInstalled() {
    return EtcdServers.isInstalled();
  }

  @Test
  void processesOnADirectoryIssueNothingTwice() throws Exception {
    issueNothingTwice("file:" + folder.resolve("store"));
  }

  @Test
  void processesOnRedisIssueNothingTwice() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      issueNothingTwice("redis://127.0.0.1:" + redis.port());
    }
  }

  @Test
  void processesOnPostgresIssueNothingTwice() throws Exception {
    try (PostgresServer postgres = PostgresServer.start()) {
      issueNothingTwice(postgres.jdbcUrl() + "?user=" + postgres.user());
    }
  }

  @Test
  void processesOnMariaDbIssueNothingTwice() throws Exception {
    try (MariaDbServer mariaDb = MariaDbServer.start()) {
      issueNothingTwice(mariaDb.jdbcUrl() + "?user=" + mariaDb.user());
    }
  }

  @Test
  void processesOnSqliteIssueNothingTwice() throws Exception {
    issueNothingTwice("jdbc:sqlite:" + folder.resolve("registers.db"));
  }

  @Test
  void processesOnZooKeeperIssueNothingTwice() throws Exception {
    try (ZooKeeperServers zooKeeper = ZooKeeperServers.start(1)) {
      issueNothingTwice("zookeeper://" + zooKeeper.connectString() + "/ids");
    }
  }

  @Test
  @EnabledIf("etcdIsInstalled")
  void processesOnEtcdIssueNothingTwice() throws Exception {
    try (EtcdServers etcd = EtcdServers.start(1)) {
      issueNothingTwice("etcd://127.0.0.1:" + etcd.address(0).getPort());
    }
  }

  private void issueNothingTwice(String store) throws Exception {
    List<Process> all = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        all.add(start(i, "next", "--store", store, "-n", "" + COUNT));
      }
      killEveryThirdAsSoonAsItIssues(all);
      for (int i = 0; i < PROCESSES; i++) {
        assertThat(all.get(i).waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(all.get(i).exitValue())
            .as(() -> "errors " + folder)
            .isEqualTo(i % 3 == 0 ? 137 : 0);
      }
    } finally {
      all.forEach(Process::destroyForcibly);
    }
    assertThat(duplicates()).isZero();
    String workers = outputOf("workers", "--store", store);
    assertThat(workers.lines().filter(line -> line.matches(" *\\d+ +(held|released).*")))
        .hasSizeBetween(PROCESSES / 3, PROCESSES);
    assertThat(workers).contains("classic: ");
  }

  /** The outputs are files, so each is killed somewhere between its first ID and its last. */
  private void killEveryThirdAsSoonAsItIssues(List<Process> all) throws Exception {
    for (int i = 0; i < PROCESSES; i += 3) {
      while (Files.size(output(i)) == 0 && all.get(i).isAlive()) {
        Thread.sleep(1);
      }
      all.get(i).destroyForcibly();
    }
  }

  private long duplicates() throws IOException {
    try (IdHistory history = new IdHistory(PROCESSES, 64L << 20, folder)) {
      for (int i = 0; i < PROCESSES; i++) {
        byte[] text = Files.readAllBytes(output(i));
        // The last line of a process that was killed may be cut short.
        int end = text.length;
        while (end > 0 && text[end - 1] != '\n') {
          end--;
        }
        history.newWriter().addDecimals(new ByteArrayInputStream(text, 0, end));
      }
      IdHistory.Report report = history.finish();
      assertThat(report.count()).isGreaterThan(PROCESSES / 3 * 2L * COUNT);
      return report.duplicates();
    }
  }

  private Path output(int process) {
    return folder.resolve("ids-" + process);
  }

  private String outputOf(String... args) throws Exception {
    Process firn = start(PROCESSES, args);
    assertThat(firn.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(firn.exitValue()).isZero();
    return Files.readString(output(PROCESSES));
  }

  private Process start(int number, String... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName()));
    command.addAll(List.of(args));
    return new ProcessBuilder(command)
        .redirectOutput(output(number).toFile())
        .redirectError(new File(folder.toFile(), "errors"))
        .start();
  }
}
