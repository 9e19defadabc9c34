package io.firn.key;

import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.SnowflakeBuilder;
import io.firn.lease.LeaseConfig;
import io.firn.lease.RegisterStore;
import io.firn.text.IdFormat;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keys of a {@link Snowflake}: numbers, or their texts where a format was given. */
final class SnowflakeKeys implements KeyGenerator {

  private final Snowflake ids;
  private final @Nullable RegisterStore store;
  private final @Nullable IdFormat format;

  private SnowflakeKeys(Snowflake ids, @Nullable RegisterStore store, @Nullable IdFormat format) {
    this.ids = ids;
    this.store = store;
    this.format = format;
  }

  static KeyGenerator open(KeyProperties properties) {
    properties.allow("layout", "worker", "datacenter", "store", "namespace", "format");
    IdFormat format = properties.text("format").map(IdFormat::of).orElse(null);
    RegisterStore store = properties.text("store").map(RegisterStore::open).orElse(null);
    try {
      return new SnowflakeKeys(snowflake(properties, store), store, format);
    } catch (RuntimeException e) {
      close(store);
      throw e;
    }
  }

  private static Snowflake snowflake(KeyProperties properties, @Nullable RegisterStore store) {
    IdLayout layout = properties.text("layout").map(IdLayout::of).orElse(IdLayout.CLASSIC);
    SnowflakeBuilder builder = Snowflake.builder().layout(layout);
    if (store != null) {
      return builder.lease(lease(properties, store, layout)).build();
    }
    properties
        .text("namespace")
        .ifPresent(
            namespace -> {
              throw new IllegalArgumentException(
                  "namespace: " + namespace + " (expected: with a store)");
            });
    properties.number("worker").ifPresent(builder::worker);
    properties.number("datacenter").ifPresent(builder::datacenter);
    return builder.build();
  }

  private static LeaseConfig lease(KeyProperties properties, RegisterStore store, IdLayout layout) {
    LeaseConfig.Builder lease =
        LeaseConfig.builder(
            store,
            properties
                .text("namespace")
                .orElseThrow(
                    () ->
                        new IllegalArgumentException(
                            "namespace: not set (expected: one, to lease a worker ID in)")));
    properties
        .number("worker")
        .map(worker -> layout.workerId(properties.number("datacenter").orElse(0L), worker))
        .ifPresent(lease::worker);
    return lease.build();
  }

  @Override
  public Comparable<?> nextKey() {
    return key(ids.nextId());
  }

  /** One reservation for the part of them that fits into a tick. */
  @Override
  public List<Comparable<?>> nextKeys(int count) {
    long[] numbers = new long[count];
    ids.nextIds(numbers);
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
    ids.close();
    close(store);
  }

  private static void close(@Nullable RegisterStore store) {
    if (store != null) {
      store.close();
    }
  }
}
