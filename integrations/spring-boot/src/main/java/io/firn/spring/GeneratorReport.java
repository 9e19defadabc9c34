package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.SnowflakeStats;
import io.firn.integration.WorkerFields;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The health and state of a generator for operators.
 *
 * @param inService whether it can issue now, as far as is known
 * @param details names and values, which are text, numbers, booleans or such maps
 */
record GeneratorReport(boolean inService, Map<String, Object> details) {

  /** Returns a report on all generators by name, which is in service if every generator is. */
  static GeneratorReport ofAll(List<NamespaceGenerator> generators) {
    Map<String, Object> details = new LinkedHashMap<>();
    boolean inService = true;
    for (NamespaceGenerator generator : generators) {
      GeneratorReport report = of(generator);
      inService &= report.inService();
      details.put(generator.name(), report.details());
    }
    return new GeneratorReport(inService, details);
  }

  /** Returns the status of a health indicator. */
  String status() {
    return inService ? "UP" : "OUT_OF_SERVICE";
  }

  private static GeneratorReport of(NamespaceGenerator generator) {
    Map<String, Object> details = new LinkedHashMap<>();
    boolean inService =
        switch (generator.stage()) {
          case NEW -> true; // it opens at its first request
          case OPEN -> generator.current().map(ids -> describe(ids, details)).orElse(true);
          case CLOSED -> false;
        };
    details.put("running", generator.isRunning());
    return new GeneratorReport(inService, details);
  }

  private static boolean describe(IdGenerator ids, Map<String, Object> details) {
    if (ids instanceof Snowflake snowflake) {
      SnowflakeStats stats = snowflake.stats();
      details.put("layout", snowflake.layout().toString());
      describe(stats, details);
      return snowflake.leaseStatus().map(lease -> describe(lease, stats, details)).orElse(true);
    }
    return !(ids instanceof SegmentGenerator segments) || describe(segments.stats(), details);
  }

  private static void describe(SnowflakeStats stats, Map<String, Object> details) {
    details.put("issued", stats.issued());
    details.put("waits", stats.waits());
    details.put("clock_steps", stats.clockSteps());
    details.put("layout_ends_in", stats.timeToExpiry().toDays() + " days");
  }

  private static boolean describe(
      LeaseStatus lease, SnowflakeStats stats, Map<String, Object> details) {
    boolean open = lease.taken().isBefore(lease.fence());
    details.put("worker", WorkerFields.of(lease, stats.lead()).values());
    details.put("store", lease.store());
    lease.lastError().ifPresent(error -> details.put("last_error", error));
    lease.clockDoubt().ifPresent(doubt -> details.put("clock_doubt", doubt));
    return open;
  }

  private static boolean describe(SegmentStats stats, Map<String, Object> details) {
    details.put("issued", stats.issued());
    details.put("left", stats.left());
    details.put("step", stats.step());
    details.put("waits", stats.waits());
    details.put("fetch_failures", stats.fetchFailures());
    details.put("store", stats.source());
    stats.lastError().ifPresent(error -> details.put("last_error", error));
    return stats.left() > 0 || stats.lastError().isEmpty();
  }
}
