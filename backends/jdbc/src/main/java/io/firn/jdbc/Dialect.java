package io.firn.jdbc;

import java.sql.DatabaseMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The statements of a kind of database for the table of registers.
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

  /** Reports itself as PostgreSQL; it compares by bytes, and has no COLLATE "C" of a column. */
  COCKROACHDB(Reply.ROW, POSTGRESQL.micros, POSTGRESQL.ddl.replace(" COLLATE \"C\"", "")),

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

  /**
   * The statements that any other database should understand. A record of pages has at most 4,000
   * characters, any other less than 1,300.
   */
  STANDARD(
      Reply.COUNT,
      null,
      """
      CREATE TABLE %s (
        name varchar(200) NOT NULL PRIMARY KEY,
        version bigint NOT NULL,
        "VALUE" varchar(4000) NOT NULL
      )"""),

  /** An empty value is NULL to it, and refused; no record is empty. */
  ORACLE(
      Reply.COUNT,
      null,
      """
      CREATE TABLE %s (
        name varchar2(200 CHAR) NOT NULL PRIMARY KEY,
        version number(19) NOT NULL,
        "VALUE" varchar2(4000) NOT NULL
      )"""),

  SQLSERVER(
      Reply.COUNT,
      null,
      """
      CREATE TABLE %s (
        name nvarchar(200) COLLATE Latin1_General_100_BIN2 NOT NULL PRIMARY KEY,
        version bigint NOT NULL,
        "VALUE" nvarchar(4000) NOT NULL
      )"""),

  DB2(Reply.COUNT, null, STANDARD.ddl);

  /** The way in which the version that a write made comes back in the reply to that write. */
  enum Reply {
    /** A row with the version, or none. */
    ROW,
    /** A generated key with the version. */
    GENERATED_KEY,
    /** The number of rows that were written: the client knows their version. */
    COUNT
  }

  /** PostgreSQL, appendix A: warning, of no kind that has a state of its own. */
  private static final String WARNING = "01000";

  /** ISO/IEC 9075-2, SQLSTATE: statement completion unknown. */
  private static final String COMPLETION_UNKNOWN = "40003";

  private final Reply reply;
  private final @Nullable String micros;
  private final String ddl;

  Dialect(Reply reply, @Nullable String micros, String ddl) {
    this.reply = reply;
    this.micros = micros;
    this.ddl = ddl;
  }

  /**
   * Returns the expression of the database's identity: its start, and where there is one, the
   * timeline of its data and the table's own number. Null if it has none. The expression is NULL in
   * a cluster that replicates synchronously.
   *
   * <p>PostgreSQL refuses it on a standby. The difference of MariaDB's two times is exact, because
   * both are those of one statement.
   */
  @Nullable String identity(String table) {
    return switch (this) {
      case POSTGRESQL ->
          "concat_ws('/', CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS bigint),"
              + " substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),"
              + " CAST(to_regclass('"
              + table
              + "') AS oid))";
      case MARIADB ->
          "CASE WHEN @@wsrep_on THEN NULL ELSE CONCAT_WS('/', REPLACE(@@hostname, ' ', '-'),"
              + " @@server_id, UNIX_TIMESTAMP() - (SELECT CAST(variable_value AS SIGNED)"
              + " FROM information_schema.global_status WHERE variable_name = 'UPTIME')) END";
      default -> null;
    };
  }

  /** Returns the clause that locks the selected row until the commit. */
  String lock() {
    return this == MARIADB ? " LOCK IN SHARE MODE" : " FOR SHARE";
  }

  /** Returns how long a statement waits for locks: less than its call, so that a reply comes. */
  static long lockMillis(long timeoutMillis) {
    return Math.max(1, timeoutMillis * 3 / 4);
  }

  /**
   * Returns the statement that limits a transaction: the server ends its waits for locks, and ends
   * the transaction if its client sends nothing. The commit waits for the disk and for synchronous
   * replicas, unless the session demands more, and says if it did not: {@link #requireKept}. The
   * settings end with the transaction, so a pool's session stays as it was.
   */
  private static String postgreSqlLimits(long lockMillis) {
    return "SELECT set_config('lock_timeout', '"
        + lockMillis
        + "', true), set_config('idle_in_transaction_session_timeout', '"
        + lockMillis
        + "', true), set_config('client_min_messages', 'warning', true),"
        + " set_config('synchronous_commit',"
        + " CASE WHEN current_setting('synchronous_commit') IN ('off', 'local', 'remote_write')"
        + " THEN 'on' ELSE current_setting('synchronous_commit') END, true)";
  }

  /** Returns the settings that bound the waits for locks of rows and of the table. */
  static String mySqlLimits(long lockMillis) {
    long seconds = seconds(lockMillis);
    return "innodb_lock_wait_timeout=" + seconds + ",lock_wait_timeout=" + seconds;
  }

  private static long seconds(long millis) {
    return Math.max(1, TimeUnit.MILLISECONDS.toSeconds(millis));
  }

  /**
   * Returns a statement that waits for the locks of others only so long. MySQL has no limits for
   * one statement; {@link KnownDriver} sets up its sessions.
   *
   * <p>PostgreSQL locks the table of a statement before it evaluates any part of it, so a statement
   * before it sets the limits. The driver sends both in one round trip, as one transaction.
   */
  String limited(String statement, long lockMillis) {
    return switch (this) {
      case POSTGRESQL -> postgreSqlLimits(lockMillis) + "; " + statement;
      case MARIADB -> "SET STATEMENT " + mySqlLimits(lockMillis) + " FOR " + statement;
      default -> statement;
    };
  }

  /** Skips the reply to the limits of an executed statement, if there is one. */
  void skipReplyToLimits(PreparedStatement executed) throws SQLException {
    if (this == POSTGRESQL) {
      executed.getMoreResults();
    }
  }

  /**
   * Checks that a commit did not end before the standbys that it waits for have it: in PostgreSQL,
   * someone may cancel that wait. The commit then stays and succeeds, with a warning.
   *
   * @param warnings what came with the reply; null for nothing
   * @throws SQLException as an outcome that is unknown
   */
  void requireKept(@Nullable SQLWarning warnings) throws SQLException {
    for (SQLWarning each = warnings; each != null; each = each.getNextWarning()) {
      if (this == POSTGRESQL && WARNING.equals(each.getSQLState())) {
        throw new SQLException(each.getMessage(), COMPLETION_UNKNOWN, each);
      }
    }
  }

  /** Returns the dialect of the database that a connection leads to. */
  static Dialect of(Borrowed borrowed) throws SQLException {
    DatabaseMetaData database = borrowed.connection().getMetaData();
    Dialect named = named(database.getDatabaseProductName());
    // MySQL's own driver reports MariaDB as MySQL; only the version shows the difference.
    if (named == MYSQL && database.getDatabaseProductVersion().contains("MariaDB")) {
      return MARIADB;
    }
    if (named == POSTGRESQL && borrowed.ask(VERSION).startsWith("CockroachDB")) {
      return COCKROACHDB;
    }
    return named;
  }

  private static final Query<String> VERSION =
      new Query<>("SELECT version()", List.of(), Reply.ROW, Dialect::text);

  private static String text(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.getResultSet()) {
      rows.next();
      return rows.getString(1);
    }
  }

  private static Dialect named(String product) {
    return switch (product) {
      case "PostgreSQL" -> POSTGRESQL;
      case "MySQL" -> MYSQL;
      case "MariaDB" -> MARIADB;
      case "H2" -> H2;
      case "SQLite" -> SQLITE;
      case "Oracle" -> ORACLE;
      case "Microsoft SQL Server" -> SQLSERVER;
      default -> product.startsWith("DB2") ? DB2 : STANDARD;
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
    return ddl.contains("\"VALUE\"") ? "\"VALUE\"" : "value";
  }

  /**
   * Returns the condition that a name begins with a text; {@link #prefix} has its parameters. Where
   * the order of names is known to be that of their bytes, it is a part of the primary key's index.
   */
  String beginning(String text) {
    return switch (this) {
      case POSTGRESQL -> range("name COLLATE \"C\"", text);
      case MYSQL, MARIADB -> range("name", text);
      case SQLITE -> "instr(name, ?) = 1";
      case STANDARD, ORACLE, SQLSERVER, DB2 -> "name LIKE ? ESCAPE '!'";
      case COCKROACHDB, H2 -> "POSITION(? IN name) = 1";
    };
  }

  /** Returns the parameters of {@link #beginning} for a text. */
  List<String> prefix(String text) {
    return switch (this) {
      case POSTGRESQL, MYSQL, MARIADB ->
          Stream.concat(Stream.of(text), after(text).stream()).toList();
      case STANDARD, ORACLE, DB2 -> List.of(text.replaceAll("[!%_]", "!$0") + "%");
      case SQLSERVER -> List.of(text.replaceAll("[!%_\\[]", "!$0") + "%");
      case COCKROACHDB, H2, SQLITE -> List.of(text);
    };
  }

  private static String range(String name, String text) {
    return name + " >= ?" + (after(text).isPresent() ? " AND " + name + " < ?" : "");
  }

  /** Returns the first text past all that begin with another one; empty if there is none. */
  private static Optional<String> after(String text) {
    int end = text.length();
    while (end > 0) {
      int last = text.codePointBefore(end);
      end -= Character.charCount(last);
      if (last < Character.MAX_CODE_POINT) {
        int next = last + 1 == Character.MIN_SURROGATE ? Character.MAX_SURROGATE + 1 : last + 1;
        return Optional.of(text.substring(0, end) + Character.toString(next));
      }
    }
    return Optional.empty();
  }

  /**
   * Returns the INSERT statement. Its parameters are the name, the version if the database has no
   * clock for it, and the value.
   */
  String insert(String table) {
    String first = micros == null ? "?" : reported(micros);
    String insert =
        "INSERT INTO " + table + " (name, version, " + value() + ") VALUES (?, " + first + ", ?)";
    return switch (this) {
      case POSTGRESQL, COCKROACHDB -> insert + " ON CONFLICT DO NOTHING RETURNING version";
      case SQLITE -> insert + " ON CONFLICT DO NOTHING";
      case H2 -> finalTable(insert);
      default -> insert;
    };
  }

  /**
   * Returns the UPDATE statement. Its parameters are the value, the increment of a version that the
   * database's clock is behind, if the database has a clock for it, the name and the old version.
   */
  String update(String table) {
    String update =
        "UPDATE "
            + table
            + " SET "
            + value()
            + " = ?, version = "
            + next()
            + " WHERE name = ? AND version = ?";
    return switch (this) {
      case POSTGRESQL, COCKROACHDB -> update + " RETURNING version";
      case H2 -> finalTable(update);
      default -> update;
    };
  }

  /** Always larger than the version before, also if the clock steps back between two readings. */
  private String next() {
    return micros == null
        ? "version + 1"
        : reported(
            "GREATEST(version + CASE WHEN "
                + micros
                + " > version THEN 1 ELSE ? END, "
                + micros
                + ")");
  }

  /** MySQL and MariaDB put the latest argument of this function into the reply to a write. */
  private String reported(String version) {
    return reply == Reply.GENERATED_KEY ? "LAST_INSERT_ID(" + version + ")" : version;
  }

  private static String finalTable(String write) {
    return "SELECT version FROM FINAL TABLE (" + write + ")";
  }
}
