package io.firn.examples;

import io.firn.IdGenerator;
import io.firn.IdLayout;
import io.firn.Preset;
import io.firn.Snowflake;
import java.time.Duration;
import java.time.Instant;

/**
 * IDs of a worker ID that somebody else hands out, in a layout and with manners of one's choice.
 */
public final class FixedWorker {

  private FixedWorker() {}

  /** Prints a few IDs. */
  public static void main(String[] args) {
    // begin fixed
    Snowflake ids = Snowflake.builder().layout(IdLayout.SEATA).worker(7).build();
    System.out.println(ids.nextId());
    // end

    // begin preset
    Snowflake twitter =
        Snowflake.builder()
            .layout(IdLayout.TWITTER)
            .preset(Preset.TWITTER)
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
    IdGenerator mine = bursts.newHandle();
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
