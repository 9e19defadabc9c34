package io.firn.cli;

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

  /** Returns its name on the command line. */
  @Override
  public String toString() {
    return name().toLowerCase(Locale.ROOT);
  }
}
