package io.firn.key;

import io.firn.IdGenerator;
import io.firn.lease.RegisterStore;
import io.firn.text.IdFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Keys that are 64-bit IDs, or their texts where a format was given. */
final class NumberKeys implements KeyGenerator {

  /**
   * A generator of numbers.
   *
   * @param close gives back what it holds
   */
  record Source(IdGenerator ids, Runnable close) {}

  private final Source source;
  private final @Nullable RegisterStore store;
  private final @Nullable IdFormat format;

  private NumberKeys(Source source, @Nullable RegisterStore store, @Nullable IdFormat format) {
    this.source = source;
    this.store = store;
    this.format = format;
  }

  /** Starts a source over the store that the properties name, if they do. */
  static KeyGenerator open(
      KeyProperties properties, Function<Optional<RegisterStore>, Source> start) {
    IdFormat format = properties.text("format").map(IdFormat::of).orElse(null);
    RegisterStore store = properties.text("store").map(RegisterStore::open).orElse(null);
    try {
      return new NumberKeys(start.apply(Optional.ofNullable(store)), store, format);
    } catch (RuntimeException e) {
      close(store);
      throw e;
    }
  }

  @Override
  public Comparable<?> nextKey() {
    return key(source.ids().nextId());
  }

  /** In one call, so that what can be reserved at once is. */
  @Override
  public List<Comparable<?>> nextKeys(int count) {
    long[] numbers = new long[count];
    source.ids().nextIds(numbers);
    List<Comparable<?>> keys = new ArrayList<>(count);
    for (long number : numbers) {
      keys.add(key(number));
    }
    return keys;
  }

  private Comparable<?> key(long id) {
    if (format == null) {
      return id;
    }
    return format.format(id);
  }

  @Override
  public void close() {
    source.close().run();
    close(store);
  }

  private static void close(@Nullable RegisterStore store) {
    if (store != null) {
      store.close();
    }
  }
}
