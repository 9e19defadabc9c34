package io.firn.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.IdLayout;
import io.firn.IdLayout.Kind;
import io.firn.WorkerSet;
import io.firn.lease.Namespace;
import io.firn.lease.WorkerEntry;
import io.firn.store.RegisterStore;
import io.firn.testservers.LocalServer;
import io.firn.testservers.MariaDbServer;
import io.firn.testservers.PostgresServer;
import io.firn.time.TimeSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A database that makes IDs, and the registers in it. */
record SqlServer(String name, LocalServer server, String url) {

  static final long WORKER = 17;
  static final IdLayout LAYOUT = IdLayout.CLASSIC;

  private static final Duration MAX_WAIT = Duration.ofMinutes(2);

  static SqlServer postgres() {
    PostgresServer server = PostgresServer.start("-c", "max_connections=120");
    return new SqlServer("postgres", server, server.jdbcUrl());
  }

  static SqlServer mariaDb() {
    // Without a binary log, others see a commit before it is on the disk.
    MariaDbServer server =
        MariaDbServer.start("--log-bin", "--sync-binlog=1", "--max-connections=120");
    return new SqlServer("mariadb", server, server.jdbcUrl());
  }

  boolean isPostgres() {
    return name.equals("postgres");
  }

  String store() {
    return url + "&timeout=7s";
  }

  RegisterStore open() {
    return RegisterStore.open(store());
  }

  void reserve(String namespace, IdLayout layout) {
    try (RegisterStore store = open()) {
      var unused =
          Namespace.of(store, namespace)
              .reserve(WorkerSet.of("" + WORKER), layout, "sql", WorkerEntry.NEVER, false);
    }
  }

  /** Returns what the command prints. */
  String script(String namespace, String... more) {
    Session session = new Session();
    assertThat(session.run(arguments(namespace, more))).as(session.err()).isZero();
    assertThat(session.err()).isEmpty();
    return session.out();
  }

  /** Returns why the command prints nothing. */
  String refusal(String namespace, String... more) {
    Session session = new Session();
    assertThat(session.run(arguments(namespace, more))).isEqualTo(2);
    assertThat(session.out()).isEmpty();
    return session.err();
  }

  private String[] arguments(String namespace, String... more) {
    List<String> all = new ArrayList<>(List.of("sql", name, "--namespace", namespace));
    all.addAll(List.of("--worker", "" + WORKER, "--store", store()));
    all.addAll(List.of(more));
    return all.toArray(String[]::new);
  }

  /** Reserves the worker ID in a new namespace, and runs the script. */
  void install(String namespace, IdLayout layout) throws SQLException {
    reserve(namespace, layout);
    run(script(namespace));
  }

