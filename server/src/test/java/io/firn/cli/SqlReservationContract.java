package io.firn.cli;

import static io.firn.cli.SqlServer.LAYOUT;
import static io.firn.cli.SqlServer.instant;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.lease.Namespace;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.testkit.TestThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How IDs in SQL depend on the reservation of their worker ID, and on the run of the database. */
interface SqlReservationContract {

  /** Returns the database of the test. */
  SqlServer database();

  @Test
  default void refusesDrawsAfterARestartUntilItIsReopened() throws Exception {
    SqlServer database = database();
    database.install("restart", LAYOUT);
    long before = database.draw("restart");
    database.server().kill();
    database.server().restart();
    assertThatThrownBy(() -> database.draw("restart"))
        .hasMessageContaining("firn_next: the database was restarted, promoted or restored")
        .hasMessageContaining("firn_reopen('restart')");
    database.setWord("restart", 1); // more than a crash takes back
    database.reopen("restart");
    assertThat(database.draw("restart")).isGreaterThan(before + (1_000L << 22));
    long second = database.draw("restart");
    database.reopen("restart");
    assertThat(database.draw("restart")).isGreaterThan(second + (1_000L << 22));
  }

  @Test
  default void reopeningWhileSessionsDrawFailsNoDraw() throws Exception {
    SqlServer database = database();
    database.install("reopened", LAYOUT);
    database.removeBase("reopened"); // as it is some time after the first reopening
    database.setBack("reopened", LAYOUT);
    AtomicBoolean ends = new AtomicBoolean();
    List<Callable<List<Long>>> tasks = new ArrayList<>();
    for (int i = 0; i < 4; i++) {
      tasks.add(() -> drawUntil(ends, database, "reopened"));
    }
    tasks.add(
        () -> {
          try {
            for (int i = 0; i < 5; i++) {
              database.reopen("reopened");
            }
          } finally {
            ends.set(true);
          }
          return List.of();
        });
    List<Long> ids = TestThreads.together(tasks).stream().flatMap(List::stream).toList();
    assertThat(ids).isNotEmpty().doesNotHaveDuplicates();
  }

  /** Returns IDs of one session, with more of them after the end. */
  private static List<Long> drawUntil(AtomicBoolean ends, SqlServer database, String namespace)
      throws SQLException {
    List<Long> ids = new ArrayList<>();
    try (Connection connection = database.connect()) {
      do {
        ids.add(Long.parseLong(SqlServer.query(connection, SqlServer.drawing(namespace))));
      } while (!ends.get());
    }
    return ids;
  }

  @Test
  default void keepsTheWorkerReservedUntilItIsRemoved() throws Exception {
    SqlServer database = database();
    database.install("kept", LAYOUT);
    try (RegisterStore store = database.open();
        Connection old = database.connect()) {
      Namespace namespace = Namespace.of(store, "kept");
      database.reserve("kept", LAYOUT); // again, which changes nothing
      long id = database.draw("kept");
      Instant end = instant(id).plusMillis(1);
      assertThatThrownBy(() -> namespace.release(SqlServer.WORKER, end))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(
              database.isPostgres()
                  ? "worker 17 of kept makes IDs in SQL (expected: SELECT firn_remove('kept') "
                  : "`firn_remove_kept` failed for `firn`.`firn_register`");

      old.setAutoCommit(false);
      old.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
      SqlServer.query(old, "SELECT COUNT(*) FROM firn_sql"); // sees what was then
      String newest = database.query(database.call("firn_remove", "kept"));
      assertThat(Long.parseLong(newest)).isGreaterThanOrEqualTo(id);
      assertThat(namespace.release(SqlServer.WORKER, instant(Long.parseLong(newest))).reserved())
          .isTrue();
      assertThatThrownBy(() -> SqlServer.query(old, SqlServer.drawing("kept")))
          .isInstanceOf(SQLException.class);
      assertThatThrownBy(() -> database.draw("kept")).hasMessageContaining("namespace: kept ");
      assertThat(database.refusal("kept"))
          .startsWith("firn: worker: 17 of kept is reserved until 2")
          .contains("(expected: reserved for sql without an end. A free one: firn workers reserve");
    }
  }

  /** In MariaDB some names are compared without the case of letters. */
  @Test
  default void namespacesWithSimilarNamesDoNotShareSequences() throws Exception {
    SqlServer database = database();
    List<String> namespaces = List.of("twin_2", "twin", "twin_1", "Twin");
    for (String namespace : namespaces) {
      database.install(namespace, LAYOUT);
    }
    for (String namespace : namespaces) {
      long id = database.draw(namespace);
      assertThat(instant(id)).as(namespace).isBefore(database.clock().plusSeconds(40));
      try (RegisterStore store = database.open()) {
        Namespace reserved = Namespace.of(store, namespace);
        assertThatThrownBy(() -> reserved.release(SqlServer.WORKER, instant(id)))
            .as(namespace)
            .isInstanceOf(StoreException.class);
      }
    }
  }

  @Test
  default void removalReturnsAnIdThatNoDrawBesideItIsPast() throws Exception {
    SqlServer database = database();
    database.install("ended", LAYOUT);
    List<Callable<Long>> tasks = new ArrayList<>();
    CountDownLatch drawing = new CountDownLatch(4);
    for (int i = 0; i < 4; i++) {
      tasks.add(() -> newestUntilRefused(drawing, database, "ended"));
    }
    AtomicLong told = new AtomicLong();
    tasks.add(
        () -> {
          drawing.await();
          told.set(Long.parseLong(database.query(database.call("firn_remove", "ended"))));
          return 0L;
        });
    List<Long> newest = TestThreads.together(tasks);
    assertThat(newest).allMatch(id -> id <= told.get());
  }

  private static long newestUntilRefused(
      CountDownLatch drawing, SqlServer database, String namespace) throws SQLException {
    long newest = 0;
    try (Connection connection = database.connect()) {
      newest = Long.parseLong(SqlServer.query(connection, SqlServer.drawing(namespace)));
      drawing.countDown();
      while (true) {
        newest = Long.parseLong(SqlServer.query(connection, SqlServer.drawing(namespace)));
      }
    } catch (SQLException e) {
      if (newest == 0) {
        throw e;
      }
      return newest;
    }
  }

  @Test
  default void continuesPastTheOldIdsWhereItIsInstalledAgain() throws Exception {
    SqlServer database = database();
    database.install("again", LAYOUT);
    long before = database.draw("again");
    String unused = database.query(database.call("firn_remove", "again"));
    database.run(database.script("again"));
    assertThat(database.draw("again")).isGreaterThan(before);
  }

  @Test
  default void refusesDrawsIfTheRegisterIsGone() throws Exception {
    SqlServer database = database();
    database.install("gone", LAYOUT);
    database.setBack("gone", LAYOUT);
    database.deleteRegister("gone/worker/17");
    assertThatThrownBy(() -> database.draw("gone"))
        .hasMessageContaining("reserved")
        .hasMessageContaining("gone/worker/17, it has: nothing");
    assertThatThrownBy(() -> database.reopen("gone")).hasMessageContaining("it has: nothing");
  }
}
