package io.firn.examples.shardingsphere;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Orders over two databases; {@code sharding.yaml} says how, and who issues their keys. */
public final class ShardedOrders {

  private ShardedOrders() {}

  /** Inserts ten orders and prints the database of each. */
  public static void main(String[] args) throws SQLException {
    try (Connection connection =
            DriverManager.getConnection("jdbc:shardingsphere:classpath:sharding.yaml");
        Statement statement = connection.createStatement()) {
      statement.execute("create table orders (order_id bigint primary key, what varchar(20))");
      for (int i = 0; i < 10; i++) {
        insert(connection, "order " + i);
      }
    }
  }

  private static void insert(Connection connection, String what) throws SQLException {
    try (PreparedStatement statement =
        connection.prepareStatement(
            "insert into orders (what) values (?)", Statement.RETURN_GENERATED_KEYS)) {
      statement.setString(1, what);
      statement.executeUpdate();
      try (ResultSet keys = statement.getGeneratedKeys()) {
        keys.next();
        System.out.println(what + ": ds_" + keys.getLong(1) % 2);
      }
    }
  }
}
