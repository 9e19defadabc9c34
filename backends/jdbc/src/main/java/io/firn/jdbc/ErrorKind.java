package io.firn.jdbc;

import java.sql.SQLException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kind of an {@link SQLException} of a statement that was sent alone, in its own transaction:
 * what is known about the statement. An error that is not listed as certain is {@link #LOST}.
 */
enum ErrorKind {
  /** The database refused it: nothing was written, and nothing will be. */
  REFUSED,

  /** As {@link #REFUSED}, because of another transaction: a retry may succeed. */
  ROLLED_BACK,

  /** As {@link #REFUSED}: it waited for the lock of another transaction as long as it may. */
  LOCKED,

  /** As {@link #REFUSED}: there is a row with this name. */
  DUPLICATE,

  /** The connection, the reply or the server is gone: the outcome is unknown. */
  LOST;

  /** ISO/IEC 9075-2, SQLSTATE: integrity constraint violation. */
  private static final String INTEGRITY = "23";

  /**
   * ISO/IEC 9075-2, SQLSTATE: serialization failure; PostgreSQL's serialization_failure, MySQL's
   * and MariaDB's 1213 ER_LOCK_DEADLOCK, H2's DEADLOCK_1. Not the whole class 40: its 40003 is
   * "statement completion unknown".
   */
  private static final String SERIALIZATION = "40001";

  /** PostgreSQL, appendix A: deadlock_detected. */
  private static final String DEADLOCK = "40P01";

  /** PostgreSQL, appendix A: lock_not_available, also after lock_timeout. */
  private static final String LOCK_TIMEOUT = "55P03";

  /**
   * PostgreSQL, appendix A: read_only_sql_transaction, from a server that is a replica by now;
   * MySQL's 1792 ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION. Not the whole class 25: MariaDB's driver
   * says 25S03 when it has lost a server and connected to another.
   */
  private static final String READ_ONLY = "25006";

  /** MySQL Connector/J's own, before it sends: the connection is to a server only to read from. */
  private static final String CLIENT_REFUSAL = "S1009";

  /**
   * Classes in ISO/IEC 9075-2, SQLSTATE, and PostgreSQL, appendix A: data exception, invalid
   * authorization, invalid catalog, invalid schema, syntax error or access rule violation,
   * insufficient resources.
   */
  private static final Set<String> REFUSALS = Set.of("22", "28", "3D", "3F", "42", "53");

  static ErrorKind of(SQLException failure, Dialect dialect) {
    ErrorKind kind =
        switch (dialect) {
          case MYSQL, MARIADB ->
              CLIENT_REFUSAL.equals(failure.getSQLState())
                  ? REFUSED
                  : ofMySql(failure.getErrorCode());
          case H2 -> ofH2(failure.getErrorCode());
          case SQLITE -> ofSqlite(failure.getErrorCode());
          case SQLSERVER -> ofSqlServer(failure.getErrorCode());
          default -> null;
        };
    return kind == null ? ofState(failure.getSQLState()) : kind;
  }

  /**
   * Returns whether a refused read of a table says that there is none, or may say so.
   *
   * <p>The sources are the documentations of the databases. Oracle's error ORA-00942 and SQL
   * Server's MSSQLSERVER_208 may also say that the table is there and the user has no right to see
   * it. Oracle has ORA-01031 and, from 23ai on, ORA-41900 for other missing rights, SQL Server has
   * 229. Db2's SQLSTATE 42704 (SQLCODE -204) is an undefined object, and 42501 (-551) a missing
   * privilege. The errors of other databases are not known.
   */
  static boolean saysNoTable(SQLException refused, Dialect dialect) {
    int number = refused.getErrorCode();
    return switch (dialect) {
      case POSTGRESQL, COCKROACHDB -> "42P01".equals(refused.getSQLState()); // undefined_table
      case MYSQL, MARIADB -> number == 1146; // ER_NO_SUCH_TABLE
      case H2 -> number >= 42102 && number <= 42104; // TABLE_OR_VIEW_NOT_FOUND_1 and its variants
      case SQLITE -> String.valueOf(refused.getMessage()).contains("no such table");
      case ORACLE -> number == 942;
      case SQLSERVER -> number == 208;
      case DB2 -> "42704".equals(refused.getSQLState());
      case STANDARD -> true;
    };
  }

  private static ErrorKind ofState(@Nullable String state) {
    if (state == null || state.length() != 5) {
      return LOST;
    }
    String category = state.substring(0, 2);
    if (state.equals(SERIALIZATION) || state.equals(DEADLOCK)) {
      return ROLLED_BACK;
    }
    if (state.equals(LOCK_TIMEOUT)) {
      return LOCKED;
    }
    if (category.equals(INTEGRITY)) {
      return DUPLICATE;
    }
    return REFUSALS.contains(category) || state.equals(READ_ONLY) ? REFUSED : LOST;
  }

  /** Numbers of mysqld_error.h, for those that come with the state HY000, "general error". */
  private static @Nullable ErrorKind ofMySql(int number) {
    return switch (number) {
      case 1020 -> ROLLED_BACK; // ER_CHECKREAD, of MariaDB's innodb_snapshot_isolation
      case 1205 -> LOCKED; // ER_LOCK_WAIT_TIMEOUT
      case 1290 -> REFUSED; // ER_OPTION_PREVENTS_STATEMENT: --read-only
      case 1836 -> REFUSED; // ER_READ_ONLY_MODE
      default -> null;
    };
  }

  /** Numbers of org.h2.api.ErrorCode, for those whose state is no standard one. */
  private static @Nullable ErrorKind ofH2(int number) {
    return switch (number) {
      case 50200 -> ROLLED_BACK; // LOCK_TIMEOUT_1
      case 90131 -> ROLLED_BACK; // CONCURRENT_UPDATE_1
      case 90096, 90097 -> REFUSED; // NOT_ENOUGH_RIGHTS_FOR_1, DATABASE_IS_READ_ONLY
      default -> null;
    };
  }

  /**
   * Numbers of sys.messages (Microsoft, "Database engine events and errors"): the state that the
   * driver gives to most of them is no standard one, as S0002.
   */
  private static @Nullable ErrorKind ofSqlServer(int number) {
    return switch (number) {
      case 207, 208 -> REFUSED; // Invalid column name, Invalid object name
      case 229, 230, 262 -> REFUSED; // permission denied on an object, a column, in a database
      case 1222 -> LOCKED; // Lock request time out period exceeded
      case 2714, 2760 -> REFUSED; // There is already an object; the schema does not exist
      case 3906 -> REFUSED; // the database is read-only
      default -> null;
    };
  }

  /** Result codes of sqlite3.h; its driver gives no state. */
  private static @Nullable ErrorKind ofSqlite(int code) {
    return switch (code) {
      case 1, 8, 14, 19 -> REFUSED; // SQLITE_ERROR, _READONLY, _CANTOPEN, _CONSTRAINT
      case 5, 6 -> ROLLED_BACK; // SQLITE_BUSY, SQLITE_LOCKED: after it waited for busy_timeout
      default -> null;
    };
  }
}
