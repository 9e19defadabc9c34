package io.firn.integration;

import io.firn.internal.IsoTime;
import io.firn.lease.LeaseStatus;
import io.firn.lease.Namespace.Mark;
import io.firn.lease.WorkerEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The JSON form of a worker ID, the same over HTTP, from the command line and from Actuator. The
 * schema {@code Worker} of {@code openapi.json} describes it.
 *
 * @param namespace the namespace of the worker ID
 * @param entry its holder
 * @param mark the mark of the namespace, if it has one
 * @param taken when that was read
 * @param own data that only its holder knows; empty if another process holds it
 */
public record WorkerFields(
    String namespace, WorkerEntry entry, Optional<Mark> mark, Instant taken, Optional<Own> own) {

  /**
   * A worker ID that this process holds.
   *
   * @param lead how far the newest ID is ahead of the clock
   * @param sinceRenewal how long ago its lease was renewed
   */
  public record Own(Duration lead, Duration sinceRenewal) {}

  /** Returns the form of the worker ID that this process holds by a lease. */
  public static WorkerFields of(LeaseStatus lease, Duration lead) {
    return new WorkerFields(
        lease.namespace(),
        new WorkerEntry(
            lease.worker(),
            true,
            Optional.of(lease.notBefore()),
            lease.fence(),
            lease.holder(),
            ProcessHandle.current().pid(),
            false,
            false,
            lease.low(),
            Optional.empty()),
        lease.mark(),
        lease.taken(),
        Optional.of(new Own(lead, lease.sinceRenewal())));
  }

  /** Returns the values by name, in order: texts, numbers, booleans and null. */
  public Map<String, @Nullable Object> values() {
    Map<String, @Nullable Object> values = new LinkedHashMap<>();
    values.put("namespace", namespace);
    values.put("worker", entry.worker());
    values.put("state", entry.state(taken).label());
    values.put("holder", entry.holder());
    values.put("pid", entry.pid());
    values.put("fence", IsoTime.utc(entry.fence()));
    values.put("left_ms", leftMillis(entry.fence(), taken));
    values.put("own", own.isPresent());
    values.put("since", entry.since().map(IsoTime::utc).orElse(null));
    values.put("lead_ms", own.map(mine -> mine.lead().toMillis()).orElse(null));
    values.put("since_renewal_ms", own.map(mine -> mine.sinceRenewal().toMillis()).orElse(null));
    values.put("leads_until", leadsUntil().map(IsoTime::utc).orElse(null));
    entry.low().ifPresent(low -> values.put("low", IsoTime.utc(low)));
    return values;
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
