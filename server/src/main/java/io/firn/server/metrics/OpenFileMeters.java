package io.firn.server.metrics;

import com.sun.management.UnixOperatingSystemMXBean;
import io.firn.time.TimeSource;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * The counts of open files of the process and of those it may have, with the names that Micrometer
 * gives them. The open ones are counted every ten seconds at most: the system lists them all, which
 * takes milliseconds if there are thousands of connections. A system without such counts has no
 * meters. Thread-safe.
 */
final class OpenFileMeters implements MeterBinder {

  static final Duration MAX_AGE = Duration.ofSeconds(10);

  private final TimeSource time;

  OpenFileMeters(TimeSource time) {
    this.time = time;
  }

  @Override
  public void bindTo(MeterRegistry registry) {
    if (ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean system) {
      LongSupplier open = recent(system::getOpenFileDescriptorCount);
      Gauge.builder("process.files.open", open, LongSupplier::getAsLong)
          .strongReference(true)
          .description("Open files, connections included, as counted within the last 10 s")
          .baseUnit("files")
          .register(registry);
      Gauge.builder(
              "process.files.max", system, UnixOperatingSystemMXBean::getMaxFileDescriptorCount)
          .description("Files that may be open")
          .baseUnit("files")
          .register(registry);
    }
  }

  /** Returns a supplier of the same value, which is asked for again if it is too old. */
  LongSupplier recent(LongSupplier source) {
    return new LongSupplier() {
      private long value = source.getAsLong();
      private long askedNanos = time.nanoTime();

      @Override
      public synchronized long getAsLong() {
        long now = time.nanoTime();
        if (now - askedNanos >= MAX_AGE.toNanos()) {
          value = source.getAsLong();
          askedNanos = now;
        }
        return value;
      }
    };
  }
}
