package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.FutureTask;
import java.util.logging.Logger;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OneConnectionTest {

  private static final String URL = "jdbc:erring:x";

  /** Connects to a database of this process; throws an error from the method that is named. */
  private static final class ErringDriver implements Driver {
    private volatile String fails = "";

    private void step(String name) {
      if (name.equals(fails)) {
        throw new OutOfMemoryError("planted");
      }
    }

    @Override
    public boolean acceptsURL(String url) {
      return url.equals(URL);
    }

    @Override
    public Connection connect(String url, Properties login) throws SQLException {
      if (!acceptsURL(url)) {
        return null;
      }
      step("connect");
      JdbcDataSource database = new JdbcDataSource();
      database.setURL("jdbc:h2:mem:erring");
      Connection connection = database.getConnection();
      return (Connection)
          Proxy.newProxyInstance(
              Connection.class.getClassLoader(),
              new Class<?>[] {Connection.class},
              (self, method, arguments) -> {
                step(method.getName());
                try {
                  return method.invoke(connection, arguments);
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }

    @Override
    public DriverPropertyInfo[] getPropertyInfo(String url, Properties login) {
      return new DriverPropertyInfo[0];
    }

    @Override
    public int getMajorVersion() {
      return 1;
    }

    @Override
    public int getMinorVersion() {
      return 0;
    }

    @Override
    public boolean jdbcCompliant() {
      return false;
    }

    @Override
    public Logger getParentLogger() {
      return Logger.getGlobal();
    }
  }

  private final ErringDriver driver = new ErringDriver();

  @BeforeEach
  void register() throws SQLException {
    DriverManager.registerDriver(driver);
  }

  @AfterEach
  void deregister() throws SQLException {
    DriverManager.deregisterDriver(driver);
  }

  @Test
  void errorOfOneCallLeavesTheConnectionToTheNext() throws Exception {
    for (String step : List.of("connect", "setNetworkTimeout")) {
      try (RegisterStore store = RegisterStore.open(URL)) {
        driver.fails = step;
        assertThatThrownBy(() -> store.read("a")).isInstanceOf(OutOfMemoryError.class);
        driver.fails = "";

        FutureTask<Optional<Register>> next = new FutureTask<>(() -> store.read("a"));
        new Thread(next).start();
        assertThat(next.get()).as(step).isEmpty();
      }
    }
  }
}
