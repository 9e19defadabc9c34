package io.firn.shardingsphere;

import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.integration.GeneratorSettings;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.integration.OnDemandGenerator;
import io.firn.lease.LeaseConfig;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentEntry;
import io.firn.segment.SegmentGenerator;
import io.firn.store.InMemoryRegisterStore;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The generators of this process, one for each configuration. ShardingSphere makes several
 * algorithms of one configuration and never closes one, so they share what is here, and it lasts as
 * long as the process. What needs a store starts when the first key is requested.
 */
final class SharedGenerators {

  private static final Map<Record, IdGenerator> GENERATORS = new ConcurrentHashMap<>();
  private static final Set<FixedWorker> FIXED_WORKERS = ConcurrentHashMap.newKeySet();

  private SharedGenerators() {}

  private record Leased(String store, String namespace, GeneratorSettings settings) {}

  private record Fixed(GeneratorSettings settings) {}

  private record FixedWorker(IdLayout layout, OptionalLong number) {}

  private record Counted(String store, String key, @Nullable Long step) {}

  private record CountedTable(String store, String table, @Nullable Long step) {}

  /**
   * Returns a generator that leases its worker ID when the first key is requested.
   *
   * @throws IllegalArgumentException if the address, the namespace or a setting is not valid
   */
  static IdGenerator leased(String store, String namespace, GeneratorSettings settings) {
    checkWith(
        store,
        opened ->
            Setting.withKeys(
                () -> {
                  settings.leased(LeaseConfig.builder(opened, namespace)).check();
                  return opened;
                }));
    return GENERATORS.computeIfAbsent(
        new Leased(store, namespace, settings),
        absent -> OnDemandGenerator.leasing(store, namespace, settings));
  }

  /**
   * Returns a generator with the worker ID of its settings.
   *
   * @throws IllegalArgumentException if the settings name none, contradict each other, or name one
   *     that a generator of the same layout and other settings has
   */
  static IdGenerator fixed(GeneratorSettings settings) {
    return GENERATORS.computeIfAbsent(new Fixed(settings), absent -> start(settings));
  }

  private static Snowflake start(GeneratorSettings settings) {
    Snowflake ids = Setting.withKeys(() -> settings.fixed().build());
    if (!FIXED_WORKERS.add(new FixedWorker(ids.layout(), settings.pinnedWorker()))) {
      throw new IllegalArgumentException(
          "worker: "
              + settings.worker()
              + " (expected: one that no algorithm of other settings has in this process)");
    }
    return ids;
  }

  /**
   * Checks the settings of a counter, whose key is the table's if it is null.
   *
   * @throws IllegalArgumentException if the address, the key or the step is not valid
   */
  static void checkCounted(String store, @Nullable String key, @Nullable Long step) {
    checkWith(
        store,
        opened -> {
          SegmentGenerator.Builder builder =
              SegmentGenerator.builder(
                  RegisterSegments.of(opened), Objects.requireNonNullElse(key, "table"));
          if (step != null) {
            builder.step(step);
          }
        });
  }

  /** Checks an address, and settings with its store, which is not asked. */
  private static void checkWith(String address, Consumer<RegisterStore> settings) {
    try (RegisterStore opened = openedFor(address)) {
      settings.accept(opened);
    }
  }

  /** Returns a store of the same kind; one that cannot be opened may be there at the first key. */
  private static RegisterStore openedFor(String address) {
    try {
      return RegisterStore.open(address);
    } catch (StoreException e) {
      return new InMemoryRegisterStore();
    }
  }

  static IdGenerator counted(String store, String key, @Nullable Long step) {
    return GENERATORS.computeIfAbsent(
        new Counted(store, key, step), absent -> OnDemandGenerator.counting(store, key, step));
  }

  /** Returns the numbers of a table's counter, for the table's name in whatever case. */
  static IdGenerator countedTable(String store, String table, @Nullable Long step) {
    String name = table.toLowerCase(Locale.ROOT);
    return GENERATORS.computeIfAbsent(
        new CountedTable(store, name, step),
        absent -> OnDemandGenerator.counting(store, counters -> keyOf(name, counters), step));
  }

  /**
   * Returns the key of the counter that a table has, or the table's name if it has none.
   *
   * @throws IllegalArgumentException if it has several, in different case
   */
  private static String keyOf(String table, RegisterSegments counters) {
    List<String> keys =
        counters.entries().stream().map(SegmentEntry::key).filter(table::equalsIgnoreCase).toList();
    if (keys.size() > 1) {
      throw new IllegalArgumentException(
          "key: not set (expected: one of "
              + String.join(", ", keys)
              + ", which all count table "
              + table
              + ", raised above every key in use)");
    }
    return keys.isEmpty() ? table : keys.get(0);
  }

  /** Issues keys in one call, so that they take one block of numbers. */
  static Collection<Long> nextKeys(IdGenerator generator, int count) {
    long[] keys = new long[count];
    generator.nextIds(keys);
    return Arrays.stream(keys).boxed().toList();
  }
}
