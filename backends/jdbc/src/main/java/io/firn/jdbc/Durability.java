package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import java.lang.System.Logger.Level;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * Reads the settings of a database that decide whether an acknowledged commit survives a crash, and
 * warns where a store is declared to keep what it acknowledged and the database is not set up to.
 */
final class Durability {

  private static final System.Logger LOGGER = System.getLogger(JdbcRegisterStore.class.getName());

  private Durability() {}

  /** Each setting, and the value that keeps a commit. */
  private static Map<String, String> expected(Dialect dialect) {
    return switch (dialect) {
      case POSTGRESQL -> Map.of("fsync", "on", "full_page_writes", "on");
      case MYSQL, MARIADB ->
          Map.of("innodb_flush_log_at_trx_commit", "1", "sync_binlog", "1", "log_bin", "1");
      default -> Map.of();
    };
  }

  /** Warns once for each setting that is not as it should be. */
  static void warn(Object store, Dialect dialect, Borrowed borrowed) throws SQLException {
    for (String lacking : lacking(dialect, borrowed)) {
      LOGGER.log(
          Level.WARNING,
          "store: "
              + store
              + " may lose acknowledged writes in a crash: "
              + lacking
              + "; change the setting, or declare may-forget=true");
    }
  }

  /** Returns the settings that are not as they should be, each with both values. */
  static List<String> lacking(Dialect dialect, Borrowed borrowed) throws SQLException {
    Map<String, String> expected = new TreeMap<>(expected(dialect));
    if (expected.isEmpty()) {
      return List.of();
    }
    List<String> names = List.copyOf(expected.keySet());
    boolean postgres = dialect == Dialect.POSTGRESQL;
    String select =
        names.stream()
            .map(name -> postgres ? "current_setting('" + name + "')" : "@@" + name)
            .collect(Collectors.joining(", ", "SELECT ", ""));
    List<String> values =
        borrowed.ask(
            new Query<>(select, List.of(), Reply.ROW, statement -> row(statement, names.size())));
    List<String> lacking = new ArrayList<>();
    for (int i = 0; i < names.size(); i++) {
      String wanted = expected.get(names.get(i));
      if (!values.get(i).equals(wanted)) {
        lacking.add(names.get(i) + ": " + values.get(i) + " (expected: " + wanted + ")");
      }
    }
    return lacking;
  }

  private static List<String> row(PreparedStatement statement, int columns) throws SQLException {
    try (ResultSet rows = statement.getResultSet()) {
      rows.next();
      List<String> values = new ArrayList<>();
      for (int i = 1; i <= columns; i++) {
        values.add(rows.getString(i));
      }
      return values;
    }
  }
}
