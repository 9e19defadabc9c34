package io.firn.jdbc;

import io.firn.store.RegisterStore;
import io.firn.testkit.RegisterStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class SqliteRegisterStoreTest extends RegisterStoreContract {

  @TempDir static Path directory;

  @Override
  protected RegisterStore open() {
    return RegisterStore.open(
        "jdbc:sqlite:" + directory.resolve("registers.db") + "?journal_mode=WAL&timeout=20s");
  }

  @Override
  protected int attemptsPerThread() {
    return 100;
  }
}
