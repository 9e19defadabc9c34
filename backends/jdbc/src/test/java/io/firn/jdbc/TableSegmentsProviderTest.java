package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.segment.Segment;
import io.firn.segment.SegmentRefusedException;
import io.firn.segment.SegmentSource;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.StoreException;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Segments by the address of a table. */
@Timeout(120)
class TableSegmentsProviderTest {

  private final String database = "jdbc:h2:mem:" + UUID.randomUUID() + ";DB_CLOSE_DELAY=-1";

  private void execute(String... statements) throws Exception {
    try (var connection = java.sql.DriverManager.getConnection(database);
        var statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  @Test
  void opensTheTableOfLeaf() throws Exception {
    execute(
        "CREATE TABLE leaf_alloc (biz_tag varchar(128) PRIMARY KEY, max_id bigint, step int)",
        "INSERT INTO leaf_alloc VALUES ('orders', 7215051, 100)");
    try (SegmentSource source = SegmentSource.open("leaf:" + database)) {
      assertThat(source.next("orders", 10)).isEqualTo(Segment.of(7_215_051, 100));
      assertThatThrownBy(() -> source.next("bills", 10))
          .isInstanceOf(SegmentRefusedException.class)
          .hasMessageContaining("key: bills in ")
          .hasMessageEndingWith("(expected: one that is known)");
    }
  }

  @Test
  void opensATableOnAThreadWhoseClassLoaderSeesNoProvider() {
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    thread.setContextClassLoader(ClassLoader.getPlatformClassLoader());
    try (SegmentSource source = SegmentSource.open("leaf:" + database)) {
      assertThat(source).isInstanceOf(LeafSegments.class);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void opensTheTableOfTinyid() throws Exception {
    execute(
        """
        CREATE TABLE tiny_id_info (id bigint PRIMARY KEY, biz_type varchar(63), begin_id bigint,
          max_id bigint, step int, delta int, remainder int, create_time timestamp,
          update_time timestamp, version bigint)""",
        "INSERT INTO tiny_id_info VALUES (1, 'orders', 1, 10, 100, 2, 1, NULL, NULL, 1)");
    try (SegmentSource source = SegmentSource.open("tinyid:" + database)) {
      assertThat(source.next("orders", 10)).isEqualTo(new Segment(11, 50, 2));
    }
  }

  /** A driver would make the database of an address that is mistyped. */
  @ParameterizedTest
  @ValueSource(strings = {"leaf:jdbc:h2:", "pooled:jdbc:h2:file:", "tinyid:jdbc:sqlite:"})
  void makesNoDatabase(String scheme, @TempDir Path directory) {
    Path missing = directory.resolve("missing");
    try (SegmentSource source = SegmentSource.open(scheme + missing)) {
      assertThatThrownBy(() -> source.next("orders", 10))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining(
              "no file " + missing + (scheme.contains("h2") ? ".mv.db" : "") + " is there");
    }
    assertThat(directory).isEmptyDirectory();
  }

  @Test
  void aMissingTableIsRefusedAtOnce() throws Exception {
    execute("SELECT 1"); // makes the database
    try (SegmentSource source = SegmentSource.open("leaf:" + database)) {
      assertThatThrownBy(() -> source.next("orders", 10))
          .isInstanceOf(SegmentRefusedException.class)
          .hasMessageStartingWith("table: ")
          .hasMessageContaining("LEAF_ALLOC")
          .hasMessageEndingWith("(expected: one that is there; nothing makes it)");
    }
    try (SegmentSource source = SegmentSource.open("leaf:jdbc:sqlite::memory:")) {
      assertThatThrownBy(() -> source.next("orders", 10))
          .isInstanceOf(SegmentRefusedException.class)
          .hasMessageStartingWith("database: SQLite in ");
    }
  }

  @Test
  void anotherAddressIsThatOfAStore() {
    try (SegmentSource source = SegmentSource.open("memory:")) {
      assertThat(source).hasToString("memory:");
    }
    try (SegmentSource source = SegmentSource.of(new InMemoryRegisterStore())) {
      assertThat(source.next("orders", 10).count()).isEqualTo(10);
    }
    assertThatThrownBy(() -> SegmentSource.open("leaf:redis://localhost"))
        .hasMessage("source: leaf:redis://localhost (expected: leaf:jdbc:DATABASE://HOST/NAME)");
    assertThatThrownBy(() -> SegmentSource.open("laef:jdbc:h2:mem:x"))
        .hasMessageStartingWith("store: laef:");
  }
}