  /** Runs a script as the database's own client does. */
  void run(String script) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : isPostgres() ? List.of(script) : statements(script)) {
        statement.execute(sql);
      }
    }
  }

  /** Parts a script at its delimiter, as the client mariadb does. */
  private static List<String> statements(String script) {
    List<String> statements = new ArrayList<>();
    String delimiter = ";";
    StringBuilder sql = new StringBuilder();
    for (String line : script.split("\n", -1)) {
      if (line.startsWith("DELIMITER ")) {
        delimiter = line.substring("DELIMITER ".length());
      } else if (line.endsWith(delimiter)) {
        statements.add(sql + line.substring(0, line.length() - delimiter.length()));
        sql.setLength(0);
      } else if (!line.startsWith("--")) {
        sql.append(line).append('\n');
      }
    }
    return statements;
  }

  Connection connect() throws SQLException {
    return DriverManager.getConnection(url);
  }

  void execute(String... statements) throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      for (String sql : statements) {
        statement.execute(sql);
      }
    }
  }

  /** Returns the first column of the first row, in a session of its own. */
  String query(String sql) throws SQLException {
    try (Connection connection = connect()) {
      return query(connection, sql);
    }
  }

  static String query(Connection connection, String sql) throws SQLException {
    try (Statement statement = connection.createStatement();
        ResultSet rows = statement.executeQuery(sql)) {
      assertThat(rows.next()).as(sql).isTrue();
      return rows.getString(1);
    }
  }

  long draw(String namespace) throws SQLException {
    return Long.parseLong(query(drawing(namespace)));
  }

  static String drawing(String namespace) {
    return "SELECT firn_next('" + namespace + "')";
  }

  void reopen(String namespace) throws SQLException {
    String unused = query(call("firn_reopen", namespace));
  }

  /** Calls what is a procedure in MariaDB. */
  String call(String procedure, String namespace) {
    return (isPostgres() ? "SELECT " : "CALL ") + procedure + "('" + namespace + "')";
  }

  /** Moves the word, as a crash does that takes back what was not on the disk. */
  void setWord(String namespace, long number) throws SQLException {
    if (isPostgres()) {
      String word = "SELECT setval('\"firn_word_" + namespace;
      execute(word + "\"', 0)", word + "_1\"', " + number + ")", word + "_2\"', " + number + ")");
      return;
    }
    String word = "ALTER SEQUENCE `firn_word_" + namespace;
    execute(word + "` RESTART " + number, word + "_1` RESTART 0", word + "_2` RESTART 0");
  }

  /** Moves the word to a minute before the clock, from where draws lift it; none was drawn yet. */
  void setBack(String namespace, IdLayout layout) throws SQLException {
    setWord(namespace, wordAt(clock().minusSeconds(60), layout));
  }

  /** Returns the first number of the word at a time. */
  static long wordAt(Instant time, IdLayout layout) {
    long tick = Duration.between(layout.epoch(), time).toMillis() / layout.tick().toMillis();
    return tick << layout.bits(Kind.SEQUENCE);
  }

  /** Deletes a register, also where a trigger keeps it. */
  void deleteRegister(String name) throws SQLException {
    String delete = "DELETE FROM firn_register WHERE name = '" + name + "'";
    if (isPostgres()) {
      String trigger = " TRIGGER firn_keep";
      execute(
          "ALTER TABLE firn_register DISABLE" + trigger,
          delete,
          "ALTER TABLE firn_register ENABLE" + trigger);
    } else {
      execute(delete);
    }
  }

  /** Takes away what the first reopening allowed beyond the lead; nothing was drawn yet. */
  void removeBase(String namespace) throws SQLException {
    String where = " SET base_tick = 0 WHERE namespace = '" + namespace + "'";
    if (isPostgres()) {
      execute("UPDATE firn_sql" + where, "SELECT firn_write()");
    } else {
      execute("UPDATE firn_sql_open" + where);
    }
  }

  /** Returns what the clock of the database shows. */
  Instant clock() {
    try (RegisterStore store = open()) {
      return Instant.ofEpochMilli(store.currentTimeMillis().orElseThrow());
    }
  }

  /** Returns the time of an ID of {@link #LAYOUT}. */
  static Instant instant(long id) {
    return LAYOUT.parse(id).instant();
  }

  /** Makes a table whose rows get IDs. */
  void createTable(String table, String namespace) throws SQLException {
    if (isPostgres()) {
      execute(
          "CREATE TABLE " + table + " (id bigint DEFAULT firn_next('" + namespace + "'), n int)");
      return;
    }
    execute(
        "CREATE TABLE " + table + " (id bigint NOT NULL DEFAULT 0, n int)",
        "CREATE TRIGGER "
            + table
            + "_id BEFORE INSERT ON "
            + table
            + " FOR EACH ROW SET NEW.id = IF(COALESCE(NEW.id, 0) = 0, firn_next('"
            + namespace
            + "'), NEW.id)");
  }

  /** Does what fails until the server is up again. */
  static void await(SqlAction action) {
    TimeSource time = TimeSource.system();
    long begin = time.nanoTime();
    while (true) {
      try {
        action.run();
        return;
      } catch (SQLException e) {
        if (time.nanoTime() - begin > MAX_WAIT.toNanos()) {
          throw new AssertionError(e);
        }
        time.parkNanos(Duration.ofMillis(50).toNanos());
      }
    }
  }

  interface SqlAction {
    void run() throws SQLException;
  }

  void stop() {
    server.close();
  }

  @Override
  public String toString() {
    return name;
  }
}
