package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** One statement to the database, and how its reply is read. */
record Query<T>(String sql, List<?> parameters, Reply reply, Reader<T> reader) {

  /** Reads the whole reply to a statement that was executed. */
  interface Reader<T> {
    T read(PreparedStatement executed) throws SQLException;
  }

  /**
   * Prepares the statement.
   *
   * @param limited the statement with its limits
   */
  PreparedStatement prepare(Connection connection, String limited) throws SQLException {
    PreparedStatement statement =
        reply == Reply.GENERATED_KEY
            ? connection.prepareStatement(limited, Statement.RETURN_GENERATED_KEYS)
            : connection.prepareStatement(limited);
    for (int i = 0; i < parameters.size(); i++) {
      statement.setObject(i + 1, parameters.get(i));
    }
    return statement;
  }
}
