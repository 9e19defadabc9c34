package io.firn.store;

import io.firn.testkit.RegisterStoreContract;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;

class FileRegisterStoreTest extends RegisterStoreContract {

  @TempDir Path directory;

  @Override
  protected RegisterStore open() {
    return FileRegisterStore.open(directory);
  }

  @Override
  protected int attemptsPerThread() {
    return 100;
  }
}
