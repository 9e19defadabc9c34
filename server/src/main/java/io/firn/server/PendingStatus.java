package io.firn.server;

import io.firn.IdLayout;
import io.firn.server.config.NamespaceConfig;
import io.firn.server.config.SnowflakeConfig;
import java.util.Optional;

/**
 * A namespace that is not open at one moment.
 *
 * @param name the name of the namespace
 * @param config the settings of the namespace
 * @param failure why the last attempt to open it failed; empty while the first one runs
 */
public record PendingStatus(String name, NamespaceConfig config, Optional<String> failure)
    implements NamespaceStatus {

  /** Returns the layout of its settings, which it begins with unless the namespace has changed. */
  @Override
  public Optional<IdLayout> idLayout() {
    return config instanceof SnowflakeConfig snowflake
        ? Optional.of(snowflake.layout())
        : Optional.empty();
  }

  @Override
  public Optional<String> outage() {
    return Optional.of(failure.orElseGet(() -> "Namespace " + name + " is being opened"));
  }
}
