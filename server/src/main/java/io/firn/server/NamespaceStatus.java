package io.firn.server;

import io.firn.SnowflakeStats;
import io.firn.lease.LeaseStatus;
import io.firn.segment.SegmentStats;
import io.firn.server.config.NamespaceConfig;
import java.util.Optional;

/**
 * A namespace of this server at one moment.
 *
 * @param name its name
 * @param config how its IDs are made
 * @param stats what it issued, if it is open and of snowflakes
 * @param lease its lease, if it has one
 * @param leases what became of its leases, if it is open and of snowflakes
 * @param segments what it issued and has in stock, if it is open and of segments
 * @param failure why it is not open, if it could not be opened
 */
public record NamespaceStatus(
    String name,
    NamespaceConfig config,
    Optional<SnowflakeStats> stats,
    Optional<LeaseStatus> lease,
    Optional<LeaseCounts> leases,
    Optional<SegmentStats> segments,
    Optional<String> failure) {

  /** One that is not open, for that reason or because it is just being opened. */
  static NamespaceStatus closed(String name, NamespaceConfig config, Optional<String> failure) {
    return new NamespaceStatus(
        name,
        config,
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        failure);
  }

  /** Why it issues nothing now; empty if it does. */
  public Optional<String> trouble() {
    if (lease.isPresent()) {
      return lease.filter(now -> !now.fence().isAfter(now.taken())).map(this::describe);
    }
    return segments.isPresent()
        ? segments.filter(now -> now.left() == 0).map(NamespaceStatus::describe)
        : Optional.of(
            failure.orElse("namespace: " + name + " (expected: open, it is being opened)"));
  }

  private String describe(LeaseStatus ended) {
    return "lease: worker "
        + ended.worker()
        + " of "
        + name
        + " ended at "
        + ended.fence()
        + " (expected: renewed"
        + ended.trouble().map(text -> "; " + text).orElse("")
        + ")";
  }

  private static String describe(SegmentStats empty) {
    return "segments: none left of key "
        + empty.key()
        + " (expected: one from "
        + empty.source()
        + empty.trouble().map(text -> "; " + text).orElse("")
        + ")";
  }
}
