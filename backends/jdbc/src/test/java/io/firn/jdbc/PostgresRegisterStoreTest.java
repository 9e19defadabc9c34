package io.firn.jdbc;

class PostgresRegisterStoreTest extends ServerContract {

  PostgresRegisterStoreTest() {
    super(TestDatabase.POSTGRES);
  }
}
