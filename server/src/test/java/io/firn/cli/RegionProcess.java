package io.firn.cli;

import io.firn.FirnException;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.lease.LeaseConfig;
import io.firn.store.RegisterStore;
import io.firn.time.TimeSource;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** Issues IDs of one datacenter, a line each, until it is killed. */
final class RegionProcess {

  /** Few IDs a millisecond, so that two windows that overlap issue the same ones. */
  static final IdLayout LAYOUT = IdLayout.of("41t+1d+4w+4s@2026-01-01T00:00:00Z/1ms");

  private static final Duration WINDOW = Duration.ofSeconds(4);
  private static final Duration MAX_CLOCK_SKEW = Duration.ofMillis(500);

  private RegionProcess() {}

  /** Arguments: the address of the store, the datacenter. */
  public static void main(String[] arguments) throws IOException {
    RegisterStore store = RegisterStore.open(arguments[0]);
    LeaseConfig lease =
        LeaseConfig.builder(store, "orders")
            .datacenter(Long.parseLong(arguments[1]))
            .instance("same") // all try the same worker first
            .window(WINDOW)
            .maxClockSkew(MAX_CLOCK_SKEW)
            .maxSplit(Duration.ZERO)
            .settleTime(WINDOW.plus(MAX_CLOCK_SKEW))
            .acquireTimeout(Duration.ofMinutes(2))
            .build();
    PrintStream out = System.out;
    try (Snowflake snowflake = Snowflake.builder().layout(LAYOUT).lease(lease).build()) {
      long[] ids = new long[64];
      while (!out.checkError()) {
        try {
          snowflake.nextIds(ids, 0, ids.length);
          StringBuilder lines = new StringBuilder();
          for (long id : ids) {
            lines.append(id).append('\n');
          }
          out.print(lines);
        } catch (FirnException e) { // it continues by itself when the store answers
          TimeSource.system().parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
      }
    }
  }
}
