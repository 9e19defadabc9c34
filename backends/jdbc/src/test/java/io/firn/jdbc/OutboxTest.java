package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.store.RegisterStore;
import io.firn.testkit.Sizes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * An outbox that processes write to with delayed commits, rollbacks, a kill and a stop that is
 * longer than the window: who pages by ID up to the watermark reads each row once. Who pages by a
 * column alone misses rows, whichever column that is.
 */
class OutboxTest {

  static final String NAMESPACE = "outbox";
  static final Duration GRACE = Duration.ofSeconds(2);

  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Duration HEARTBEAT = Duration.ofMillis(500);
  private static final Duration MAX_WAIT = Duration.ofMinutes(3);
  private static final int PROCESSES = Sizes.deep(3, 4);
  private static final int THREADS = Sizes.deep(3, 4);
  private static final int MOST_DELAY_MILLIS = Sizes.deep(300, 2_000);
  private static final int LARGE_ROWS = Sizes.deep(60, 500);
  private static final Duration RUN = Duration.ofMillis(Sizes.deep(1_500, 15_000));

  private static final class Writing implements AutoCloseable {
    final Process process;
    final Writer in;
    final BufferedReader out;
    final long worker;

    Writing(String store, String database, long aheadMillis) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:+UseSerialGC",
                  "-XX:TieredStopAtLevel=1",
                  "-Xmx64m",
                  "-cp",
                  System.getProperty("java.class.path"),
                  OutboxWriter.class.getName(),
                  store,
                  database,
                  "" + WINDOW.toMillis(),
                  "" + aheadMillis,
                  "" + MOST_DELAY_MILLIS,
                  "" + THREADS,
                  "" + LARGE_ROWS)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      in = process.outputWriter(StandardCharsets.UTF_8);
      out = process.inputReader(StandardCharsets.UTF_8);
      worker = Long.parseLong(out.readLine().replace("worker ", ""));
    }

    void say(String line) throws IOException {
      in.write(line + "\n");
      in.flush();
    }

    void signal(String name) throws IOException {
      new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().onExit().join();
    }

    String end() throws Exception {
      say("end");
      String last = out.readLine();
      assertThat(process.waitFor(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      return last;
    }

    @Override
    public void close() {
      process.destroyForcibly();
    }
  }

  /** A reader that pages by a column, up to what is visible. */
  private static final class Naive {
    final String column;
    final Set<String> read = new HashSet<>();
    String last;

    Naive(String column, String first) {
      this.column = column;
      last = first;
    }

    void readOn(Connection connection) throws SQLException {
      String query =
          "SELECT " + column + ", id FROM outbox WHERE " + column + " > ? ORDER BY " + column;
      try (PreparedStatement select = connection.prepareStatement(query)) {
        if (column.equals("uuid")) {
          select.setString(1, last);
        } else {
          select.setLong(1, Long.parseLong(last));
        }
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            last = rows.getString(1);
            read.add(rows.getString(2));
          }
        }
      }
    }
  }

  /** Reads in a thread of its own, until it has read up to an ID. */
  private static final class Readers extends Thread {
    final List<String> safe = new ArrayList<>();
    final List<Naive> naive =
        List.of(new Naive("seq", "0"), new Naive("uuid", ""), new Naive("id", "0"));
    final List<Long> lags = new ArrayList<>();
    private final String database;
    private final Watermark watermark;
    private volatile long until = Long.MAX_VALUE;
    private volatile Exception failure;
    private long last;

    Readers(String database, RegisterStore store) {
      this.database = database;
      watermark = Watermark.builder(store, NAMESPACE).heartbeat(HEARTBEAT).grace(GRACE).build();
    }

    @Override
    public void run() {
      try (Connection connection = DriverManager.getConnection(database)) {
        while (last < until) {
          Watermark.Reading reading = watermark.current();
          lags.add(reading.lag().toMillis());
          readUpTo(connection, reading.id());
          for (Naive each : naive) {
            each.readOn(connection);
          }
          Thread.sleep(50);
        }
      } catch (Exception e) {
        failure = e;
      }
    }

    // The reader of docs/using/outbox.md.
    private void readUpTo(Connection connection, long id) throws SQLException {
      try (PreparedStatement select =
          connection.prepareStatement(
              "SELECT id FROM outbox WHERE id > ? AND id <= ? ORDER BY id")) {
        select.setLong(1, last);
        select.setLong(2, id);
        try (ResultSet rows = select.executeQuery()) {
          while (rows.next()) {
            safe.add(rows.getString(1));
          }
        }
        last = Math.max(last, id);
      }
    }

    void endAt(long id) throws Exception {
      until = id;
      join(MAX_WAIT.toMillis());
      if (failure != null) {
        throw failure;
      }
      assertThat(isAlive()).as("the watermark stands at %s, before %s", last, id).isFalse();
    }

    String lagText() {
      List<Long> sorted = lags.stream().sorted().toList();
      return String.format(
          Locale.ROOT,
          "lag p50 %d ms, p99 %d ms",
          sorted.get(sorted.size() / 2),
          sorted.get(sorted.size() * 99 / 100));
    }
  }

  @ParameterizedTest
  @EnumSource
  void readerUpToTheWatermarkReadsEachRowOnceAndInOrder(TestDatabase database) throws Exception {
    String url = database.url();
    try (Connection connection = DriverManager.getConnection(url);
        Statement statement = connection.createStatement();
        RegisterStore store = RegisterStore.open(url)) {
      statement.execute("DROP TABLE IF EXISTS outbox");
      statement.execute(
          "CREATE TABLE outbox (id BIGINT PRIMARY KEY, uuid CHAR(36) NOT NULL, seq "
              + (database == TestDatabase.POSTGRES ? "BIGSERIAL" : "BIGINT AUTO_INCREMENT UNIQUE")
              + ")");
      statement.execute("CREATE INDEX outbox_uuid ON outbox (uuid)");
      List<Writing> writers = new ArrayList<>();
      Readers readers = null;
      try {
        for (int i = 0; i < PROCESSES; i++) {
          writers.add(new Writing(withTimeout(url), url, (i - 1) * 1_000L)); // clocks apart
        }
        readers = new Readers(url, store);
        readers.start();
        Thread.sleep(RUN.toMillis());
        writers.get(0).signal("KILL");
        if (Sizes.isDeep() || database == TestDatabase.POSTGRES) {
          stopUntilDeclaredDead(writers.get(1), Namespace.of(store, NAMESPACE));
        }
        Thread.sleep(RUN.toMillis());
        List<String> ends = new ArrayList<>();
        for (Writing writer : writers.subList(1, PROCESSES)) {
          ends.add(writer.end());
        }
        List<String> rows = rows(statement);
        readers.endAt(Long.parseLong(rows.get(rows.size() - 1)));

        assertThat(readers.safe).isEqualTo(rows);
        StringBuilder missed = new StringBuilder();
        int all = 0;
        for (Naive each : readers.naive) {
          each.readOn(connection);
          int misses = rows.size() - each.read.size();
          missed.append(", by ").append(each.column).append(' ').append(misses);
          all += misses;
        }
        System.out.println(
            database
                + ": of "
                + rows.size()
                + " rows missed: up to the watermark 0"
                + missed
                + "; "
                + readers.lagText()
                + "; "
                + ends);
        assertThat(all).isPositive();
      } finally {
        writers.forEach(Writing::close);
        if (readers != null) {
          readers.until = 0;
          readers.join();
        }
        statement.execute("DROP TABLE outbox");
      }
    }
  }

  /** Stops a process before it checks its commits; see IdScope.beforeCommit for one after that. */
  private static void stopUntilDeclaredDead(Writing writer, Namespace namespace)
      throws IOException, InterruptedException {
    writer.say("pause");
    assertThat(writer.out.readLine()).isEqualTo("paused");
    writer.signal("STOP");
    await(() -> !isHeld(namespace, writer.worker));
    writer.signal("CONT");
    writer.say("resume");
  }

  private static String withTimeout(String url) {
    return url + (url.contains("?") ? "&" : "?") + "timeout=1s";
  }

  private static boolean isHeld(Namespace namespace, long worker) {
    return namespace.workers().stream()
        .anyMatch(each -> each.worker() == worker && each.held() && each.pid() != 0);
  }

  private static void await(BooleanSupplier condition) throws InterruptedException {
    Instant end = Instant.now().plus(MAX_WAIT);
    while (!condition.getAsBoolean()) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(50);
    }
  }

  private static List<String> rows(Statement statement) throws SQLException {
    List<String> rows = new ArrayList<>();
    try (ResultSet ids = statement.executeQuery("SELECT id FROM outbox ORDER BY id")) {
      while (ids.next()) {
        rows.add(ids.getString(1));
      }
    }
    return rows;
  }
}
