package io.firn.testkit;

import io.firn.internal.LeaseWindow;
import io.firn.internal.LeasedGenerator;
import io.firn.lease.LeaseKeeper;
import io.firn.store.ForwardingRegisterStore;
import io.firn.store.Register;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a lease and its store, and under a {@link #keeper} also between the lease and its
 * generator. Passes every call on; a subclass overrides the call that is to go wrong. For one lease
 * at a time.
 *
 * <p>A lease calls {@link #read}, {@link #scan} and {@link #compareAndSet} to get a window of ID
 * time, and {@link #permit}, {@link #newestMillis} and {@link #closeGenerator} to have its
 * generator keep to it. A test may call the latter itself, to permit a generator any window. Its
 * {@link #callTimeout} is empty, so windows may be short beside the timeout of the store.
 */
public class InterposedStore extends ForwardingRegisterStore {

  private @Nullable LeasedGenerator generator;

  /** Stands in front of that store, and in front of the generator that leases a worker ID in it. */
  public InterposedStore(RegisterStore store) {
    super(store);
  }

  /**
   * Returns a keeper without threads, as {@link LeaseKeeper#manual(TimeSource)}, under which such a
   * store stands also between its lease and the generator.
   */
  public static LeaseKeeper keeper(TimeSource time) {
    return LeaseKeeper.manual(
        time,
        (store, generator) ->
            store instanceof InterposedStore interposed
                ? interposed.interpose(generator)
                : generator);
  }

  // Between the lease and its generator.

  /**
   * Permits the generator IDs of one window, and no others.
   *
   * @param worker the worker ID
   * @param notBeforeMillis the first millisecond of ID time, since 1970-01-01T00:00Z
   * @param notAfterMillis the fence: the first millisecond that is not permitted
   * @param leadMillis how far IDs may be ahead of the clock because the window begins ahead of it
   */
  public void permit(long worker, long notBeforeMillis, long notAfterMillis, long leadMillis) {
    generator().permit(new LeaseWindow(worker, notBeforeMillis, notAfterMillis, leadMillis));
  }

  /** Returns the end of the newest tick that the generator has drawn, since 1970-01-01T00:00Z. */
  public long newestMillis() {
    return generator().newestMillis();
  }

  /** Ends drawing permanently, and returns the end of the newest tick drawn. */
  public long closeGenerator() {
    return generator().close();
  }

  /**
   * Moves the generator up to a time, and returns its low mark: no ID before it is in an open
   * scope, or is drawn any more.
   *
   * @param nowMillis the clock, in milliseconds since 1970-01-01T00:00Z
   */
  public long lowMillis(long nowMillis) {
    return generator().lowMillis(nowMillis);
  }

  private LeasedGenerator interpose(LeasedGenerator generator) {
    this.generator = generator;
    return new LeasedGenerator() {
      @Override
      public long newestMillis() {
        return InterposedStore.this.newestMillis();
      }

      @Override
      public void permit(LeaseWindow window) {
        InterposedStore.this.permit(
            window.worker(),
            window.notBeforeMillis(),
            window.notAfterMillis(),
            window.leadMillis());
      }

      @Override
      public void switchTo(String layout, LeaseWindow window) {
        generator.switchTo(layout, window);
      }

      @Override
      public long maxLeadMillis() {
        return generator.maxLeadMillis();
      }

      @Override
      public boolean usesScopes() {
        return generator.usesScopes();
      }

      @Override
      public boolean hasOpenScopes() {
        return generator.hasOpenScopes();
      }

      @Override
      public long lowMillis(long nowMillis) {
        return InterposedStore.this.lowMillis(nowMillis);
      }

      @Override
      public long close() {
        return closeGenerator();
      }
    };
  }

  private LeasedGenerator generator() {
    if (generator == null) {
      throw new IllegalStateException(
          "No generator has leased a worker ID in " + this + "; build one first");
    }
    return generator;
  }

  // Between the lease and its store.

  /** Reads each register by {@link #read}. */
  @Override
  public List<Register> readAll(List<String> names) {
    return names.stream().map(this::read).flatMap(Optional::stream).toList();
  }

  @Override
  public Optional<Duration> callTimeout() {
    return Optional.empty();
  }
}
