package io.firn.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.firn.store.Register;
import io.firn.store.RegisterStore;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.FutureTask;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class OneConnectionTest {

  private static final String URL = "jdbc:erring:x";

  /** Connects to a database of this process; throws an error from the method that is named. */
  private static final class ErringDriver extends TestDriver {
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
  }

  @RegisterExtension private final ErringDriver driver = new ErringDriver();

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
