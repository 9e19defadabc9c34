package io.firn.lease;

import io.firn.store.Register;
import io.firn.time.TimeSource;
import java.util.HashMap;
import java.util.Map;

/**
 * The times for which registers have not changed, by this process's monotonic clock. For one thread
 * at a time.
 */
final class UnchangedRegisters {

  private final TimeSource time;
  private final Map<String, Sighting> first = new HashMap<>();

  private record Sighting(long version, long nanos) {}

  UnchangedRegisters(TimeSource time) {
    this.time = time;
  }

  /** Returns how long ago that version was seen first, in nanoseconds; 0 if that is now. */
  long nanos(Register register) {
    long now = time.nanoTime();
    Sighting seen =
        first.compute(
            register.name(),
            (name, before) ->
                before != null && before.version() == register.version()
                    ? before
                    : new Sighting(register.version(), now));
    return now - seen.nanos();
  }
}
