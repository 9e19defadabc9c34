package io.firn.lease;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.store.ChildJvm;
import io.firn.store.FileRegisterStore;
import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Leases between real processes: stopped, killed, started all at once, restarted with another
 * clock. All IDs of a scene are checked: none twice, and those of one process grow.
 */
class ProcessesTest {

  private static final String TWO_WORKERS = "41t+1w+20s@2026-01-01T00:00:00Z/1ms";
  private static final String MANY_WORKERS = "41t+6w+16s@2026-01-01T00:00:00Z/1ms";
  private static final long HOUR = 3_600_000;
  private static final long DAY = 24 * HOUR;

  @TempDir static Path folder;

  private static long checked;
  private static int scenes;

  private final Path store = folder.resolve("store-" + ++scenes);
  private final Path ids = folder.resolve("ids-" + scenes);
  private int processes;

  /** The settings of a process that differ between tests. */
  private final class Start {
    private String layout = TWO_WORKERS;
    private String instance = "one";
    private long window = 1_000;
    private long skew = 5_000;
    private long timeout = 120_000;
    private long ahead;
    private long most = Long.MAX_VALUE;

    ChildJvm go() throws IOException {
      Files.createDirectories(ids);
      return ChildJvm.start(
          IssuingProcess.class,
          store,
          layout,
          instance,
          window,
          skew,
          timeout,
          ahead,
          most,
          ids.resolve("process-" + ++processes));
    }
  }

  private ChildJvm start(Consumer<Start> settings) throws IOException {
    Start start = new Start();
    settings.accept(start);
    return start.go();
  }

  /** With a window that a busy machine does not miss. */
  private ChildJvm startSlow(String instance) throws IOException {
    return start(
        s -> {
          s.instance = instance;
          s.window = 3_000;
        });
  }

  private static int worker(ChildJvm child) throws IOException {
    String line = child.lineThatBegins("issues with worker ");
    return Integer.parseInt(line.substring("issues with worker ".length()));
  }

  private static void stop(ChildJvm child) throws Exception {
    child.send("stop");
    child.lineThatBegins("issued ");
    assertThat(child.end()).isZero();
  }

  /** Checks all IDs of the scene, and tells the scene in one line. */
  private void check(String scene) throws IOException {
    List<Path> files;
    try (Stream<Path> all = Files.list(ids)) {
      files = all.sorted().toList();
    }
    try (IdHistory history = new IdHistory(files.size(), 128L << 20, folder)) {
      for (Path file : files) {
        copy(file, history.newWriter());
      }
      IdHistory.Report report = history.finish();
      checked += report.count();
      System.out.println(
          scene + ": " + files.size() + " processes, " + report.count() + " IDs, " + report);
      assertThat(report.duplicates()).isZero();
      assertThat(report.disorders()).isZero();
    }
  }

  private static void copy(Path file, IdHistory.Writer writer) throws IOException {
    // The last record of a process that was killed may be cut short.
    long records = Files.size(file) / IssuingProcess.RECORD_BYTES;
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(file), 1 << 16))) {
      long step =
          1L << IdLayout.of(TWO_WORKERS).field(IdLayout.Kind.SEQUENCE).orElseThrow().shift();
      for (long record = 0; record < records; record++) {
        long id = in.readLong();
        for (int left = in.readInt(); left > 0; left--) {
          writer.add(id);
          id += step;
        }
      }
    }
  }

  @AfterAll
  static void enoughIdsWereChecked() {
    System.out.println("processes: " + checked + " IDs checked");
    assertThat(checked).isGreaterThanOrEqualTo(Sizes.deep(1_000_000, 50_000_000));
  }

  @Test
  void processStoppedForLongerThanItsWindowIssuesNoDuplicatesWhenItContinues() throws Exception {
    try (ChildJvm first = startSlow("first");
        ChildJvm second = startSlow("second")) {
      int stopped = worker(first);
      worker(second);
      first.signal("STOP");
      try (ChildJvm third = startSlow("third")) {
        assertThat(worker(third)).isEqualTo(stopped);
        first.signal("CONT");
        Thread.sleep(2_000); // it continues, and finds that both workers are another's
        stop(second);
        assertThat(worker(first)).isEqualTo(1 - stopped);
        Thread.sleep(500);
        stop(third);
        stop(first);
      }
    }
    check("SIGSTOP");
  }

  @Test
  void processesThatAreKilledAgainAndAgainIssueNothingTwice() throws Exception {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    int kills = Sizes.deep(4, 12);
    List<ChildJvm> running = new ArrayList<>();
    try {
      for (int i = 0; i < kills; i++) {
        running.add(start(s -> s.window = 300));
        worker(running.get(running.size() - 1));
        Thread.sleep(random.nextInt(300));
        if (running.size() == 2) {
          running.remove(random.nextInt(2)).kill9();
        }
      }
    } finally {
      for (ChildJvm child : running) {
        child.kill9();
      }
    }
    check("kill -9, " + kills + " processes, seed " + seed);
  }

  @Test
  void restartWithTheClockSetBackRepeatsNothing() throws Exception {
    try (ChildJvm child = start(s -> {})) {
      worker(child);
      Thread.sleep(300);
      stop(child);
    }
    // The fence of the first worker ID is an hour ahead of this clock, so another one is leased.
    try (ChildJvm child = start(s -> s.ahead = -HOUR)) {
      worker(child);
      Thread.sleep(300);
      stop(child);
    }
    try (ChildJvm child =
        start(
            s -> {
              s.ahead = -HOUR;
              s.skew = DAY;
            })) {
      worker(child);
      Thread.sleep(300);
      stop(child);
    }
    try (ChildJvm child = start(s -> {})) {
      worker(child);
      Thread.sleep(300);
      child.kill9();
    }
    try (ChildJvm child =
        start(
            s -> {
              s.ahead = -HOUR;
              s.skew = DAY;
            })) {
      worker(child);
      Thread.sleep(300);
      stop(child);
    }
    check("clock back at a restart");
  }

  @Test
  void clockThatIsSetWhileTheProcessRunsRepeatsNothing() throws Exception {
    try (ChildJvm first = start(s -> s.instance = "first");
        ChildJvm second = start(s -> s.instance = "second")) {
      worker(first);
      worker(second);
      for (long ahead : new long[] {HOUR, 0, -DAY, 50, -50, 0, DAY}) {
        first.send("" + ahead);
        Thread.sleep(250);
        second.send("" + -ahead);
        Thread.sleep(250);
      }
      stop(first);
      stop(second);
    }
    check("clock set while running");
  }

  @Test
  void processesThatStartAtOnceIssueNothingTwice() throws Exception {
    List<ChildJvm> all = new ArrayList<>();
    try {
      for (int i = 0; i < Sizes.deep(8, 50); i++) {
        int number = i;
        all.add(
            start(
                s -> {
                  s.layout = MANY_WORKERS;
                  s.instance = "web-" + number;
                  s.window = 20_000;
                  s.most = Sizes.deep(300_000, 1_500_000);
                }));
      }
      for (ChildJvm child : all) {
        child.lineThatBegins("issued ");
        assertThat(child.end()).isZero();
      }
    } finally {
      for (ChildJvm child : all) {
        child.close();
      }
    }
    assertThat(Namespace.of(FileRegisterStore.open(store), "orders").workers())
        .allSatisfy(worker -> assertThat(worker.held()).isFalse());
    check("at once");
  }
}
