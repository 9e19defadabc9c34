package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ErrorKindTest {

  @ParameterizedTest
  @CsvSource({
    "42501, REFUSED", // no right to it
    "42P01, REFUSED", // no such table
    "22021, REFUSED",
    "53100, REFUSED", // the disk is full
    "25006, REFUSED", // a replica
    "3D000, REFUSED",
    "40001, ROLLED_BACK",
    "40P01, ROLLED_BACK",
    "55P03, LOCKED",
    "23505, DUPLICATE",
    "23000, DUPLICATE",
    "40003, LOST", // the standard's own word for it
    "40002, LOST",
    "25S03, LOST", // the MariaDB driver is at another server
    "08000, LOST",
    "08003, LOST",
    "08006, LOST",
    "08007, LOST",
    "08S01, LOST",
    "57014, LOST",
    "57P01, LOST",
    "57P02, LOST",
    "XX000, LOST",
    "HY000, LOST",
    "HYT00, LOST",
    "70100, LOST",
    "4, LOST",
    "'', LOST",
  })
  void sqlStateDecidesTheKind(String state, ErrorKind kind) {
    for (Dialect dialect : Dialect.values()) {
      assertThat(ErrorKind.of(new SQLException("", state), dialect))
          .as("%s", dialect)
          .isEqualTo(kind);
    }
  }

  @ParameterizedTest
  @EnumSource(Dialect.class)
  void errorWithoutAStateIsALostConnection(Dialect dialect) {
    assertThat(ErrorKind.of(new SQLException(""), dialect)).isEqualTo(ErrorKind.LOST);
    assertThat(ErrorKind.of(new SQLTimeoutException("timed out"), dialect))
        .isEqualTo(ErrorKind.LOST);
    assertThat(ErrorKind.of(new SQLException("", null, 99_999), dialect)).isEqualTo(ErrorKind.LOST);
  }

  @ParameterizedTest
  @CsvSource({
    "MYSQL, HY000, 1205, LOCKED",
    "MARIADB, HY000, 1205, LOCKED",
    "MARIADB, HY000, 1020, ROLLED_BACK",
    "MARIADB, HY000, 1290, REFUSED",
    "MYSQL, HY000, 1836, REFUSED",
    "MYSQL, 23000, 1062, DUPLICATE",
    "MYSQL, 40001, 1213, ROLLED_BACK",
    "MYSQL, S1009, 0, REFUSED", // not sent: the driver fell over to a server only to read from
    "H2, HYT00, 50200, ROLLED_BACK",
    "H2, 90131, 90131, ROLLED_BACK",
    "H2, 90096, 90096, REFUSED",
    "H2, 90097, 90097, REFUSED",
    "H2, 90121, 90121, LOST", // closed
    "SQLSERVER, S0002, 208, REFUSED",
    "SQLSERVER, S0001, 207, REFUSED",
    "SQLSERVER, S0005, 229, REFUSED",
    "SQLSERVER, S0001, 230, REFUSED",
    "SQLSERVER, S0006, 262, REFUSED",
    "SQLSERVER, S0001, 2714, REFUSED",
    "SQLSERVER, S0001, 2760, REFUSED",
    "SQLSERVER, S0001, 3906, REFUSED",
    "SQLSERVER, S0051, 1222, LOCKED",
    "SQLSERVER, 40001, 1205, ROLLED_BACK",
    "SQLSERVER, 23000, 2627, DUPLICATE",
    "SQLSERVER, S0001, 596, LOST", // the session is killed
    "SQLSERVER, 08S01, 0, LOST",
    "SQLITE, , 5, ROLLED_BACK",
    "SQLITE, , 6, ROLLED_BACK",
    "SQLITE, , 1, REFUSED",
    "SQLITE, , 8, REFUSED",
    "SQLITE, , 10, LOST", // an error of the disk, which may come at the commit
    "SQLITE, , 13, LOST",
  })
  void errorNumberDecidesTheKindWithoutAStandardState(
      Dialect dialect, String state, int number, ErrorKind kind) {
    assertThat(ErrorKind.of(new SQLException("", state, number), dialect)).isEqualTo(kind);
  }

  @ParameterizedTest
  @CsvSource({
    "POSTGRESQL, 42P01, 0, true",
    "POSTGRESQL, 42501, 0, false",
    "POSTGRESQL, 42703, 0, false",
    "COCKROACHDB, 42P01, 0, true",
    "MYSQL, 42S02, 1146, true",
    "MYSQL, 42000, 1142, false",
    "MARIADB, 42S02, 1146, true",
    "MARIADB, 42000, 1142, false",
    "H2, 42S02, 42102, true",
    "H2, 42S03, 42103, true",
    "H2, 42S04, 42104, true",
    "H2, 42S22, 42122, false",
    "H2, 90096, 90096, false",
    "ORACLE, 42000, 942, true",
    "ORACLE, 42000, 1031, false", // insufficient privileges
    "ORACLE, 42000, 41900, false", // missing READ or SELECT privilege
    "ORACLE, 42000, 904, false", // invalid identifier
    "SQLSERVER, S0002, 208, true",
    "SQLSERVER, 42S02, 208, true", // with xopenStates=true
    "SQLSERVER, S0005, 229, false",
    "SQLSERVER, S0001, 207, false",
    "DB2, 42704, -204, true",
    "DB2, 42501, -551, false",
    "DB2, 42703, -206, false",
    "STANDARD, 42501, 0, true", // not known of it
  })
  void errorSaysThatThereIsNoTable(Dialect dialect, String state, int number, boolean absent) {
    assertThat(ErrorKind.saysNoTable(new SQLException("", state, number), dialect))
        .isEqualTo(absent);
  }

  @Test
  void numbersOfOneDatabaseSayNothingOfAnother() {
    SQLException failure = new SQLException("", "HY000", 1290);
    assertThat(ErrorKind.of(failure, Dialect.POSTGRESQL)).isEqualTo(ErrorKind.LOST);
    assertThat(ErrorKind.of(failure, Dialect.SQLITE)).isEqualTo(ErrorKind.LOST);
    assertThat(ErrorKind.of(new SQLException("", "HY000", 5), Dialect.MYSQL))
        .isEqualTo(ErrorKind.LOST);
  }
}
