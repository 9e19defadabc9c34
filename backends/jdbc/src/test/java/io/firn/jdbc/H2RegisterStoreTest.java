package io.firn.jdbc;

import io.firn.store.RegisterStore;
import io.firn.testkit.RegisterStoreContract;
import io.firn.testkit.StoreClockContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class H2RegisterStoreTest extends RegisterStoreContract implements StoreClockContract {

  @TempDir static Path directory;

  @Override
  protected RegisterStore open() {
    return RegisterStore.open(
        "jdbc:h2:" + directory.resolve("registers") + ";WRITE_DELAY=0?timeout=20s");
  }

  @Override
  protected int attemptsPerThread() {
    return 200;
  }
}
