package io.firn.jdbc;

class MariaDbRegisterStoreTest extends ServerContract {

  MariaDbRegisterStoreTest() {
    super(TestDatabase.MARIADB);
  }
}
