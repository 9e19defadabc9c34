package io.firn.jdbc;

import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.Properties;
import java.util.logging.Logger;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A driver that is registered during each test of a class. */
abstract class TestDriver implements Driver, BeforeEachCallback, AfterEachCallback {

  @Override
  public final void beforeEach(ExtensionContext test) throws SQLException {
    DriverManager.registerDriver(this);
  }

  @Override
  public final void afterEach(ExtensionContext test) throws SQLException {
    DriverManager.deregisterDriver(this);
  }

  @Override
  public final DriverPropertyInfo[] getPropertyInfo(String url, Properties login) {
    return new DriverPropertyInfo[0];
  }

  @Override
  public final int getMajorVersion() {
    return 1;
  }

  @Override
  public final int getMinorVersion() {
    return 0;
  }

  @Override
  public final boolean jdbcCompliant() {
    return false;
  }

  @Override
  public final Logger getParentLogger() {
    return Logger.getGlobal();
  }
}
