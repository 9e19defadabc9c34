package io.firn.spring;

import io.firn.IdGenerator;
import io.firn.Snowflake;
import io.firn.SnowflakeStats;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentGenerator;
import io.firn.segment.SegmentStats;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What is to be told of a generator, as an operator reads it.
 *
 * @param inService whether it can issue now
 * @param details names and values, which are text, numbers or truths
 */
record GeneratorReport(boolean inService, Map<String, Object> details) {

  /** Of all together: each by its name, and in service if every one is. */
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

  private static GeneratorReport of(NamespaceGenerator generator) {
    Map<String, Object> details = new LinkedHashMap<>();
    boolean inService =
        generator.isRunning()
            && generator.current().map(ids -> describe(ids, details)).orElse(false);
    details.put("running", generator.isRunning());
    return new GeneratorReport(inService, details);
  }

  private static boolean describe(IdGenerator ids, Map<String, Object> details) {
    if (ids instanceof Snowflake snowflake) {
      details.put("layout", snowflake.layout().toString());
      describe(snowflake.stats(), details);
      return snowflake.leaseStatus().map(lease -> describe(lease, details)).orElse(true);
    }
    return !(ids instanceof SegmentGenerator segments) || describe(segments.stats(), details);
  }

  private static void describe(SnowflakeStats stats, Map<String, Object> details) {
    details.put("issued", stats.issued());
    details.put("waits", stats.waits());
    details.put("clockSteps", stats.clockSteps());
    details.put("lead", stats.lead().toString());
    details.put("layoutEndsIn", stats.timeToExpiry().toDays() + " days");
  }

  private static boolean describe(LeaseStatus lease, Map<String, Object> details) {
    details.put("worker", lease.worker());
    details.put("fence", lease.fence().toString());
    details.put("sinceRenewal", lease.sinceRenewal().toString());
    details.put("store", lease.store());
    lease.trouble().ifPresent(trouble -> details.put("trouble", trouble));
    return lease.taken().isBefore(lease.fence());
  }

  private static boolean describe(SegmentStats stats, Map<String, Object> details) {
    details.put("issued", stats.issued());
    details.put("left", stats.left());
    details.put("step", stats.step());
    details.put("hungryWaits", stats.hungryWaits());
    details.put("fetchFailures", stats.fetchFailures());
    details.put("store", stats.source());
    stats.trouble().ifPresent(trouble -> details.put("trouble", trouble));
    return stats.left() > 0 || stats.trouble().isEmpty();
  }
}
