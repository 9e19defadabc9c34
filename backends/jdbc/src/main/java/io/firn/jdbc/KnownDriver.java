package io.firn.jdbc;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The facts that must be known of a driver to open a database by its URL alone. */
enum KnownDriver {
  POSTGRESQL("org.postgresql:postgresql", "org.postgresql.Driver"),
  MYSQL("com.mysql:mysql-connector-j", "com.mysql.cj.jdbc.Driver"),
  MARIADB("org.mariadb.jdbc:mariadb-java-client", "org.mariadb.jdbc.Driver"),
  H2("com.h2database:h2", "org.h2.Driver"),
  SQLITE("org.xerial:sqlite-jdbc", "org.sqlite.JDBC");

  private static final Pattern HOSTS = Pattern.compile("//([^/?]*)");

  /** Neither {@code :memory:} nor a URI of SQLite's own. */
  private static final Pattern SQLITE_FILE =
      Pattern.compile("(?i)jdbc:sqlite:(?!file:|:)([^?]+).*");

  private static final Pattern SQLITE_URI = Pattern.compile("(?i)jdbc:sqlite:file:");

  private static final String OWN_DATABASE =
      ", because each connection would have a database of its own";

  /** Neither a server, nor memory, nor another kind of file. */
  private static final Pattern H2_FILE =
      Pattern.compile("(?i)jdbc:h2:(?:file:)?(?![a-z]{2,}:)([^;?]+).*");

  private static final String HOME = System.getProperty("user.home", "~");

  /** The parts of one host, as in {@code (host=a,port=1)}. */
  private static final Pattern PARTS = Pattern.compile("\\([^)]*\\)");

  /** Each connection to it has a database of its own. */
  private static final Pattern H2_NAMELESS =
      Pattern.compile("(?i)jdbc:h2:(?:(?:tcp|ssl)://[^/;?]*/)?mem:(?:[;?].*)?");

  private static final Pattern H2_MEMORY = Pattern.compile("(?i)jdbc:h2:(?:nio)?mem[a-z]*:.*");

  /** A host in brackets, whose colons begin no port. */
  private static final Pattern NUMERIC_HOST = Pattern.compile("\\[[^]]*]");

  private static final Pattern NO_PORT =
      Pattern.compile("//[^/(]*:(?![0-9]{1,5}(?:[,/]|$)).*", Pattern.DOTALL);

  /** A user or a password among the parts of a host, as in {@code (host=a,user=b)}. */
  private static final Pattern ACCOUNT_IN_PARTS =
      Pattern.compile("(?i)[(,]\\s*(?:user|[^=(),]*(?:password|%)[^=(),]*)\\s*=");

  private static final Pattern H2_SERVER = Pattern.compile("(?i)jdbc:h2:(tcp|ssl):");

  /** The setting that H2 takes from its administrator only. */
  static final String OF_ADMINISTRATOR = "TRACE_LEVEL_FILE";

  private static final Pattern H2_TRACE = Pattern.compile("(?i);(?:TRACE_LEVEL_FILE|USER)=");
  private static final Pattern H2_TIMEOUT = Pattern.compile("(?i);NETWORK_TIMEOUT=");

  private final String artifact;
  private final String className;

  KnownDriver(String artifact, String className) {
    this.artifact = artifact;
    this.className = className;
  }

  static Optional<KnownDriver> of(String url) {
    return Stream.of(values())
        .filter(
            driver ->
                url.regionMatches(true, 5, driver.name() + ":", 0, driver.name().length() + 1))
        .findFirst();
  }

  /**
   * Loads the driver if it is there, so that it registers itself: DriverManager looks for drivers
   * once in a JVM, not again for a later job or application.
   */
  void load() {
    try {
      Class.forName(className);
    } catch (ClassNotFoundException | LinkageError e) {
      // DriverManager may know another one for the URL
    }
  }

  /** The Maven coordinates: group and artifact. */
  String artifact() {
    return artifact;
  }

  /**
   * Returns whether a user or a password may be before the parameters of a URL. A driver prints the
   * parts that it does not understand. A file may have any name.
   */
  boolean mayHaveSecretBeforeParameters(String url) {
    boolean isOfServer =
        switch (this) {
          case POSTGRESQL, MYSQL, MARIADB -> true;
          case H2 -> H2_SERVER.matcher(url).lookingAt();
          case SQLITE -> false;
        };
    String servers = url.split(this == H2 ? "[;?]" : "\\?", 2)[0];
    return isOfServer
        && (servers.contains("@")
            || ACCOUNT_IN_PARTS.matcher(servers).find()
            || NO_PORT.matcher(NUMERIC_HOST.matcher(servers).replaceAll("")).find());
  }

