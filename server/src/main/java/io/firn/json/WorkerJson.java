package io.firn.json;

import io.firn.lease.Namespace.Mark;
import io.firn.lease.WorkerEntry;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * The JSON form of a worker ID, the same over HTTP, from the command line and, by the starter, from
 * Actuator. The schema {@code Worker} of {@code openapi.json} describes it.
 *
 * @param namespace the namespace of the worker ID
 * @param entry its holder
 * @param mark the mark of the namespace, if it has one
 * @param taken when that was read
 * @param own what only its holder knows; empty if another process holds it
 */
public record WorkerJson(
    String namespace, WorkerEntry entry, Optional<Mark> mark, Instant taken, Optional<Own> own) {

  /**
   * A worker ID that this process holds.
   *
   * @param lead how far the newest ID is ahead of the clock
   * @param sinceRenewal how long ago its lease was renewed
   */
  public record Own(Duration lead, Duration sinceRenewal) {}

  /** Writes the members. */
  public void writeTo(Json json) throws IOException {
    json.text("namespace", namespace)
        .number("worker", entry.worker())
        .text("state", entry.state(taken).label())
        .text("holder", entry.holder())
        .number("pid", entry.pid())
        .time("fence", entry.fence())
        .number("left_ms", leftMillis(entry.fence(), taken))
        .flag("own", own.isPresent())
        .time("since", entry.since())
        .millis("lead_ms", own.map(Own::lead))
        .millis("since_renewal_ms", own.map(Own::sinceRenewal))
        .time("leads_until", leadsUntil());
    if (entry.low().isPresent()) {
      json.time("low", entry.low());
    }
  }

  /** Returns until when its IDs lead the clock because the store may have lost writes, if so. */
  private Optional<Instant> leadsUntil() {
    return mark.filter(newest -> newest.leads(entry, taken)).map(Mark::settledAt);
  }

  /** Returns the milliseconds from an instant to a fence, 0 if the fence has passed. */
  public static long leftMillis(Instant fence, Instant now) {
    return Math.max(0, Duration.between(now, fence).toMillis());
  }
}
