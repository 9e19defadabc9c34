package io.firn.integration;

import io.firn.GeneratorClosedException;
import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.lease.LeaseConfig;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.store.RegisterStore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Opens its store and starts its generator when the first ID is requested. A start that fails is
 * the failure of that call and of those that wait for it, and the next call tries again.
 * Thread-safe.
 */
public final class OnDemandGenerator implements IdGenerator, AutoCloseable {

  record Started(IdGenerator ids, Runnable close) {}

  private final String uri;
  private final Function<RegisterStore, Started> start;
  private final SharedStart<Started> starts = new SharedStart<>();
  private volatile @Nullable Started started;
  private volatile boolean closed;
  private @Nullable RegisterStore store;

  OnDemandGenerator(String uri, Function<RegisterStore, Started> start) {
    this.uri = uri;
    this.start = start;
  }

  /** Returns a generator that leases its worker ID in a namespace of the store at an address. */
  public static OnDemandGenerator leasing(
      String uri, String namespace, GeneratorSettings settings) {
    return new OnDemandGenerator(
        uri,
        store -> {
          Snowflake ids =
              Setting.withKeys(
                  () -> settings.leased(LeaseConfig.builder(store, namespace)).build());
          return new Started(ids, ids::close);
        });
  }

  /**
   * Returns a generator of the numbers of a key in the store at an address.
   *
   * @param step how many numbers are fetched at once; the generator's default if null
   */
  public static OnDemandGenerator counting(String uri, String key, @Nullable Long step) {
    return counting(uri, counters -> key, step);
  }

  /**
   * Returns a generator of the numbers of a key that is chosen among the counters of the store at
   * an address.
   *
   * @param key returns the key; called at each start
   * @param step how many numbers are fetched at once; the generator's default if null
   */
  public static OnDemandGenerator counting(
      String uri, Function<RegisterSegments, String> key, @Nullable Long step) {
    return new OnDemandGenerator(
        uri,
        store -> {
          RegisterSegments counters = RegisterSegments.of(store);
          SegmentGenerator.Builder builder =
              SegmentGenerator.builder(counters, key.apply(counters));
          if (step != null) {
            builder.step(step);
          }
          SegmentGenerator ids = builder.build();
          return new Started(ids, ids::close);
        });
  }

  @Override
  public long nextId() {
    return generator().nextId();
  }

  @Override
  public void nextIds(long[] target, int from, int to) {
    generator().nextIds(target, from, to);
  }

  private IdGenerator generator() {
    Started generator = started;
    return (generator == null ? starts.get(this::known, this::open) : generator).ids();
  }

  private @Nullable Started known() {
    if (closed) {
      throw new GeneratorClosedException();
    }
    return started;
  }

  private Started open() {
    RegisterStore opened = RegisterStore.open(uri);
    try {
      Started generator = start.apply(opened);
      store = opened;
      started = generator;
      return generator;
    } catch (Throwable e) { // an OutOfMemoryError too: the next call opens another
      opened.close();
      throw e;
    }
  }

  /** Closes the generator and its store, if they were started. No ID is issued afterwards. */
  @Override
  public void close() {
    closed = true; // callers that wait do not start it
    starts.exclude(this::closeStarted);
  }

  private void closeStarted() {
    try {
      if (started != null) {
        started.close().run();
      }
    } finally {
      if (store != null) {
        store.close();
      }
    }
  }
}
