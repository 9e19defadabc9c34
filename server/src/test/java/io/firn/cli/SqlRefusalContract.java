package io.firn.cli;

import static io.firn.cli.SqlServer.LAYOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.WorkerSet;
import io.firn.lease.LeaseConfig;
import io.firn.lease.Namespace;
import io.firn.lease.Watermark;
import io.firn.lease.WorkerEntry;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.WriteResult;
import org.junit.jupiter.api.Test;

/** What {@code firn sql} and its script refuse, and where they install. */
interface SqlRefusalContract {

  /** Returns the database of the test. */
  SqlServer database();

  @Test
  default void refusesAWorkerThatIsNotReservedForSql() throws Exception {
    SqlServer database = database();
    database.reserve("some", LAYOUT); // makes the table
    assertThat(database.refusal("none"))
        .startsWith("firn: namespace: none (expected: one with a layout; it is new. First: ")
        .contains("firn workers reserve 17 --namespace none --for sql --store 'jdbc:");
    try (RegisterStore store = database.open();
        Snowflake held =
            Snowflake.builder()
                .lease(LeaseConfig.builder(store, "held").instance("pod-7").worker(17).build())
                .build()) {
      assertThat(held.nextId()).isPositive();
      assertThat(database.refusal("held"))
          .startsWith("firn: worker: 17 of held is held, last of pod-7 (expected: reserved for");
      Namespace free = Namespace.of(store, "leaf");
      var unused = free.reserve(WorkerSet.of("17"), LAYOUT, "old Leaf", WorkerEntry.NEVER, false);
      assertThat(database.refusal("leaf"))
          .contains("17 of leaf is reserved for old Leaf (expected");
      assertThat(database.refusal("leaf", "--worker", "16"))
          .contains("worker: given twice (expected: once)");
    }
  }

  @Test
  default void refusesANamespaceWithAWatermark() throws Exception {
    SqlServer database = database();
    database.reserve("outbox", LAYOUT);
    String script = database.script("outbox");
    try (RegisterStore store = database.open()) {
      Watermark watermark = Watermark.of(store, "outbox");
      assertThatThrownBy(watermark::current).hasMessageContaining("is reserved for sql");
      // One that was begun before the worker was reserved.
      String begun = "firn-watermark/1 floor=2026-11-01T00:00:00Z before=2026-10-31T23:59:45Z";
      assertThat(store.compareAndSet("outbox/watermark", 0, begun + " everyMillis=500").outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
    }
    assertThat(database.refusal("outbox"))
        .startsWith(
            "firn: namespace: outbox (expected: one without a watermark, or --outside-watermark: ");
    assertThatThrownBy(() -> database.run(script)).hasMessageContaining("without a watermark");
    database.run(database.script("outbox", "--outside-watermark"));
    assertThat(database.draw("outbox")).isPositive();
  }

  @Test
  default void refusesANamespaceWhoseLayoutWasChanged() {
    SqlServer database = database();
    database.reserve("changed", LAYOUT);
    String change = " next=" + IdLayout.LEAF + " from=2026-11-01T00:00:00Z state=fixed change=1";
    try (RegisterStore store = database.open()) {
      Register before = store.read("changed/layout").orElseThrow();
      String text = before.value().replaceFirst("/\\d ", "/4 ");
      String layout = " layout=" + LAYOUT;
      String changed = text.replace(layout, layout + change);
      assertThat(store.compareAndSet(before.name(), before.version(), changed).outcome())
          .isEqualTo(WriteResult.Outcome.APPLIED);
    }
    assertThat(database.refusal("changed"))
        .startsWith(
            "firn: namespace: changed (expected: one whose layout was not changed; it has layout"
                + " leaf since 2026-11-01T00:00:00Z)");
  }

  @Test
  default void scriptRefusesAnotherDatabase() throws Exception {
    SqlServer database = database();
    database.reserve("elsewhere", LAYOUT);
    String script = database.script("elsewhere");
    assertThatThrownBy(() -> database.run(script.replace("elsewhere", "nowhere")))
        .hasMessageContaining("worker: 17 (expected: reserved in this database");
    assertThatThrownBy(() -> database.run(script.replace("41t+10w+12s@", "41t+11w+11s@")))
        .hasMessageContaining("layout: 41t+11w+11s@");
  }

  @Test
  default void installsIntoTheSchemaOfTheRegisters() throws Exception {
    SqlServer database = database();
    database.execute(database.isPostgres() ? "CREATE SCHEMA ids" : "CREATE DATABASE ids");
    SqlServer other =
        new SqlServer(database.name(), database.server(), database.url() + "&table=ids.registers");
    other.reserve("far", LAYOUT);
    database.run(other.script("far"));
    assertThat(Long.parseLong(database.query("SELECT ids.firn_next('far')"))).isPositive();
  }

  @Test
  default void refusesADatabaseThatMayForget() {
    SqlServer database = database();
    SqlServer forgets =
        new SqlServer(database.name(), database.server(), database.url() + "&may-forget=true");
    assertThat(forgets.refusal("a"))
        .contains("(expected: one that keeps what it acknowledged;")
        .contains("--allow-may-forget");
  }
}
