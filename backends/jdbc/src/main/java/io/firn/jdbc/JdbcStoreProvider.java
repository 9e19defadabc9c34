package io.firn.jdbc;

import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import io.firn.store.StoreUri;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Opens {@code jdbc:} addresses: the URL of the database's driver, which must be on the class path,
 * with these parameters for the store itself behind it: {@code table}, {@code timeout}, {@code
 * may-forget=true}, {@code allow-counters=true}, {@code ddl=false} if it must create neither its
 * table nor the file of the database, and {@code user}, {@code password}, {@code password-env},
 * {@code password-file}. All others are the driver's.
 *
 * <pre>{@code
 * jdbc:postgresql://db.example:5432/app?user=app&password-env=DB_PASSWORD
 * jdbc:mysql://db1.example,db2.example/app?user=app&password-file=/run/secrets/db&may-forget=true
 * jdbc:sqlite:/var/lib/app/firn.db?timeout=1s
 * }</pre>
 */
public final class JdbcStoreProvider implements StoreProvider {

  private static final String[] OWN = {
    "user",
    "password",
    "password-env",
    "password-file",
    "timeout",
    "table",
    "may-forget",
    "allow-counters",
    "ddl"
  };

  private static final Pattern ACCOUNT = Pattern.compile("^[^?]*//[^/?]*@");

  /** Creates an instance for {@link java.util.ServiceLoader}. */
  public JdbcStoreProvider() {}

  @Override
  public Set<String> schemes() {
    return Set.of("jdbc");
  }

  @Override
  public String form() {
    return "jdbc:DATABASE://HOST:PORT/NAME";
  }

  @Override
  public RegisterStore open(StoreUri uri) {
    requireShared(uri);
    StoreUri shown = StoreUri.parse(uri.without("ddl")); // commands that only look add it
    JdbcRegisterStore.Builder builder =
        new JdbcRegisterStore.Builder(
                connections(shown, uri.flag("ddl", true), OWN), shown.toString())
            .timeout(uri.timeout())
            .borrowTimeout(uri.timeout())
            .mayForget(uri.flag("may-forget", false))
            .allowCounters(uri.flag("allow-counters", false))
            .createTable(uri.flag("ddl", true));
    uri.parameter("table").ifPresent(builder::table);
    return builder.build();
  }

  private static void requireShared(StoreUri uri) {
    String url = uri.without(OWN);
    KnownDriver.of(url)
        .flatMap(driver -> driver.expectedForm(url.strip())) // as drivers read it
        .ifPresent(form -> uri.require(false, form));
  }

  /**
   * Returns the connections of an address.
   *
   * @param create whether the driver may make a database that is not there
   * @param own the parameters that are not the driver's
   */
  static ConnectionSource connections(StoreUri uri, boolean create, String... own) {
    String url = uri.without(own);
    Optional<KnownDriver> driver = KnownDriver.of(url);
    requireOneAccount(uri);
    var unused = account(uri); // this refuses a secret that is not there
    requireDriver(uri, url, driver);
    long timeoutMillis = uri.timeout().toMillis();
    return new OneConnection(
        url,
        leftMillis -> {
          Properties login = new Properties();
          driver.ifPresent(known -> login.putAll(known.settings(url, leftMillis, timeoutMillis)));
          if (!create) {
            requireFile(url, driver);
            driver.ifPresent(known -> login.putAll(known.withoutCreation()));
          }
          login.keySet().removeIf(name -> uri.parameter((String) name).isPresent());
          uri.user().ifPresent(user -> login.remove(KnownDriver.OF_ADMINISTRATOR));
          login.putAll(account(uri));
          return login;
        });
  }

  /**
   * Refuses a missing file here: the message of a driver names settings that the user never gave.
   */
  private static void requireFile(String url, Optional<KnownDriver> driver) {
    Optional<Path> missing = driver.flatMap(known -> known.file(url)).filter(Files::notExists);
    if (missing.isPresent()) {
      throw new IllegalArgumentException("no file " + missing.get() + " is there");
    }
  }

  /**
   * Refuses an address with a user or a password where its driver might print it, or with two
   * accounts, of which a driver may take either.
   *
   * @param uri a {@code jdbc:} address, which no driver has seen yet
   * @throws IllegalArgumentException if it is refused
   */
  public static void requireOneAccount(StoreUri uri) {
    String url = uri.without(OWN);
    boolean mayPrint =
        KnownDriver.of(url).stream().anyMatch(known -> known.mayHaveSecretBeforeParameters(url));
    uri.require(
        !mayPrint,
        (url.contains("@") || url.contains("(") ? "" : "HOST or HOST:PORT after //, and ")
            + "user and password as parameters, for this driver");
    uri.require(
        !ACCOUNT.matcher(url).find() || account(uri).isEmpty(),
        "one user and one password, before the host or as parameters");
  }

  private static void requireDriver(StoreUri uri, String url, Optional<KnownDriver> driver) {
    driver.ifPresent(KnownDriver::load);
    try {
      DriverManager.getDriver(url);
    } catch (SQLException e) {
      throw new IllegalArgumentException(
          "store: "
              + uri
              + " (expected: an address for a driver on the class path, such as "
              + driver.map(KnownDriver::artifact).orElse("the database's own")
              + ")",
          e);
    }
  }

  /** Reads the password again, so that a new one is taken without a restart. */
  private static Properties account(StoreUri uri) {
    Properties account = new Properties();
    uri.user().ifPresent(user -> account.setProperty("user", user));
    uri.password().ifPresent(password -> account.setProperty("password", password));
    return account;
  }
}
