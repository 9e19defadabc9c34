package io.firn.examples;

import io.firn.ClockPolicy;
import io.firn.IdLayout;
import io.firn.Snowflake;
import io.firn.SnowflakeHandle;
import java.time.Duration;
import java.time.Instant;

/** Issues IDs with a given worker ID, in a chosen layout and with a chosen clock policy. */
public final class FixedWorker {

  private FixedWorker() {}

  /** Prints a few IDs. */
  public static void main(String[] args) {
    // begin fixed
    Snowflake ids = Snowflake.builder().layout(IdLayout.SEATA).worker(7).build();
    System.out.println(ids.nextId());
    // end

    // begin policy
    Snowflake twitter =
        Snowflake.builder()
            .layout(IdLayout.TWITTER)
            .clockPolicy(ClockPolicy.TWITTER)
            .datacenter(11)
            .worker(26)
            .build();
    System.out.println(twitter.nextId());
    // end

    // begin bursts
    Snowflake bursts =
        Snowflake.builder()
            .layout(IdLayout.of("41t+8w+14s@2026-01-01T00:00:00Z/1ms"))
            .worker(7)
            .maxLead(Duration.ofSeconds(2))
            .build();
    long[] batch = new long[1_000];
    bursts.nextIds(batch);
    SnowflakeHandle mine = bursts.newHandle();
    System.out.println(batch[999] < mine.nextId());
    // end

    // begin range
    Instant from = Instant.parse("2026-11-01T00:00:00Z");
    Instant to = Instant.parse("2026-11-30T23:59:59.999Z");
    System.out.println(
        "WHERE id BETWEEN " + IdLayout.CLASSIC.minId(from) + " AND " + IdLayout.CLASSIC.maxId(to));
    // end
  }
}
