package io.firn.jdbc;

import io.firn.lease.RegisterStore;
import io.firn.testkit.RegisterStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class H2RegisterStoreTest extends RegisterStoreContract {

  @TempDir static Path directory;

  @Override
  protected RegisterStore open() {
    return RegisterStore.open("jdbc:h2:" + directory.resolve("registers") + ";WRITE_DELAY=0");
  }

  @Override
  protected boolean hasClock() {
    return true;
  }

  @Override
  protected int attemptsPerThread() {
    return 200;
  }
}
