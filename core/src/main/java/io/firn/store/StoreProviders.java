package io.firn.store;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The stores that can be opened by an address: core's own, and those that were found. */
final class StoreProviders {

  private static final RegisterStore MEMORY = new InMemoryRegisterStore();

  private static final List<StoreProvider> OWN =
      List.of(
          new Own("file", "file:DIR", StoreProviders::directory),
          new Own("memory", "memory:", StoreProviders::memory));

  private StoreProviders() {}

  private record Own(String scheme, String form, Function<StoreUri, RegisterStore> opener)
      implements StoreProvider {

    @Override
    public Set<String> schemes() {
      return Set.of(scheme);
    }

    @Override
    public RegisterStore open(StoreUri uri) {
      return opener.apply(uri.allow());
    }
  }

  private static RegisterStore directory(StoreUri uri) {
    if (uri.path().isEmpty() || uri.hasServers()) {
      throw new IllegalArgumentException("store: " + uri + " (expected: file:DIR)");
    }
    return FileRegisterStore.open(Path.of(uri.path()));
  }

  /**
   * Returns the one store in memory of this process: generators that name the same store must not
   * collide.
   */
  private static RegisterStore memory(StoreUri uri) {
    if (!uri.path().isEmpty()) {
      throw new IllegalArgumentException("store: " + uri + " (expected: memory:)");
    }
    return MEMORY;
  }

  static RegisterStore open(StoreUri uri) {
    return all()
        .filter(provider -> provider.schemes().contains(uri.scheme()))
        .findFirst()
        .orElseThrow(() -> unknown(uri))
        .open(uri);
  }

  private static IllegalArgumentException unknown(StoreUri uri) {
    Optional<String> missing = module(uri.scheme());
    return new IllegalArgumentException(
        "store: "
            + uri
            + " (expected: "
            + missing.map(module -> "the module " + module + " on the class path, or ").orElse("")
            + "one of "
            + all().map(StoreProvider::form).distinct().collect(Collectors.joining(", "))
            + (missing.isEmpty() ? "; the store's module must be on the class path)" : ")"));
  }

  /** Returns the module of Firn that is missing for a scheme; empty if it is none of Firn's. */
  private static Optional<String> module(String scheme) {
    return Stream.of("jdbc", "redis", "zookeeper", "etcd")
        .filter(scheme::startsWith)
        .filter(module -> all().noneMatch(provider -> provider.schemes().contains(module)))
        .map(module -> "firn-" + module)
        .findFirst();
  }

  /**
   * Returns the providers, those of Firn's own class loader before those of the thread's: the first
   * thread that opens a store may be of a pool whose class loader sees none.
   */
  private static Stream<StoreProvider> all() {
    return Stream.concat(
        OWN.stream(),
        Stream.of(
                StoreProvider.class.getClassLoader(),
                Thread.currentThread().getContextClassLoader())
            .flatMap(loader -> ServiceLoader.load(StoreProvider.class, loader).stream())
            .map(ServiceLoader.Provider::get));
  }
}
