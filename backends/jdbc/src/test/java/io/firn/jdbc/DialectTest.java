package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.jdbc.Dialect.Reply;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.store.StoreCall;
import io.firn.store.WriteResult;
import io.firn.store.WriteResult.Outcome;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The statements of databases that are not there: in H2 as far as it imitates them, and MySQL's in
 * MariaDB through MySQL's own driver, and CockroachDB's in PostgreSQL.
 */
class DialectTest {

  private final String table = TestDatabase.newTable();
  private final StoreCall call = new StoreCall("dialect", Duration.ofSeconds(30));

  @ParameterizedTest
  @CsvSource({
    "STANDARD, REGULAR",
    "ORACLE, Oracle",
    "SQLSERVER, MSSQLServer",
    "DB2, DB2",
  })
  void statementsAreThoseOfTheDatabase(Dialect dialect, String mode) throws SQLException {
    JdbcDataSource source = new JdbcDataSource();
    source.setURL("jdbc:h2:mem:" + table + ";DB_CLOSE_DELAY=-1;MODE=" + mode);
    String ddl = dialect.ddl(table);
    // H2 compares by bytes anyway, and knows no collation of a column.
    everyVerbWorks(dialect, source, ddl.replace(" COLLATE Latin1_General_100_BIN2", ""));
  }

  @Test
  void statementsOfMySqlRunInMariaDb() throws SQLException {
    String url = TestDatabase.MARIADB.url().replace("jdbc:mariadb:", "jdbc:mysql:");
    everyVerbWorks(Dialect.MYSQL, TestDatabase.source(url), Dialect.MARIADB.ddl(table));
  }

  @Test
  void statementsOfCockroachDbRunInPostgres() throws SQLException {
    everyVerbWorks(
        Dialect.COCKROACHDB, TestDatabase.POSTGRES.source(), Dialect.COCKROACHDB.ddl(table));
  }

  private void everyVerbWorks(Dialect dialect, DataSource source, String ddl) throws SQLException {
    RegisterTable registers = new RegisterTable(dialect, table);
    String longest = "x".repeat(4_000);
    try (Borrowed borrowed = new Borrowed(ConnectionSource.of(source), call, () -> call)) {
      borrowed.arrange();
      borrowed.limitLocks(dialect, 1_500);
      borrowed.ask(new Query<>(ddl, List.of(), Reply.COUNT, executed -> true));
      assertThat(borrowed.ask(registers.nothing(true))).isTrue();
      assertThat(borrowed.ask(registers.compareAndSet("a_", 5, "x")))
          .isEqualTo(WriteResult.CONFLICT);
      WriteResult first = borrowed.ask(registers.compareAndSet("a_", 0, "one"));
      assertThat(first.outcome()).isEqualTo(Outcome.APPLIED);
      WriteResult second = borrowed.ask(registers.compareAndSet("a_", first.version(), longest));
      assertThat(second.version()).isGreaterThan(first.version());
      assertThat(borrowed.ask(registers.compareAndSet("a_", first.version(), "x")))
          .isEqualTo(WriteResult.CONFLICT);
      for (String name : List.of("ab", "a%b", "a!b", "a[b", "[a", "\ud83d\ude00b")) {
        assertThat(borrowed.ask(registers.compareAndSet(name, 0, "x")).outcome())
            .isEqualTo(Outcome.APPLIED);
      }

      Register register = new Register("a_", second.version(), longest);
      assertThat(borrowed.ask(registers.named(Set.of("a_", "c")))).containsExactly(register);
      assertThat(borrowed.ask(registers.beginningWith("a_"))).containsExactly(register);
      for (String prefix : List.of("a%", "a!", "a[", "[", "\ud83d\ude00")) {
        assertThat(borrowed.ask(registers.beginningWith(prefix))).as(prefix).hasSize(1);
      }
      assertThat(borrowed.ask(registers.beginningWith("a"))).hasSize(5);
      assertThat(borrowed.ask(registers.beginningWith(""))).hasSize(7);
    }
  }

  /** Or each census of a small namespace would cost as much as all registers of the table. */
  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, POSTGRES, 'generate_series(1, 5000) AS seq', ANALYZE",
    "MARIADB, MARIADB, seq_1_to_5000, ANALYZE TABLE",
  })
  void scanReadsItsPartOfTheIndex(
      Dialect dialect, TestDatabase database, String numbers, String analyze) throws SQLException {
    RegisterTable registers = new RegisterTable(dialect, table);
    try (Connection connection = DriverManager.getConnection(database.url());
        Statement statement = connection.createStatement()) {
      statement.execute(dialect.ddl(table));
      statement.execute(
          "INSERT INTO "
              + table
              + " SELECT CONCAT('firn/other/worker/', seq), 1, 'x' FROM "
              + numbers);
      statement.execute(analyze + " " + table);
      Query<?> scan = registers.beginningWith("firn/orders/worker/");
      List<String> plan = new ArrayList<>();
      try (PreparedStatement explain = connection.prepareStatement("EXPLAIN " + scan.sql())) {
        for (int i = 0; i < scan.parameters().size(); i++) {
          explain.setObject(i + 1, scan.parameters().get(i));
        }
        ResultSet rows = explain.executeQuery();
        int columns = rows.getMetaData().getColumnCount();
        while (rows.next()) {
          for (int i = 1; i <= columns; i++) {
            plan.add(rows.getString(i));
          }
        }
      }
      assertThat(String.join("\n", plan)).containsAnyOf("Index Cond", "\nrange\n");
    }
  }

  @ParameterizedTest
  @EnumSource(TestDatabase.class)
  void scanFindsNamesAtTheEndsOfUnicode(TestDatabase database) {
    List<String> names = List.of("a/\ud7ffb", "a/\ue000", "a/\udbff\udfff\udbff\udfffb", "a0");
    try (RegisterStore store = RegisterStore.open(database.url() + "&table=" + table)) {
      names.forEach(name -> store.compareAndSet(name, 0, "x"));
      for (String prefix : List.of("", "a", "a/", "a/\ud7ff", "a/\udbff\udfff", "\udbff\udfff")) {
        assertThat(store.scan(prefix))
            .as(prefix)
            .extracting(Register::name)
            .containsExactlyInAnyOrderElementsOf(
                names.stream().filter(name -> name.startsWith(prefix)).toList());
      }
    }
  }
}
