package io.firn.jdbc;

import io.firn.lease.RegisterStore;
import io.firn.lease.StoreProvider;
import io.firn.lease.StoreUri;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * Opens {@code jdbc:} addresses: the URL of the database's driver, which must be on the class path,
 * with these parameters for the store itself behind it: {@code table}, {@code timeout}, {@code
 * may-forget=true}, and {@code user}, {@code password}, {@code password-env}, {@code
 * password-file}. All others are the driver's.
 *
 * <pre>{@code
 * jdbc:postgresql://db.example:5432/app?user=app&password-env=DB_PASSWORD
 * jdbc:mysql://db1.example,db2.example/app?user=app&password-file=/run/secrets/db&may-forget=true
 * jdbc:sqlite:/var/lib/app/firn.db?timeout=1s
 * }</pre>
 */
public final class JdbcStoreProvider implements StoreProvider {

  private static final String[] OWN = {
    "user", "password", "password-env", "password-file", "timeout", "table", "may-forget"
  };

  /** For {@link java.util.ServiceLoader}. */
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
    String url = uri.without(OWN);
    Optional<KnownDriver> driver = KnownDriver.of(url);
    requireDriver(uri, url, driver);
    long timeoutMillis = uri.timeout().toMillis();
    Properties account = new Properties();
    uri.user().ifPresent(user -> account.setProperty("user", user));
    uri.password().ifPresent(password -> account.setProperty("password", password));
    ConnectionSource connections =
        new OneConnection(
            url,
            leftMillis -> {
              Properties login = new Properties();
              driver.ifPresent(known -> login.putAll(known.settings(leftMillis, timeoutMillis)));
              login.keySet().removeIf(name -> uri.parameter((String) name).isPresent());
              login.putAll(account);
              return login;
            });
    JdbcRegisterStore.Builder builder =
        new JdbcRegisterStore.Builder(connections, uri.toString())
            .timeout(uri.timeout())
            .mayForget(mayForget(uri));
    uri.parameter("table").ifPresent(builder::table);
    return builder.build();
  }

  private static void requireDriver(StoreUri uri, String url, Optional<KnownDriver> driver) {
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

  private static boolean mayForget(StoreUri uri) {
    String value = uri.parameter("may-forget").orElse("false");
    if (!value.equals("true") && !value.equals("false")) {
      throw new IllegalArgumentException("may-forget: " + value + " (expected: true or false)");
    }
    return value.equals("true");
  }
}
