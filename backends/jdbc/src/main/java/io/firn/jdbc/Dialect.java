package io.firn.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * How a kind of database says what is asked of the table of registers.
 *
 * <p>Names are compared by their bytes: two that differ in case, in an accent or in a blank at the
 * end are two. Microseconds are counted from an epoch and never by way of a time zone's local time,
 * which comes twice in the hour after summer time.
 */
enum Dialect {
  POSTGRESQL(
      Reply.ROW,
      "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS bigint)",
      """
      CREATE TABLE %s (
        name varchar(200) COLLATE "C" PRIMARY KEY,
        version bigint NOT NULL,
        value text NOT NULL
      )"""),

  /** From 8.0.17 on, which has a binary collation that does not pad with blanks. */
  MYSQL(
      Reply.GENERATED_KEY,
      "TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(6))",
      """
      CREATE TABLE %s (
        name varchar(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin PRIMARY KEY,
        version bigint NOT NULL,
        value mediumtext CHARACTER SET utf8mb4 COLLATE utf8mb4_0900_bin NOT NULL
      ) ENGINE=InnoDB"""),

  MARIADB(
      Reply.GENERATED_KEY,
      MYSQL.micros,
      MYSQL.ddl.replace("utf8mb4_0900_bin", "utf8mb4_nopad_bin")),

  H2(
      Reply.ROW,
      "CAST(EXTRACT(EPOCH FROM CURRENT_TIMESTAMP(6)) * 1000000 AS bigint)",
      """
      CREATE TABLE %s (
        name varchar(200) PRIMARY KEY,
        version bigint NOT NULL,
        "VALUE" varchar(65536) NOT NULL
      )"""),

  SQLITE(
      Reply.COUNT,
      null,
      """
      CREATE TABLE %s (
        name text NOT NULL PRIMARY KEY,
        version integer NOT NULL,
        value text NOT NULL
      )"""),

  /** What any other database should understand. */
  STANDARD(
      Reply.COUNT,
      null,
      """
      CREATE TABLE %s (
        name varchar(200) NOT NULL PRIMARY KEY,
        version bigint NOT NULL,
        "VALUE" clob(65536) NOT NULL
      )""");

  /** How the version that a write made comes back in the reply to that write. */
  enum Reply {
    /** A row with the version, or none. */
    ROW,
    /** A generated key with the version. */
    GENERATED_KEY,
    /** How many rows were written: the client knows their version. */
    COUNT
  }

  private final Reply reply;
  private final @Nullable String micros;
  private final String ddl;

  Dialect(Reply reply, @Nullable String micros, String ddl) {
    this.reply = reply;
    this.micros = micros;
    this.ddl = ddl;
  }

  /** MySQL's own driver says MySQL of MariaDB too, and tells it only in the version. */
  static Dialect of(DatabaseMetaData database) throws SQLException {
    String name = database.getDatabaseProductName();
    if (name.equals("MySQL")) {
      return database.getDatabaseProductVersion().contains("MariaDB") ? MARIADB : MYSQL;
    }
    return switch (name) {
      case "PostgreSQL" -> POSTGRESQL;
      case "MariaDB" -> MARIADB;
      case "H2" -> H2;
      case "SQLite" -> SQLITE;
      default -> STANDARD;
    };
  }

  Reply reply() {
    return reply;
  }

  /** The database's clock in microseconds since 1970-01-01T00:00Z; null if it has none. */
  @Nullable String micros() {
    return micros;
  }

  String ddl(String table) {
    return String.format(Locale.ROOT, ddl, table);
  }

  /** The column's name, which the standard, unlike most databases, keeps for itself. */
  String value() {
    return this == H2 || this == STANDARD ? "\"VALUE\"" : "value";
  }

  /** Where in a name it is that a text begins, from 1 on. */
  String position() {
    return this == SQLITE ? "instr(name, ?)" : "POSITION(? IN name)";
  }

  /** Of a name and a value. */
  String insert(String table) {
    String first = micros == null ? "1" : told(micros);
    String insert =
        "INSERT INTO " + table + " (name, version, " + value() + ") VALUES (?, " + first + ", ?)";
    return switch (this) {
      case POSTGRESQL -> insert + " ON CONFLICT DO NOTHING RETURNING version";
      case SQLITE -> insert + " ON CONFLICT DO NOTHING";
      case H2 -> finalTable(insert);
      default -> insert;
    };
  }

  /** Of a value, where name and version are those. */
  String update(String table) {
    String next = micros == null ? "version + 1" : told("GREATEST(version + 1, " + micros + ")");
    String update =
        "UPDATE "
            + table
            + " SET "
            + value()
            + " = ?, version = "
            + next
            + " WHERE name = ? AND version = ?";
    return switch (this) {
      case POSTGRESQL -> update + " RETURNING version";
      case H2 -> finalTable(update);
      default -> update;
    };
  }

  /** MySQL and MariaDB put what this function was given last into the reply to a write. */
  private String told(String version) {
    return reply == Reply.GENERATED_KEY ? "LAST_INSERT_ID(" + version + ")" : version;
  }

  private static String finalTable(String write) {
    return "SELECT version FROM FINAL TABLE (" + write + ")";
  }
}
