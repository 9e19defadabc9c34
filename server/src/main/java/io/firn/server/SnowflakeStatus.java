package io.firn.server;

import io.firn.IdLayout;
import io.firn.SnowflakeStats;
import io.firn.lease.LeaseStatus;
import io.firn.micrometer.LeaseCounts;
import io.firn.server.config.SnowflakeConfig;
import java.util.Optional;

/**
 * An open namespace of snowflakes at one moment.
 *
 * @param name the name of the namespace
 * @param config the settings of the namespace
 * @param layout the layout in use, which may be the next one of the settings
 * @param stats what its generator issued
 * @param lease its lease, which may have expired
 * @param events what happened to its leases and its clock
 */
public record SnowflakeStatus(
    String name,
    SnowflakeConfig config,
    IdLayout layout,
    SnowflakeStats stats,
    LeaseStatus lease,
    NamespaceEvents events)
    implements NamespaceStatus {

  /** Returns how often it acquired, renewed and lost leases. */
  public LeaseCounts leases() {
    return events.counts();
  }

  @Override
  public Optional<IdLayout> idLayout() {
    return Optional.of(layout);
  }

  @Override
  public Optional<String> outage() {
    return lease.fence().isAfter(lease.taken()) ? Optional.empty() : Optional.of(expiry());
  }

  private String expiry() {
    return "The lease of worker "
        + lease.worker()
        + " of "
        + name
        + " ended at "
        + lease.fence()
        + " and was not renewed"
        + lease.describeProblem();
  }
}
