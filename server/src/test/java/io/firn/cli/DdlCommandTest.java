package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.store.WriteResult.Outcome;
import io.firn.testservers.PostgresServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DdlCommandTest {

  private final Session session = new Session();

  @ParameterizedTest
  @CsvSource({
    "postgresql, value text",
    "cockroachdb, value text",
    "mysql, utf8mb4_0900_bin",
    "mariadb, utf8mb4_nopad_bin",
    "h2, varchar(65536)",
    "sqlite, version integer",
    "standard, varchar(4000)",
    "oracle, varchar2(4000)",
    "sqlserver, nvarchar(4000)",
    "db2, varchar(4000)"
  })
  void printsTheStatementOfEachDatabase(String database, String part) {
    assertThat(session.run("ddl", database)).isZero();
    assertThat(session.out())
        .startsWith("CREATE TABLE firn_register (\n")
        .contains(part)
        .endsWith(";\n");
  }

  @Test
  void refusesADatabaseAndATableThatItDoesNotKnow() {
    assertThat(session.run("ddl", "sybase")).isEqualTo(2);
    assertThat(session.err())
        .startsWith("firn: database: sybase (expected: one of postgresql, cockroachdb, mysql, ");
    Session other = new Session();
    assertThat(other.run("ddl", "h2", "--table", "a;b")).isEqualTo(2);
    assertThat(other.err())
        .startsWith("firn: table: a;b (expected: NAME or SCHEMA.NAME of letters, digits and _)");
  }

  @Test
  void tableOfTheStatementServesAStoreThatMakesNone() throws Exception {
    try (PostgresServer server = PostgresServer.start();
        RegisterStore store =
            RegisterStore.open(server.jdbcUrl() + "&ddl=false&timeout=20s&table=ids.registers")) {
      assertThatThrownBy(() -> store.compareAndSet("a", 0, "x"))
          .isInstanceOf(StoreException.class)
          .hasMessageContaining("CREATE TABLE ids.registers");

      assertThat(session.run("ddl", "postgresql", "--table", "ids.registers")).isZero();
      try (Connection connection = DriverManager.getConnection(server.jdbcUrl());
          Statement statement = connection.createStatement()) {
        statement.execute("CREATE SCHEMA ids");
        statement.execute(session.out());
      }

      assertThat(store.compareAndSet("a", 0, "x").outcome()).isEqualTo(Outcome.APPLIED);
    }
  }
}
