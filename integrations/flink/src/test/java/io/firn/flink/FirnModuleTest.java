package io.firn.flink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.block.IdBlocks;
import io.firn.block.PlacedIds;
import io.firn.block.PlacedIds.Place;
import io.firn.store.FileRegisterStore;
import io.firn.store.RegisterStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.flink.table.api.EnvironmentSettings;
import org.apache.flink.table.api.TableEnvironment;
import org.apache.flink.types.Row;
import org.apache.flink.util.CloseableIterator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** IDs in SQL. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
final class FirnModuleTest {

  private static final int ROWS = 500;

  @TempDir Path directory;
  private TableEnvironment tables;

  private void open(boolean batch) throws Exception {
    EnvironmentSettings.Builder settings = EnvironmentSettings.newInstance();
    tables =
        TableEnvironment.create(
            (batch ? settings.inBatchMode() : settings.inStreamingMode()).build());
    tables.getConfig().set("parallelism.default", "2");
    tables.executeSql(
        "LOAD MODULE firn WITH ('store' = 'file:"
            + directory.resolve("ids")
            + "', 'block-size' = '100')");
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < ROWS; i++) {
      lines.add(Integer.toString(i));
    }
    Files.write(directory.resolve("orders.csv"), lines);
    tables.executeSql(
        "CREATE TABLE lines (line STRING) WITH ('connector' = 'filesystem', 'format' = 'raw',"
            + " 'path' = '"
            + directory.resolve("orders.csv").toUri()
            + "')");
    tables.executeSql(
        "CREATE TEMPORARY VIEW orders AS SELECT CAST(line AS BIGINT) AS number FROM lines");
  }

  @SuppressWarnings("try") // closing may be interrupted
  private List<Row> rows(String query) throws Exception {
    List<Row> rows = new ArrayList<>();
    try (CloseableIterator<Row> result = tables.executeSql(query).collect()) {
      result.forEachRemaining(rows::add);
    }
    return rows;
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void everyRowHasANewIdWhereverItIsUsed(boolean batch) throws Exception {
    open(batch);
    String query =
        "SELECT id, id + 1, number FROM (SELECT firn_id('orders') AS id, number FROM orders)"
            + " WHERE id > 0";
    Set<Object> seen = new HashSet<>();
    for (int run = 0; run < 2; run++) {
      List<Row> rows = rows(query);
      assertThat(rows).hasSize(ROWS);
      for (Row row : rows) {
        assertThat(row.getField(1)).isEqualTo((Long) row.getField(0) + 1);
        seen.add(row.getField(0));
      }
    }
    assertThat(seen).hasSize(2 * ROWS);
  }

  @Test
  void aConstantNamespaceIsNoConstantId() throws Exception {
    open(true);
    List<Row> rows = rows("SELECT firn_id('orders') FROM (VALUES (1), (2), (3)) AS t(n)");
    assertThat(new HashSet<>(rows)).hasSize(3);
  }

  /** Flink takes equal parts of a plan for one, so that two rows would have one ID. */
  @Test
  void equalPartsOfAStatementHaveIdsOfTheirOwnWithoutReuse() throws Exception {
    open(true);
    tables.getConfig().set("table.optimizer.reuse-sub-plan-enabled", "false");
    String part = "SELECT firn_id('orders') FROM orders";
    assertThat(new HashSet<>(rows(part + " UNION ALL " + part))).hasSize(2 * ROWS);
  }

  /** Flink would withdraw a row with another ID than it had. */
  @Test
  void rowsThatChangeAreRefusedWhereFlinkIsToldTo() throws Exception {
    open(false);
    tables.getConfig().set("table.optimizer.non-deterministic-update.strategy", "TRY_RESOLVE");
    assertThatThrownBy(
            () ->
                rows(
                    "SELECT firn_id('orders'), m, c FROM (SELECT MOD(number, 7) AS m, COUNT(*) AS c"
                        + " FROM orders GROUP BY MOD(number, 7))"))
        .hasStackTraceContaining("non-deterministic function: firn_id");
  }

  @Test
  void aPlaceHasTheSameIdInEveryRun() throws Exception {
    open(true);
    String query =
        "SELECT number, firn_stable_id('orders', 'load', 'topic', CAST(MOD(number, 3) AS INT),"
            + " number / 3) FROM orders ORDER BY number";
    List<Row> first = rows(query);
    assertThat(rows(query)).isEqualTo(first);
    Set<Object> ids = new HashSet<>();
    try (RegisterStore store = FileRegisterStore.open(directory.resolve("ids"))) {
      PlacedIds placed = PlacedIds.of(IdBlocks.of(store, "orders"), "load", 100);
      for (Row row : first) {
        long number = (Long) row.getField(0);
        long id = placed.idOf(new Place("topic", (int) (number % 3), ""), number / 3);
        assertThat(row.getField(1)).isEqualTo(id);
        ids.add(id);
      }
    }
    assertThat(ids).hasSize(ROWS);
  }

  @Test
  void whatIsMissingIsRefused() throws Exception {
    TableEnvironment empty = TableEnvironment.create(EnvironmentSettings.inBatchMode());
    assertThatThrownBy(() -> empty.executeSql("LOAD MODULE firn")).hasStackTraceContaining("store");
    assertThatThrownBy(
            () ->
                empty.executeSql("LOAD MODULE firn WITH ('store' = 'memory:', 'block-size' = '0')"))
        .hasStackTraceContaining("block-size: 0 (expected: 1..1099511627776)");
    open(true);
    assertThatThrownBy(
            () -> rows("SELECT firn_stable_id('orders', 'load', 'topic', 0, CAST(NULL AS BIGINT))"))
        .hasStackTraceContaining("NULL among its arguments");
  }
}