  /**
   * Returns what is expected of a URL, if each connection to it would have a database of its own or
   * might have one: it would show every worker ID as free.
   */
  Optional<String> expectedForm(String url) {
    return switch (this) {
      case POSTGRESQL, MYSQL, MARIADB -> Optional.empty();
      case H2 ->
          H2_NAMELESS.matcher(url).matches()
              ? Optional.of("jdbc:h2:mem:NAME" + OWN_DATABASE)
              : Optional.empty();
      case SQLITE -> {
        if (file(url).isPresent()) {
          yield Optional.empty();
        }
        yield Optional.of(
            SQLITE_URI.matcher(url).lookingAt()
                ? "jdbc:sqlite:FILE with the path without file:, because parameters of a URI may"
                    + " make it a database in memory"
                : "jdbc:sqlite:FILE" + OWN_DATABASE);
      }
    };
  }

  /** Returns whether the database ends with this process, or before it. */
  boolean isInMemory(String url) {
    return this == H2 && H2_MEMORY.matcher(url).matches();
  }

  /**
   * Returns the settings without which a connection may never be made or a call never end, a commit
   * may be lost with the power, or a failover be missed.
   *
   * @param url the address with all settings of the driver in it
   * @param leftMillis how long connecting may take
   * @param timeoutMillis how long a call may take
   */
  Map<String, String> settings(String url, long leftMillis, long timeoutMillis) {
    Map<String, String> settings = new HashMap<>();
    switch (this) {
      case POSTGRESQL -> {
        settings.put("loginTimeout", leftMillis / 1000.0 + "");
        settings.put("connectTimeout", (leftMillis + 999) / 1000 + "");
        if (hosts(url) > 1) {
          settings.put("targetServerType", "primary");
        }
      }
      case MYSQL, MARIADB -> {
        // They try one host after the other.
        String hostMillis = Math.max(1, leftMillis / hosts(url)) + "";
        settings.put("connectTimeout", hostMillis);
        settings.put("socketTimeout", hostMillis);
        // Of several hosts that are all down, these drivers try one after the other, 120 times.
        settings.put("retriesAllDown", "3");
        settings.put("sessionVariables", Dialect.mySqlLimits(Dialect.lockMillis(timeoutMillis)));
        if (this == MYSQL) {
          settings.put("failOverReadOnly", "false");
        }
      }
      // Its connections ignore setNetworkTimeout. It logs each error beside the file of the
      // database, also those that the store expects, as that the table is not there yet. Only an
      // administrator may change that; a user without a name has made the database, and is one.
      case H2 -> {
        if (file(url).isPresent() && !H2_TRACE.matcher(url).find()) {
          settings.put(OF_ADMINISTRATOR, "0");
        }
        if (H2_SERVER.matcher(url).lookingAt() && !H2_TIMEOUT.matcher(url).find()) {
          settings.put("NETWORK_TIMEOUT", timeoutMillis + "");
        }
      }
      // EXTRA makes a commit last in every journal mode, FULL only in that of a write-ahead log.
      case SQLITE -> {
        settings.put("synchronous", "EXTRA");
        settings.put("busy_timeout", timeoutMillis + "");
      }
    }
    return settings;
  }

  /** Returns the settings with which a database that is not there is refused and not made. */
  Map<String, String> withoutCreation() {
    return switch (this) {
      case POSTGRESQL, MYSQL, MARIADB -> Map.of();
      case H2 -> Map.of("IFEXISTS", "TRUE");
      case SQLITE -> Map.of("open_mode", "2"); // SQLITE_OPEN_READWRITE without _CREATE
    };
  }

  /** Returns the file of the database; empty if it has none on this host, or none that is known. */
  Optional<Path> file(String url) {
    return switch (this) {
      case POSTGRESQL, MYSQL, MARIADB -> Optional.empty();
      case H2 ->
          found(H2_FILE, url)
              .map(name -> name.startsWith("~/") ? HOME + name.substring(1) : name)
              .map(name -> Path.of(name + ".mv.db"));
      case SQLITE -> found(SQLITE_FILE, url).map(Path::of);
    };
  }

  private static Optional<String> found(Pattern form, String url) {
    return Optional.of(form.matcher(url)).filter(Matcher::matches).map(name -> name.group(1));
  }

  private static int hosts(String url) {
    Matcher hosts = HOSTS.matcher(url);
    return hosts.find() ? PARTS.matcher(hosts.group(1)).replaceAll("").split(",", -1).length : 1;
  }
}
