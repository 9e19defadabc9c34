package io.firn.cli;

import io.firn.IdLayout;
import io.firn.WorkerSet;
import io.firn.store.StoreUri;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Locale;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A system whose processes have worker numbers, and where it keeps them. */
enum OldSystem {

  /** CosId: a row of the table {@code cosid_machine} for each machine of a namespace. */
  COSID("CosId", "cosid") {
    @Override
    WorkerSet read(String source, @Nullable String group) {
      if (group == null) {
        throw new BadInput("group: not set (expected: CosId's namespace, with --group)");
      }
      return query(source, "select machine_id from cosid_machine where namespace = ?", group);
    }
  },

  /** Baidu's UidGenerator: a row of {@code WORKER_NODE} for each start of a process. */
  UID_GENERATOR("UidGenerator", "baidu") {
    @Override
    WorkerSet read(String source, @Nullable String group) {
      return query(source, "select ID from WORKER_NODE", null);
    }
  },

  /** Worker numbers that are known, as from configuration files. */
  LIST("an old system", null) {
    @Override
    WorkerSet read(String source, @Nullable String group) {
      return WorkerSet.of(source);
    }
  };

  private final String title;
  private final @Nullable String layout;

  OldSystem(String title, @Nullable String layout) {
    this.title = title;
    this.layout = layout;
  }

  /** Reads the worker numbers that it has given out. */
  abstract WorkerSet read(String source, @Nullable String group);

  /** Returns its name for people. */
  String title() {
    return title;
  }

  /** Returns the layout that it has unless it is configured. */
  Optional<IdLayout> layout() {
    return Optional.ofNullable(layout).map(IdLayout::of);
  }

  String label() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  static OldSystem of(String text) {
    for (OldSystem system : values()) {
      if (system.label().equals(text)) {
        return system;
      }
    }
    throw new IllegalArgumentException(
        "system: " + text + " (expected: cosid, uid-generator or list)");
  }

  private static WorkerSet query(String source, String sql, @Nullable String parameter) {
    StoreUri uri = StoreUri.parse(source);
    uri.require(uri.scheme().equals("jdbc"), "jdbc:DATABASE://HOST/NAME");
    Properties login = new Properties();
    uri.user().ifPresent(user -> login.setProperty("user", user));
    uri.password().ifPresent(password -> login.setProperty("password", password));
    String url = uri.without("user", "password", "password-env", "password-file", "timeout");
    try (Connection connection = DriverManager.getConnection(url, login);
        PreparedStatement statement = connection.prepareStatement(sql)) {
      if (parameter != null) {
        statement.setString(1, parameter);
      }
      LongStream.Builder workers = LongStream.builder();
      try (ResultSet rows = statement.executeQuery()) {
        while (rows.next()) {
          workers.add(rows.getLong(1));
        }
      }
      return WorkerSet.of(workers.build());
    } catch (SQLException e) {
      throw new IllegalStateException("source: " + uri + ": " + e.getMessage(), e);
    }
  }
}
