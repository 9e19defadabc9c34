package io.firn.application;

import static org.assertj.core.api.Assertions.assertThat;

import io.firn.lease.RegisterStore;
import io.firn.servers.ZooKeeperServers;
import io.firn.zookeeper.ZooKeeperStoreProvider;
import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class ModulePathTest {

  @Test
  void moduleFindsZooKeepersClientOnTheClassPath() throws Exception {
    try (ZooKeeperServers servers = ZooKeeperServers.start(1)) {
      Process process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "--module-path",
                  place(RegisterStore.class)
                      + File.pathSeparator
                      + place(ZooKeeperStoreProvider.class),
                  "--add-modules",
                  "io.firn.zookeeper",
                  "--class-path",
                  System.getProperty("java.class.path"),
                  ModularApplication.class.getName(),
                  "zookeeper://" + servers.connectString() + "/modules")
              .redirectErrorStream(true)
              .start();
      byte[] said = process.getInputStream().readAllBytes();
      assertThat(new String(said, StandardCharsets.UTF_8))
          .endsWith("module io.firn.zookeeper: APPLIED");
    }
  }

  private static Path place(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }
}
