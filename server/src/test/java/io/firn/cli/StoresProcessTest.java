package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import io.firn.testservers.EtcdServers;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.testservers.RedisServer;
import io.firn.testservers.ZooKeeperServers;
import java.io.ByteArrayInputStream;
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
 * {@code firn next} from many processes at once on each store, some of them killed in the middle,
 * and {@code firn workers} after them. {@code -Dfirn.processes=20} has as many of them.
 */
class StoresProcessTest {

  private static final int PROCESSES = Integer.getInteger("firn.processes", Sizes.deep(3, 8));

  private static final int COUNT = Sizes.deep(20_000, 100_000);

  /** JVMs that start at once are slow, and what they are slow at is not tested here. */
  private static final String TIMEOUT = "timeout=20s";

  /** Long enough for such a timeout. */
  private static final String WINDOW = "--window=2m";

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
      issueNothingTwice("redis://127.0.0.1:" + redis.port() + "?" + TIMEOUT);
    }
  }

  @Test
  void aWarningOfTheLogIsOneLine() throws Exception {
    try (RedisServer redis = RedisServer.start()) {
      String store = "redis://127.0.0.1:" + redis.port() + "?may-forget=false&" + TIMEOUT;
      Process firn =
          JavaProcess.builder(Main.class, folder.resolve("ids"), "workers", "--store", store)
              .start();
      assertThat(firn.waitFor(1, TimeUnit.MINUTES)).isTrue();
      assertThat(JavaProcess.errors(folder))
          .matches(
              "firn: warning: store: redis://.* may lose acknowledged writes in a crash: .*\\R"
                  + "No worker ID has been leased yet in redis://.*\\R");
    }
  }

  @Test
  void processesOnPostgresIssueNothingTwice() throws Exception {
    try (PostgresServer postgres = PostgresServer.start()) {
      issueNothingTwice(postgres.jdbcUrl() + "&" + TIMEOUT);
    }
  }

  @Test
  void processesOnMariaDbIssueNothingTwice() throws Exception {
    try (MariaDbServer mariaDb = MariaDbServer.start()) {
      issueNothingTwice(mariaDb.jdbcUrl() + "&" + TIMEOUT);
    }
  }

  @Test
  void processesOnSqliteIssueNothingTwice() throws Exception {
    issueNothingTwice("jdbc:sqlite:" + folder.resolve("registers.db") + "?" + TIMEOUT);
  }

  @Test
  void processesOnZooKeeperIssueNothingTwice() throws Exception {
    try (ZooKeeperServers zooKeeper = ZooKeeperServers.start(1)) {
      issueNothingTwice("zookeeper://" + zooKeeper.connectString() + "/ids?" + TIMEOUT);
    }
  }

  @Test
  @EnabledIf("etcdIsInstalled")
  void processesOnEtcdIssueNothingTwice() throws Exception {
    try (EtcdServers etcd = EtcdServers.start(1)) {
      issueNothingTwice("etcd://127.0.0.1:" + etcd.address(0).getPort() + "?" + TIMEOUT);
    }
  }

  private void issueNothingTwice(String store) throws Exception {
    List<Process> all = new ArrayList<>();
    try {
      for (int i = 0; i < PROCESSES; i++) {
        String count = "" + (isKilled(i) ? Long.MAX_VALUE : COUNT);
        all.add(start(i, "next", "--store", store, WINDOW, "-n", count));
      }
      killAsSoonAsTheyIssue(all);
      for (int i = 0; i < PROCESSES; i++) {
        assertThat(all.get(i).waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(all.get(i).exitValue()).as(this::errors).isEqualTo(isKilled(i) ? 137 : 0);
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

  private static boolean isKilled(int process) {
    return process % 3 == 0;
  }

  private void killAsSoonAsTheyIssue(List<Process> all) throws Exception {
    List<Integer> alive = new ArrayList<>();
    for (int i = 0; i < PROCESSES; i++) {
      if (isKilled(i)) {
        alive.add(i);
      }
    }
    while (!alive.isEmpty()) {
      for (Integer i : List.copyOf(alive)) {
        if (Files.size(output(i)) > 0 || !all.get(i).isAlive()) {
          all.get(i).destroyForcibly();
          alive.remove(i);
        }
      }
      Thread.sleep(1);
    }
  }

  private String errors() {
    return JavaProcess.errors(folder);
  }

  private long duplicates() throws IOException {
    try (IdHistory history = new IdHistory(PROCESSES, 64L << 20, folder)) {
      for (int i = 0; i < PROCESSES; i++) {
        byte[] lines = JavaProcess.wholeLines(output(i));
        history.newWriter().addDecimals(new ByteArrayInputStream(lines));
      }
      IdHistory.Report report = history.finish();
      assertThat(report.count()).isGreaterThanOrEqualTo(PROCESSES / 3 * 2L * COUNT);
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
    return JavaProcess.builder(Main.class, output(number), args).start();
  }
}
