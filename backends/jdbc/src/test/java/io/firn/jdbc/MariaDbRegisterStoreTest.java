package io.firn.jdbc;

import io.firn.testkit.StoreIdentityContract;

class MariaDbRegisterStoreTest extends ServerContract implements StoreIdentityContract {

  MariaDbRegisterStoreTest() {
    super(TestDatabase.MARIADB);
  }

  @Override
  public void restartStore() {
    killAndRestart();
  }
}
