package io.firn.jdbc;

import io.firn.jdbc.Dialect.Reply;
import io.firn.store.Binding;
import io.firn.store.Register;
import io.firn.store.Snapshot;
import io.firn.store.StoreRandom;
import io.firn.store.WriteResult;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Pattern;

/** The table of registers in one database, and all that is asked of it. */
record RegisterTable(Dialect dialect, String name) {

  private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,62}";
  private static final Pattern NAME = Pattern.compile("(" + IDENTIFIER + "\\.)?" + IDENTIFIER);

  /**
   * Returns the name if it is safe in a statement without quotes.
   *
   * @throws IllegalArgumentException if it cannot
   */
  static String requireName(String setting, String name) {
    if (!NAME.matcher(name).matches()) {
      throw new IllegalArgumentException(
          setting + ": " + name + " (expected: NAME or SCHEMA.NAME of letters, digits and _)");
    }
    return name;
  }

  /** The statement that makes the table. */
  String ddl() {
    return dialect.ddl(name);
  }

  Query<Boolean> creation() {
    return new Query<>(ddl(), List.of(), Reply.COUNT, executed -> true);
  }

  /** Selects no row, which fails unless the table is there and may be read, and answers that. */
  <T> Query<T> nothing(T answer) {
    return new Query<>(select("1 = 0"), List.of(), Reply.ROW, executed -> answer);
  }

  private String select(String condition) {
    return "SELECT name, version, " + dialect.value() + " FROM " + name + " WHERE " + condition;
  }

  Query<List<Register>> named(Set<String> names) {
    String places = String.join(", ", Collections.nCopies(names.size(), "?"));
    return registers("name IN (" + places + ")", names, names::contains);
  }

  Query<List<Register>> beginningWith(String prefix) {
    return registers(
        dialect.beginning(prefix), dialect.prefix(prefix), found -> found.startsWith(prefix));
  }

  /**
   * @param wanted says again what the condition says: elsewhere than in the databases that Firn is
   *     tested with, = may know no upper and lower case, and no blanks at the end
   */
  private Query<List<Register>> registers(
      String condition, Collection<String> parameters, Predicate<String> wanted) {
    return new Query<>(
        select(condition),
        List.copyOf(parameters),
        Reply.ROW,
        statement -> registers(statement, wanted));
  }

  private static List<Register> registers(PreparedStatement statement, Predicate<String> wanted)
      throws SQLException {
    List<Register> registers = new ArrayList<>();
    try (ResultSet rows = statement.getResultSet()) {
      while (rows.next()) {
        if (wanted.test(rows.getString(1))) {
          registers.add(new Register(rows.getString(1), rows.getLong(2), rows.getString(3)));
        }
      }
    }
    return registers;
  }

  /** Returns whether the kind of database has an identity; a cluster of it may have none. */
  boolean hasIdentity() {
    return dialect.identity(name) != null;
  }

  /** Reads registers, the identity and the clock in one statement. */
  Query<Optional<Snapshot>> snapshot(Set<String> names) {
    String places =
        names.isEmpty() ? "NULL" : String.join(", ", Collections.nCopies(names.size(), "?"));
    return new Query<>(
        "SELECT i.identity, i.micros, r.name, r.version, r.value FROM (SELECT "
            + dialect.identity(name)
            + " AS identity, "
            + dialect.micros()
            + " AS micros) i LEFT JOIN "
            + name
            + " r ON r.name IN ("
            + places
            + ")",
        List.copyOf(names),
        Reply.ROW,
        RegisterTable::snapshot);
  }

  private static Optional<Snapshot> snapshot(PreparedStatement statement) throws SQLException {
    List<Register> registers = new ArrayList<>();
    try (ResultSet rows = statement.getResultSet()) {
      rows.next();
      String identity = rows.getString(1);
      long millis = TimeUnit.MICROSECONDS.toMillis(rows.getLong(2));
      do {
        String register = rows.getString(3);
        if (register != null) {
          registers.add(new Register(register, rows.getLong(4), rows.getString(5)));
        }
      } while (rows.next());
      return identity == null
          ? Optional.empty()
          : Optional.of(new Snapshot(identity, millis, registers));
    }
  }

  /**
   * Asks whether a binding holds, and locks its register until the commit. One statement that
   * checks and writes would not do: it may see the register as it was before a change that is
   * committed by then.
   */
  Query<Boolean> holds(Binding binding) {
    return new Query<>(
        "SELECT version, "
            + dialect.identity(name)
            + " FROM "
            + name
            + " WHERE name = ?"
            + dialect.lock(),
        List.of(binding.register()),
        Reply.ROW,
        statement -> {
          try (ResultSet rows = statement.getResultSet()) {
            return rows.next()
                && rows.getLong(1) == binding.version()
                && binding.identity().equals(rows.getString(2));
          }
        });
  }

  /** Asks whether the identity is the one of a binding, whose register the write itself judges. */
  Query<Boolean> isIdentityOf(Binding binding) {
    return new Query<>(
        "SELECT " + dialect.identity(name),
        List.of(),
        Reply.ROW,
        statement -> {
          try (ResultSet rows = statement.getResultSet()) {
            return rows.next() && binding.identity().equals(rows.getString(1));
          }
        });
  }

  Query<WriteResult> compareAndSet(String register, long expectedVersion, String value) {
    if (expectedVersion == 0) {
      long first = StoreRandom.firstVersion();
      return write(
          dialect.insert(name),
          hasClock() ? List.of(register, value) : List.of(register, first, value),
          first);
    }
    long stride = StoreRandom.versionStride();
    return write(
        dialect.update(name),
        hasClock()
            ? List.of(value, stride, register, expectedVersion)
            : List.of(value, register, expectedVersion),
        expectedVersion + 1);
  }

  private Query<WriteResult> write(String sql, List<?> parameters, long countedVersion) {
    return new Query<>(
        sql, parameters, dialect.reply(), statement -> written(statement, countedVersion));
  }

  private WriteResult written(PreparedStatement statement, long countedVersion)
      throws SQLException {
    return switch (dialect.reply()) {
      case ROW -> {
        try (ResultSet rows = statement.getResultSet()) {
          yield rows.next() ? WriteResult.applied(rows.getLong(1)) : WriteResult.CONFLICT;
        }
      }
      case GENERATED_KEY ->
          statement.getUpdateCount() == 0 ? WriteResult.CONFLICT : keyed(statement);
      case COUNT ->
          statement.getUpdateCount() == 0
              ? WriteResult.CONFLICT
              : WriteResult.applied(countedVersion);
    };
  }

  /** Something between client and server may have taken the version out of the reply. */
  private static WriteResult keyed(PreparedStatement statement) throws SQLException {
    try (ResultSet keys = statement.getGeneratedKeys()) {
      return keys.next() ? WriteResult.applied(keys.getLong(1)) : WriteResult.UNKNOWN;
    }
  }

  boolean hasClock() {
    return dialect.micros() != null;
  }

  Query<OptionalLong> clockMillis() {
    return hasClock()
        ? new Query<>("SELECT " + dialect.micros(), List.of(), Reply.ROW, RegisterTable::millis)
        : nothing(OptionalLong.empty());
  }

  private static OptionalLong millis(PreparedStatement statement) throws SQLException {
    try (ResultSet rows = statement.getResultSet()) {
      rows.next();
      return OptionalLong.of(TimeUnit.MICROSECONDS.toMillis(rows.getLong(1)));
    }
  }
}
