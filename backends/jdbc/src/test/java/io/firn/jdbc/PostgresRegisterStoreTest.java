package io.firn.jdbc;

import io.firn.testkit.StoreIdentityContract;

class PostgresRegisterStoreTest extends ServerContract implements StoreIdentityContract {

  PostgresRegisterStoreTest() {
    super(TestDatabase.POSTGRES);
  }

  @Override
  public void restartStore() {
    killAndRestart();
  }
}
