package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
import io.firn.testkit.IdHistory;
import io.firn.testkit.Sizes;
import io.firn.testkit.TestThreads;
import io.firn.time.TimeSource;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Sessions that make IDs in SQL beside leased generators, while the database is killed. */
@Timeout(600)
final class SqlFleetTest {

  private static final int SESSIONS = 64;
  private static final int GENERATORS = 8;

  /** Each is a generator in a process of its own. */
  private static final int PROCESSES = Sizes.deep(1, 8);

  private static final int KILLS = Sizes.deep(1, 2);

  /** The number of IDs that each session draws before the first kill, and after each. */
  private static final int ROUND = Sizes.deep(30, 200);

  private static final TimeSource TIME = TimeSource.system();

  @TempDir Path folder;

  private final AtomicInteger finished = new AtomicInteger();
  private final AtomicInteger reopened = new AtomicInteger();
  private final AtomicLong failures = new AtomicLong();
  private volatile boolean ending;

  @Test
  void issuesNothingTwiceOnPostgres() throws Exception {
    issueNothingTwice(SqlServer.postgres());
  }

  @Test
  void issuesNothingTwiceOnMariaDb() throws Exception {
    issueNothingTwice(SqlServer.mariaDb());
  }

  private void issueNothingTwice(SqlServer database) throws Exception {
    List<Process> processes = new ArrayList<>();
    try (IdHistory history = new IdHistory(SESSIONS + GENERATORS + PROCESSES, 96L << 20, folder)) {
      database.install("orders", IdLayout.CLASSIC);
      database.setBack(
          "orders", IdLayout.CLASSIC); // so that draws lift it to the clock all the time
      database.createTable("orders", "orders");
      for (int i = 0; i < PROCESSES; i++) {
        processes.add(start(database, i));
      }
      List<Callable<Boolean>> tasks = new ArrayList<>();
      for (int i = 0; i < GENERATORS; i++) {
        IdHistory.Writer writer = history.newWriter();
        tasks.add(() -> generate(database, writer));
      }
      for (int i = 0; i < SESSIONS; i++) {
        IdHistory.Writer writer = history.newWriter();
        tasks.add(() -> draw(database, writer));
      }
      tasks.add(() -> kill(database));
      var unused = TestThreads.together(tasks);
      for (int i = 0; i < PROCESSES; i++) {
        processes.get(i).destroyForcibly().waitFor();
        addIds(history, i);
      }
      IdHistory.Report report = history.finish();
      assertThat(report.duplicates()).as("%s", report).isZero();
      assertThat(report.count()).isGreaterThan((long) SESSIONS * ROUND * KILLS);
      assertThat(failures.get()).as("statements that a kill ended").isPositive();
    } finally {
      processes.forEach(Process::destroyForcibly);
      database.stop();
    }
  }

  /** Kills the database when half of the sessions have drawn, and reopens it. */
  private boolean kill(SqlServer database) {
    try {
      for (int kill = 0; kill < KILLS; kill++) {
        int begun = kill;
        awaitSessions(begun * SESSIONS + SESSIONS / 2);
        database.server().kill();
        database.server().restart();
        SqlServer.await(() -> database.reopen("orders"));
        reopened.incrementAndGet();
      }
      awaitSessions(SESSIONS * (KILLS + 1));
      return true;
    } finally {
      ending = true;
    }
  }

  private void awaitSessions(int rounds) {
    long begin = TIME.nanoTime();
    while (finished.get() < rounds) {
      assertThat(TIME.nanoTime() - begin)
          .as("%s of %s rounds", finished, rounds)
          .isLessThan(Duration.ofMinutes(5).toNanos());
      TIME.parkNanos(Duration.ofMillis(5).toNanos());
    }
  }

  /** Draws a round before the first kill, and one after each. */
  private boolean draw(SqlServer database, IdHistory.Writer writer) {
    int round = 0;
    long drawn = 0;
    while (round <= KILLS && !ending) {
      try (Connection connection = database.connect()) {
        connection.setAutoCommit(false);
        while (round <= KILLS && !ending) {
          if (drawn >= (long) ROUND * (round + 1) && reopened.get() >= round) {
            finished.incrementAndGet();
            round++;
          }
          String sql =
              drawn % 3 == 0
                  ? SqlServer.drawing("orders")
                  : "INSERT INTO orders (n) VALUES (1) RETURNING id";
          writer.add(Long.parseLong(SqlServer.query(connection, sql)));
          drawn++;
          if (drawn % 7 == 0) {
            connection.rollback();
          } else if (drawn % 5 != 0) { // some transactions draw several
            connection.commit();
          }
        }
      } catch (SQLException e) {
        failures.incrementAndGet();
        TIME.parkNanos(Duration.ofMillis(20).toNanos());
      }
    }
    return true;
  }

  private boolean generate(SqlServer database, IdHistory.Writer writer) {
    long[] ids = new long[100];
    try (RegisterStore store = database.open()) {
      while (!ending) {
        try (Snowflake snowflake =
            Snowflake.builder().lease(LeaseConfig.builder(store, "orders").build()).build()) {
          while (!ending) {
            snowflake.nextIds(ids, 0, ids.length);
            writer.add(ids, 0, ids.length);
            TIME.parkNanos(Duration.ofMillis(20).toNanos());
          }
        } catch (FirnException e) {
          TIME.parkNanos(Duration.ofMillis(20).toNanos());
        }
      }
    }
    return true;
  }

  private Process start(SqlServer database, int number) throws IOException {
    return JavaProcess.builder(
            Main.class,
            output(number),
            "next",
            "--store",
            database.store(),
            "--namespace",
            "orders",
            "-n",
            "200000")
        .start();
  }

  private Path output(int number) {
    return folder.resolve("ids-" + number);
  }

  private void addIds(IdHistory history, int number) throws IOException {
    byte[] lines = JavaProcess.wholeLines(output(number));
    history.newWriter().addDecimals(new ByteArrayInputStream(lines));
  }
}
