package io.firn.cli;

import java.util.Arrays;
import java.util.Iterator;
import java.util.Locale;

/** A database that makes IDs in SQL. */
enum SqlDatabase {
  POSTGRES("jdbc:postgresql:", "jdbc:postgresql:"),
  MARIADB("jdbc:mariadb:", "jdbc:mysql:");

  private final String scheme;
  private final String otherScheme;

  SqlDatabase(String scheme, String otherScheme) {
    this.scheme = scheme;
    this.otherScheme = otherScheme;
  }

  static SqlDatabase of(String name) {
    return switch (name.toLowerCase(Locale.ROOT)) {
      case "postgres", "postgresql" -> POSTGRES;
      case "mariadb" -> MARIADB;
      default ->
          throw new IllegalArgumentException(
              "database: " + name + " (expected: postgres or mariadb)");
    };
  }

  /** Returns whether the address of a store may lead to such a database. */
  boolean isAddress(String store) {
    return store.startsWith(scheme) || store.startsWith(otherScheme);
  }

  String example() {
    return scheme + "//HOST/NAME";
  }

  /** The names of the databases. */
  static final class Labels implements Iterable<String> {

    @Override
    public Iterator<String> iterator() {
      return Arrays.stream(values()).map(SqlDatabase::label).iterator();
    }
  }

  String label() {
    return name().toLowerCase(Locale.ROOT);
  }
}
