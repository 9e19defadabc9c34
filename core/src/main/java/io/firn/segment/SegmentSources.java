package io.firn.segment;

import io.firn.internal.AsciiCase;
import io.firn.store.RegisterStore;
import java.util.ServiceLoader;
import java.util.stream.Stream;

/** The sources that can be opened by an address. */
final class SegmentSources {

  private SegmentSources() {}

  static SegmentSource open(String address) {
    int colon = Math.max(0, address.indexOf(':'));
    String scheme = AsciiCase.lower(address.substring(0, colon));
    return Stream.of( // as stores are found
            SegmentSourceProvider.class.getClassLoader(),
            Thread.currentThread().getContextClassLoader())
        .flatMap(loader -> ServiceLoader.load(SegmentSourceProvider.class, loader).stream())
        .map(ServiceLoader.Provider::get)
        .filter(provider -> provider.schemes().contains(scheme))
        .findFirst()
        .map(provider -> provider.open(scheme, address.substring(colon + 1)))
        .orElseGet(() -> of(RegisterStore.open(address)));
  }

  static SegmentSource of(RegisterStore store) {
    return new OfStore(store);
  }

  /** Counters in a store that is closed with them. */
  private static final class OfStore implements SegmentSource {

    private final RegisterStore store;
    private final RegisterSegments segments;

    OfStore(RegisterStore store) {
      this.store = store;
      segments = RegisterSegments.of(store);
    }

    @Override
    public Segment next(String key, long count) {
      return segments.next(key, count);
    }

    @Override
    public boolean giveBack(String key, Segment rest) {
      return segments.giveBack(key, rest);
    }

    @Override
    public String requireKey(String key) {
      return segments.requireKey(key);
    }

    @Override
    public void close() {
      store.close();
    }

    @Override
    public String toString() {
      return segments.toString();
    }
  }
}
