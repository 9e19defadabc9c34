package io.firn.server;

import io.firn.IdLayout;
import io.firn.segment.SegmentStats;
import io.firn.server.config.SegmentConfig;
import java.util.Optional;

/**
 * An open namespace of segments at one moment.
 *
 * @param name the name of the namespace
 * @param config the settings of the namespace
 * @param stats what its generator issued and has in stock
 */
public record SegmentStatus(String name, SegmentConfig config, SegmentStats stats)
    implements NamespaceStatus {

  @Override
  public Optional<IdLayout> idLayout() {
    return Optional.empty();
  }

  @Override
  public Optional<String> outage() {
    return stats.left() > 0 ? Optional.empty() : Optional.of(exhaustion());
  }

  private String exhaustion() {
    return "No number of key "
        + stats.key()
        + " is left from "
        + stats.source()
        + stats.lastError().map(error -> "; last error: " + error).orElse("");
  }
}
