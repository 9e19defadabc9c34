package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;

/** One statement to the database, and how its reply is read. */
record Query<T>(String sql, List<?> parameters, Reply reply, Execution<T> execution) {

  /** Sends a statement that is ready and reads the whole reply. */
  interface Execution<T> {
    T execute(PreparedStatement statement) throws SQLException;
  }

  PreparedStatement prepare(Connection connection) throws SQLException {
    PreparedStatement statement =
        reply == Reply.GENERATED_KEY
            ? connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS)
            : connection.prepareStatement(sql);
    for (int i = 0; i < parameters.size(); i++) {
      statement.setObject(i + 1, parameters.get(i));
    }
    return statement;
  }
}
