package io.firn.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StoreProvidersTest {

  /** Serves {@code other://}. */
  public static final class Other implements StoreProvider {
    @Override
    public Set<String> schemes() {
      return Set.of("other");
    }

    @Override
    public String form() {
      return "other://HOST";
    }

    @Override
    public RegisterStore open(StoreUri uri) {
      return new InMemoryRegisterStore();
    }
  }

  private static RegisterStore openWithOther(Path dir, String uri) throws IOException {
    Path services = Files.createDirectories(dir.resolve("META-INF/services"));
    Files.writeString(services.resolve(StoreProvider.class.getName()), Other.class.getName());
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    try (URLClassLoader loader = new URLClassLoader(new URL[] {dir.toUri().toURL()}, before)) {
      thread.setContextClassLoader(loader);
      return RegisterStore.open(uri);
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  @Test
  void opensADirectory(@TempDir Path dir) {
    try (RegisterStore store = RegisterStore.open("file:" + dir.resolve("new"))) {
      store.compareAndSet("a", 0, "1");
    }
    assertThat(dir.resolve("new/a.register")).exists();
  }

  @Test
  void memoryIsOneForTheWholeProcess() {
    RegisterStore.open("memory:").compareAndSet("StoreProvidersTest", 0, "here");

    assertThat(RegisterStore.open("memory:").read("StoreProvidersTest")).isPresent();
  }

  @Test
  void findsTheProvidersOfOthers(@TempDir Path dir) throws Exception {
    assertThat(openWithOther(dir, "other://host")).isInstanceOf(InMemoryRegisterStore.class);
    assertThatThrownBy(() -> openWithOther(dir, "another://u:p@host"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "store: another://***@host (expected: one of file:DIR, memory:, other://HOST;"
                + " the store's module must be on the class path)");
  }

  /** Such as a thread of the common pool, in an application with a class loader of its own. */
  @Test
  void findsProvidersBesideFirnWhateverTheClassLoaderOfTheThread(@TempDir Path dir)
      throws Exception {
    Path services = Files.createDirectories(dir.resolve("META-INF/services"));
    Files.writeString(services.resolve(StoreProvider.class.getName()), Other.class.getName());
    URL[] application = {dir.toUri().toURL(), classes(StoreProvider.class), classes(Other.class)};
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    ClassLoader platform = ClassLoader.getPlatformClassLoader();
    try (URLClassLoader loader = new URLClassLoader(application, platform)) {
      thread.setContextClassLoader(platform);
      Object store =
          Class.forName(RegisterStore.class.getName(), true, loader)
              .getMethod("open", String.class)
              .invoke(null, "other://host");
      assertThat(store.getClass().getName()).isEqualTo(InMemoryRegisterStore.class.getName());
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL classes(Class<?> type) {
    return type.getProtectionDomain().getCodeSource().getLocation();
  }

  @ParameterizedTest
  @CsvSource({
    "redis://host, firn-redis",
    "rediss-sentinel://host/m, firn-redis",
    "jdbc:postgresql://host/db, firn-jdbc",
    "zookeepers://host, firn-zookeeper",
    "etcd://host, firn-etcd"
  })
  void namesTheModuleThatIsMissing(String address, String module) {
    assertThatThrownBy(() -> RegisterStore.open(address))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage(
            "store: "
                + address
                + " (expected: the module "
                + module
                + " on the class path, or one of file:DIR, memory:)");
  }

  @Test
  void refusesWhatItsOwnStoresDoNotKnow() {
    assertThatThrownBy(() -> RegisterStore.open("memory:x"))
        .hasMessage("store: memory:x (expected: memory:)");
    assertThatThrownBy(() -> RegisterStore.open("file:x?sync=no"))
        .hasMessage("sync: in file:x?sync=*** (expected: no parameters)");
    assertThatThrownBy(() -> RegisterStore.open("file:"))
        .hasMessage("store: file: (expected: file:DIR)");
    assertThatThrownBy(() -> RegisterStore.open("file://host/x"))
        .hasMessage("store: file://host/x (expected: file:DIR)");
  }
}
