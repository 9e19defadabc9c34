package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.Namespace;
import io.firn.store.StoreException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** A process that writes rows into an outbox, with what stops and ends it. */
final class OutboxProcess implements AutoCloseable {

  static final String NAMESPACE = "outbox";
  static final Duration GRACE = Duration.ofSeconds(2);
  static final Duration MAX_WAIT = Duration.ofMinutes(3);

  /**
   * The settings of a process.
   *
   * @param window of its lease
   * @param aheadMillis how far its clock is ahead
   * @param mostDelayMillis the longest delay before a commit
   * @param threads how many write
   * @param largeRows the rows of a large transaction, up to twice as many
   * @param largePercent how many transactions in 100 are large
   * @param guarded whether commits are checked in the database
   */
  record Settings(
      Duration window,
      long aheadMillis,
      int mostDelayMillis,
      int threads,
      int largeRows,
      int largePercent,
      boolean guarded) {

    Settings ahead(long millis) {
      return new Settings(
          window, millis, mostDelayMillis, threads, largeRows, largePercent, guarded);
    }
  }

  private final Process process;
  private final Writer in;
  private final BufferedReader out;

  OutboxProcess(String database, Settings settings) throws IOException {
    process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Xmx64m",
                "-cp",
                System.getProperty("java.class.path"),
                OutboxWriter.class.getName(),
                withTimeout(database),
                database,
                "" + settings.window().toMillis(),
                "" + settings.aheadMillis(),
                "" + settings.mostDelayMillis(),
                "" + settings.threads(),
                "" + settings.largeRows(),
                "" + settings.largePercent(),
                "" + settings.guarded())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    in = process.outputWriter(StandardCharsets.UTF_8);
    out = process.inputReader(StandardCharsets.UTF_8);
    assertThat(out.readLine()).startsWith("worker ");
  }

  /** Makes the table of the outbox. */
  static void createTable(TestDatabase database, Statement statement) throws SQLException {
    statement.execute("DROP TABLE IF EXISTS outbox");
    statement.execute(
        "CREATE TABLE outbox (id BIGINT PRIMARY KEY, uuid CHAR(36) NOT NULL, seq "
            + (database == TestDatabase.POSTGRES ? "BIGSERIAL" : "BIGINT AUTO_INCREMENT UNIQUE")
            + ")");
    statement.execute("CREATE INDEX outbox_uuid ON outbox (uuid)");
    if (database == TestDatabase.POSTGRES) {
      statement.execute("CREATE INDEX outbox_seq ON outbox (seq)");
    }
  }

  /** Returns an address whose calls wait for locks for a short time. */
  static String withTimeout(String url) {
    return url + (url.contains("?") ? "&" : "?") + "timeout=1s";
  }

  void say(String line) throws IOException {
    in.write(line + "\n");
    in.flush();
  }

  /** Has the process answer to a line with another. */
  void ask(String line, String expected) throws IOException {
    say(line);
    assertThat(out.readLine()).isEqualTo(expected);
  }

  /** Stops or ends the process. */
  void signal(String name) throws IOException {
    new ProcessBuilder("kill", "-" + name, "" + process.pid()).start().onExit().join();
  }

  /** Returns whether a worker ID of the process is held still. */
  boolean isHeld(Namespace namespace) {
    return namespace.workers().stream()
        .anyMatch(each -> each.held() && each.pid() == process.pid());
  }

  String end() throws Exception {
    say("end");
    String last = out.readLine();
    assertThat(process.waitFor(MAX_WAIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    return last;
  }

  /** Waits for a condition. A store that does not answer within its timeout is asked again. */
  static void await(BooleanSupplier condition) throws InterruptedException {
    Instant end = Instant.now().plus(MAX_WAIT);
    while (!isMet(condition)) {
      assertThat(Instant.now()).isBefore(end);
      Thread.sleep(50);
    }
  }

  private static boolean isMet(BooleanSupplier condition) {
    try {
      return condition.getAsBoolean();
    } catch (StoreException e) {
      return false;
    }
  }

  @Override
  public void close() {
    process.destroyForcibly();
  }
}
