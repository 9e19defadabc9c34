package io.firn.server;

import io.firn.Snowflake;
import io.firn.integration.GeneratorSettings.Setting;
import io.firn.lease.LeaseConfig;
import io.firn.segment.RegisterSegments;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentSource;
import io.firn.segment.UnknownKeyException;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SegmentConfig;
import io.firn.server.config.SnowflakeConfig;
import io.firn.store.RegisterStore;
import io.firn.store.StoreException;
import io.firn.time.TimeSource;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Makes what issues the IDs of a namespace. It asks stores, and waits for them. Thread-safe. */
final class NamespaceOpener {

  private static final long STOCK_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

  /** The time that the first segment has at least: requests may wait for none. */
  private static final long MIN_STOCK_NANOS = SegmentConfig.MAX_WAIT.toNanos();

  private final RegisterStore store;
  private final Optional<String> instance;
  private final EventLoops loops;
  private final TimeSource time;
  private final Backlog backlog = Backlog.ofProcess();

  /**
   * Creates an opener.
   *
   * @param instance the name of this process for operators
   */
  NamespaceOpener(
      RegisterStore store, Optional<String> instance, EventLoops loops, TimeSource time) {
    this.store = store;
    this.instance = instance;
    this.loops = loops;
    this.time = time;
  }

  /**
   * Checks how a namespace is wanted, without asking the store.
   *
   * @throws IllegalArgumentException if it could never be opened so
   */
  void check(String name, NamespaceConfig wanted) {
    if (wanted instanceof SnowflakeConfig snowflake) {
      try {
        builder(name, snowflake, new NamespaceEvents(time)).check();
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(Setting.withKeys(String.valueOf(e.getMessage())), e);
      }
    } else if (wanted instanceof SegmentConfig segments) {
      try (SegmentSource source = source(segments)) {
        var unused = source.requireKey(segments.key().orElse(name));
      } catch (StoreException e) {
        return; // opening the namespace is tried again
      }
    }
  }

  private SegmentSource source(SegmentConfig wanted) {
    return wanted.source().map(SegmentSource::open).orElseGet(() -> RegisterSegments.of(store));
  }

  /** Opens a namespace. */
  OpenNamespace open(String name, NamespaceConfig wanted) {
    if (wanted instanceof SnowflakeConfig snowflake) {
      return snowflakes(name, snowflake);
    }
    try {
      return segments(name, (SegmentConfig) wanted);
    } catch (StoreException e) {
      throw RequestException.unavailable(wanted, String.valueOf(e.getMessage()));
    }
  }

  /** Returns what waiting requests need: a loop that strangers do not keep busy. */
  private OpenNamespace.Waiting waiting() {
    return new OpenNamespace.Waiting(loops.next(true), time, backlog);
  }

  private OpenSnowflakes snowflakes(String name, SnowflakeConfig wanted) {
    NamespaceEvents events = new NamespaceEvents(time);
    return new OpenSnowflakes(
        name, wanted, builder(name, wanted, events).build(), events, waiting());
  }

  private Snowflake.Builder builder(String name, SnowflakeConfig wanted, NamespaceEvents events) {
    LeaseConfig.Builder lease = LeaseConfig.builder(store, name).listener(events);
    instance.ifPresent(lease::instance);
    return wanted.settings().leased(lease).timeSource(time);
  }

  private OpenSegments segments(String name, SegmentConfig wanted) {
    SegmentSource source = source(wanted);
    try {
      SegmentGenerator.Builder builder =
          SegmentGenerator.builder(source, wanted.key().orElse(name))
              .maxWait(wanted.maxWait())
              .timeSource(time);
      wanted.step().ifPresent(builder::step);
      SegmentGenerator generator = stocked(name, builder.build(), wanted);
      return new OpenSegments(name, wanted, generator, source, waiting());
    } catch (RuntimeException e) {
      source.close();
      throw e;
    }
  }

  /**
   * Waits until a generator has something to issue: then it is open, as an acquired lease is. An
   * interrupt, by which the server stops, ends the wait.
   */
  private SegmentGenerator stocked(String name, SegmentGenerator generator, SegmentConfig wanted) {
    long begin = time.nanoTime();
    long most = Math.max(MIN_STOCK_NANOS, wanted.maxWait().toNanos());
    while (generator.left() == 0) {
      Optional<Throwable> failure = generator.lastFailure();
      if (failure.isPresent()
          || time.nanoTime() - begin > most
          || Thread.currentThread().isInterrupted()) {
        generator.close();
        throw failure
            .filter(UnknownKeyException.class::isInstance)
            .map(RequestException::of)
            .orElseGet(() -> noSegment(new SegmentStatus(name, wanted, generator.stats())));
      }
      time.parkNanos(STOCK_POLL_NANOS);
    }
    return generator;
  }

  private static RequestException noSegment(SegmentStatus status) {
    return RequestException.unavailable(status.config(), status.outage().orElseThrow());
  }
}
