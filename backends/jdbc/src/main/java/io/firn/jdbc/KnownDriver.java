package io.firn.jdbc;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** What must be known of a driver to open a database by its URL alone. */
enum KnownDriver {
  POSTGRESQL("org.postgresql:postgresql"),
  MYSQL("com.mysql:mysql-connector-j"),
  MARIADB("org.mariadb.jdbc:mariadb-java-client"),
  H2("com.h2database:h2"),
  SQLITE("org.xerial:sqlite-jdbc");

  private final String artifact;

  KnownDriver(String artifact) {
    this.artifact = artifact;
  }

  static Optional<KnownDriver> of(String url) {
    return Stream.of(values())
        .filter(
            driver ->
                url.regionMatches(true, 5, driver.name() + ":", 0, driver.name().length() + 1))
        .findFirst();
  }

  /** Where it is found: group and artifact. */
  String artifact() {
    return artifact;
  }

  /**
   * Settings without which connecting may take for ever, or a commit be lost with the power.
   *
   * @param leftMillis how long connecting may take
   * @param timeoutMillis how long a call may take
   */
  Map<String, String> settings(long leftMillis, long timeoutMillis) {
    return switch (this) {
      case POSTGRESQL ->
          Map.of(
              "loginTimeout", leftMillis / 1000.0 + "",
              "connectTimeout", (leftMillis + 999) / 1000 + "");
      // Of several hosts that are all down, these drivers try one after the other, 120 times.
      case MYSQL, MARIADB ->
          Map.of(
              "connectTimeout", leftMillis + "",
              "socketTimeout", leftMillis + "",
              "retriesAllDown", "3");
      case H2 -> Map.of();
      // EXTRA makes a commit last in every journal mode, FULL only in that of a write-ahead log.
      case SQLITE -> Map.of("synchronous", "EXTRA", "busy_timeout", timeoutMillis + "");
    };
  }
}
