package io.firn.testservers;

import io.firn.store.RegisterStore;
import io.firn.store.StoreProvider;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/** An application that has a store's module on the module path, and the store's client not. */
public final class ModularApplication {

  private ModularApplication() {}

  /**
   * Runs the application in a process of its own, with everything else on the class path.
   *
   * @param module the store's
   * @param provider of that module
   * @param address of the store
   * @return what it prints: the module of the store, and how the write of a register ended
   */
  public static String run(String module, Class<? extends StoreProvider> provider, String address)
      throws IOException {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                place(RegisterStore.class) + File.pathSeparator + place(provider),
                "--add-modules",
                module,
                "--class-path",
                System.getProperty("java.class.path"),
                ModularApplication.class.getName(),
                address)
            .redirectErrorStream(true)
            .start();
    return new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
  }

  private static Path place(Class<?> type) {
    try {
      return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Runs the application. */
  public static void main(String[] args) {
    try (RegisterStore store = RegisterStore.open(args[0])) {
      System.out.print(
          store.getClass().getModule() + ": " + store.compareAndSet("a", 0, "x").outcome());
    }
  }
}
