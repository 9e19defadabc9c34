package io.firn.server.config;

import io.firn.IdLayout;
import io.firn.integration.GeneratorSettings;
import java.time.Duration;
import java.util.Objects;

/**
 * A namespace of snowflakes.
 *
 * @param settings the settings of its generator, of which layout and window are set
 */
public record SnowflakeConfig(GeneratorSettings settings) implements NamespaceConfig {

  /** The longest wait for the clock. A wait occupies a thread that serves other requests too. */
  public static final Duration MAX_WAIT = Duration.ofSeconds(1);

  static SnowflakeConfig read(Values group) {
    GeneratorSettings.Setting policy = GeneratorSettings.Setting.CLOCK_POLICY;
    for (GeneratorSettings.Setting part : policy.replacedBy()) {
      if (Settings.of(policy).isSet(group) && Settings.of(part).isSet(group)) {
        throw Settings.of(part).refused(group, "none beside " + policy.key());
      }
    }
    GeneratorSettings settings =
        GeneratorSettings.of(setting -> Settings.of(setting).find(group).orElse(null));
    try {
      settings.checkWorker();
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(group.path(String.valueOf(e.getMessage())), e);
    }
    return new SnowflakeConfig(settings);
  }

  /** Returns the layout of its IDs. */
  public IdLayout layout() {
    return Objects.requireNonNull(settings.layout());
  }

  /** Returns how much ID time is leased at once. */
  public Duration window() {
    return Objects.requireNonNull(settings.window());
  }
}
